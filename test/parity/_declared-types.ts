import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A JSON value with the path of a literal that only this sample contains. */
export type Sample = string | number | boolean | Sample[] | { [name: string]: Sample };

/** The declarations of the official provider and of the official client, read by the compiler. */
export interface DeclaredTypes {
  /** Returns the properties of a type, each with sample values: one for every literal and every member of a union. */
  propertiesOf(name: string): ReadonlyMap<string, readonly Sample[]>;
  /** Returns the members of a union of objects by their `type`, each with its properties. */
  membersOf(name: string): ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>>;
  /** Returns the literals of a union of strings. */
  literalsOf(name: string): readonly string[];
}

/** Reads type expressions by name. They may use `responses` (the types of the API) and `official` (the provider). */
export function readDeclaredTypes(expressions: Readonly<Record<string, string>>): DeclaredTypes {
  const path = fileURLToPath(new URL('./declared-types.virtual.ts', import.meta.url));
  const source = [
    "import type * as responses from 'openai/resources/responses/responses.js';",
    "import type * as official from 'openai4';",
    'type Args<F extends (...args: never) => unknown> = Parameters<F> extends [] ? {} : NonNullable<Parameters<F>[0]>;',
    ...Object.entries(expressions).map(([name, expression]) => `export type ${name} = ${expression};`),
  ].join('\n');
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = file => file === path || fileExists.call(host, file);
  host.readFile = file => (file === path ? source : readFile.call(host, file));
  host.getSourceFile = (file, ...rest) =>
    file === path
      ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true)
      : getSourceFile.call(host, file, ...rest);
  const program = ts.createProgram([path], options, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  if (file === undefined) throw new Error('The declarations could not be read.');
  const errors = program.getSemanticDiagnostics(file);
  if (errors.length > 0)
    throw new Error(
      errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'),
    );

  const typeOf = (name: string): ts.Type => {
    const statement = file.statements.find(
      node => ts.isTypeAliasDeclaration(node) && node.name.text === name,
    );
    if (statement === undefined || !ts.isTypeAliasDeclaration(statement))
      throw new Error(`There is no type ${name}.`);
    return checker.getTypeAtLocation(statement.name);
  };
  const membersOfType = (type: ts.Type): ts.Type[] => (type.isUnion() ? type.types : [type]);
  const typeOfProperty = (property: ts.Symbol): ts.Type => checker.getTypeOfSymbolAtLocation(property, file);

  function toProperties(type: ts.Type): Map<string, readonly Sample[]> {
    return new Map(
      checker.getPropertiesOfType(type).map(property => [property.name, toSamples(typeOfProperty(property))]),
    );
  }

  function toSamples(type: ts.Type, depth = 0): Sample[] {
    if (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never)) return [];
    if (type.isStringLiteral() || type.isNumberLiteral()) return [type.value];
    if (type.flags & ts.TypeFlags.BooleanLiteral) return [checker.typeToString(type) === 'true'];
    if (type.isUnion()) return type.types.flatMap(member => toSamples(member, depth));
    if (type.flags & ts.TypeFlags.StringLike) return ['sample'];
    if (type.flags & ts.TypeFlags.NumberLike) return [7];
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [{ name: 'sample' }];
    if (depth > MAX_DEPTH) return ['nested'];
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      return element === undefined ? [] : toSamples(element, depth + 1).map(item => [item]);
    }
    if (type.getCallSignatures().length > 0) return [];
    return toObjects(type, depth);
  }

  /** Returns an object with every property, and one more for each further sample of a property. */
  function toObjects(type: ts.Type, depth: number): Sample[] {
    const properties = checker
      .getPropertiesOfType(type)
      .map(property => ({ name: property.name, samples: toSamples(typeOfProperty(property), depth + 1) }))
      .filter(({ samples }) => samples.length > 0);
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (properties.length === 0 && index !== undefined) {
      return toSamples(index, depth + 1)
        .slice(0, 1)
        .map(value => ({ sample: value }));
    }
    const complete = Object.fromEntries(
      properties.flatMap(({ name, samples: [first] }) => (first === undefined ? [] : [[name, first]])),
    );
    return [
      complete,
      ...properties.flatMap(({ name, samples }) =>
        samples.slice(1).map(value => ({ ...complete, [name]: value })),
      ),
    ];
  }

  return {
    propertiesOf: name => toProperties(typeOf(name)),
    membersOf: name =>
      new Map(
        membersOfType(typeOf(name)).flatMap(member => {
          const properties = toProperties(member);
          const types = properties.get('type') ?? [];
          return types.map(type => [String(type), properties] as const);
        }),
      ),
    literalsOf: name => toSamples(typeOf(name)).map(String),
  };
}

/** Levels of nesting in samples. */
const MAX_DEPTH = 4;
