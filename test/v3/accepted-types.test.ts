import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The programs that use the provider, by host. */
const files = [
  ['ai@5', 'types/ai-5.ts'],
  ['ai@6', 'types/ai-6.ts'],
  ['ai@7', 'types/ai-7.ts'],
  ['ai@7, version 4', '../v4/types/ai-7.ts'],
] as const;
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

let program: ts.Program;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  program = ts.createProgram(
    files.map(([, file]) => pathOf(file)),
    { ...options, noEmit: true },
  );
}, 120_000);

it.each(files)('the provider matches the types of %s', { timeout: 120_000 }, (_, name) => {
  const file = program.getSourceFile(pathOf(name));
  expect(file).toBeDefined();
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
    [],
  );
});
