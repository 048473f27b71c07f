import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const majors = [5, 6, 7] as const;
const fileOf = (major: number): string => fileURLToPath(new URL(`types/ai-${major}.ts`, import.meta.url));

let program: ts.Program;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  program = ts.createProgram(majors.map(fileOf), { ...options, noEmit: true });
}, 120_000);

it.each(majors)('the provider matches the types of ai@%i', { timeout: 120_000 }, major => {
  const file = program.getSourceFile(fileOf(major));
  expect(file).toBeDefined();
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
    [],
  );
});
