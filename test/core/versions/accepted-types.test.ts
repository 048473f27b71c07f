import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The programs that use the provider, by host. */
const files = [
  ['ai@5', 'types/ai-5.ts'],
  ['ai@6', 'types/ai-6.ts'],
  ['ai@7', 'types/ai-7.ts'],
  ['ai@7, version 3', 'types/ai-7-v3.ts'],
] as const;
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const entries = ['index', 'v3', 'v4'].map(name => `${root}/src/${name}.ts`);

let program: ts.Program;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  program = ts.createProgram([...files.map(([, file]) => pathOf(file)), ...entries], {
    ...options,
    noEmit: true,
  });
});

it.each(files)('the provider matches the types of %s', (_, name) => {
  const file = program.getSourceFile(pathOf(name));
  expect(file).toBeDefined();
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
    [],
  );
});

it('the entries export the same values and types, apart from names of a version', () => {
  const checker = program.getTypeChecker();
  const isValue = (symbol: ts.Symbol): boolean => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0;
  };
  const [main, ...later] = entries.map(entry => {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    return (module ? checker.getExportsOfModule(module) : [])
      .filter(({ name }) => !/V\d/.test(name))
      .map(symbol => `${isValue(symbol) ? 'value' : 'type'} ${symbol.name}`)
      .sort();
  });
  expect(main).toContain('value createCorsProxyFetch');
  expect(main).toContain('type KelivoResponsesSettings');
  for (const names of later) expect(names).toEqual(main);
});
