import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** What becomes of a field of the host's `Tool` type: in the tool loop, and in tools that the host runs. */
export interface FieldEffect {
  readonly loop: string;
  readonly host: string;
}

const same = 'as in the host';
const warned = 'no effect, and a warning';

/** All fields of the `Tool` types of `ai` 5, 6 and 7. */
export const fieldEffects: Readonly<Record<string, FieldEffect>> = {
  type: { loop: '`dynamic` and `function` are the same', host: '`dynamic`' },
  description: { loop: same, host: 'a function is called when the tools are listed' },
  title: { loop: 'on calls of declared tools', host: same },
  metadata: { loop: 'on calls of declared tools', host: same },
  providerOptions: { loop: same, host: same },
  inputSchema: { loop: 'JSON Schema for the model, and validation of each call', host: same },
  inputExamples: { loop: same, host: same },
  outputSchema: { loop: 'no effect, as in the host', host: 'no effect, as in the host' },
  contextSchema: { loop: 'validates the context of each call', host: 'validates the context of each call' },
  strict: { loop: same, host: same },
  deferLoading: { loop: '`toolSearch` of the loop', host: same },
  needsApproval: { loop: '`approve` of the loop, or the host', host: same },
  onInputStart: { loop: same, host: same },
  onInputDelta: { loop: same, host: same },
  onInputAvailable: { loop: same, host: same },
  execute: {
    loop: "preliminary results as events, and as parts with `toolActivity: 'all'`",
    host: 'preliminary results of an `async function*`',
  },
  toModelOutput: {
    loop: 'the host shows what the model receives',
    host: 'the host shows what the model receives',
  },
  id: { loop: warned, host: warned },
  name: { loop: 'no effect: the key is the name', host: 'no effect: the key is the name' },
  args: { loop: warned, host: warned },
  isProviderExecuted: { loop: warned, host: warned },
  supportsDeferredResults: { loop: warned, host: warned },
};

/** Renders the table of the guide. */
export function renderFields(fieldsOf: ReadonlyMap<number, ReadonlySet<string>>): string {
  const majors = [...fieldsOf.keys()];
  const rows = Object.entries(fieldEffects).map(([field, { loop, host }]) => [
    `\`${field}\``,
    majors.filter(major => fieldsOf.get(major)?.has(field)).join(', '),
    loop,
    host,
  ]);
  const head = ['field', '`ai`', 'the loop runs the tool', "`tools({ runBy: 'host' })`"];
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

const packages = { 5: 'ai', 6: 'ai6', 7: 'ai7' } as const;

/** Returns the names of the fields of the type `Tool` of each major of `ai`. */
export function readFields(): Map<number, Set<string>> {
  const file = fileURLToPath(new URL('read-fields.ts', import.meta.url));
  const text = Object.entries(packages)
    .map(
      ([major, name]) =>
        `import type { Tool as Tool${major} } from '${name}'; export type T${major} = Tool${major};`,
    )
    .join('\n');
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true, types: [], noEmit: true },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = name => name === file || fileExists.call(host, name);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, {
          languageVersion: ts.ScriptTarget.ES2022,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        })
      : getSourceFile.call(host, name, ...rest);
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const types = module === undefined ? [] : checker.getExportsOfModule(module);
  return new Map(
    types.map(symbol => {
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const members = type.isUnion() ? type.types : [type];
      const names = members.flatMap(member =>
        member.getProperties().flatMap(property => {
          const { escapedName: name } = property;
          const isNever = checker.getTypeOfSymbol(property).getFlags() === ts.TypeFlags.Undefined;
          return isNever || String(name).startsWith('__@') ? [] : [String(name)];
        }),
      );
      return [Number(symbol.name.slice(1)), new Set(names)];
    }),
  );
}
