import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from '../package/manifest.js';
import type { Snippet } from './_markdown.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Inside the package, so that the snippets find it by its name, as it is built. */
const folder = path.join(root, 'test-results/readme');

const prelude = fileURLToPath(new URL('_prelude.ts', import.meta.url));

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  jsx: ts.JsxEmit.ReactJSX,
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Programs made of snippets: each in a file of its own, beside one with what they take for granted. */
export interface WrittenSnippets {
  /** The faults that the compiler finds in a snippet. */
  faultsOf(snippet: Snippet): string[];
  /** The file that runs a snippet. */
  programOf(snippet: Snippet): string;
  /** The file that has to be loaded before it. */
  readonly prelude: string;
}

export function writeSnippets(snippets: readonly Snippet[]): WrittenSnippets {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const fileOf = new Map(
    snippets.map((snippet, index) => [
      snippet,
      path.join(folder, `snippet-${index + 1}.${snippet.language}`),
    ]),
  );
  // One without imports is a module all the same.
  for (const [snippet, file] of fileOf) writeFileSync(file, `${toCode(snippet)}\nexport {};\n`);
  const program = ts.createProgram([prelude, ...fileOf.values()], options);

  const write = (source: string, name: string): string => {
    const { target, jsx } = options;
    const compilerOptions = { module: ts.ModuleKind.ESNext, target, jsx };
    const file = path.join(folder, name);
    writeFileSync(file, ts.transpileModule(source, { compilerOptions }).outputText);
    return file;
  };

  return {
    faultsOf(snippet) {
      const source = program.getSourceFile(fileOf.get(snippet) ?? '');
      if (source === undefined) return ['The snippet was not written.'];
      return ts.getPreEmitDiagnostics(program, source).map(({ messageText, start = 0 }) => {
        const line = source.getLineAndCharacterOfPosition(start).line + 1;
        return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      });
    },
    programOf: snippet => write(toCode(snippet), `${path.parse(fileOf.get(snippet) ?? '').name}.js`),
    prelude: write(readFileSync(prelude, 'utf8'), 'prelude.js'),
  };
}

/** Other releases of `ai` are installed here under names of their own: `ai6`, `ai7`. */
const toCode = ({ code, major = '' }: Snippet): string => code.replaceAll("from 'ai';", `from 'ai${major}';`);

export interface ProgramRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file with Node, after another one, in a folder and with no other variables than those that are given. */
export async function runProgram(
  file: string,
  { after, cwd, env, timeout }: { after: string; cwd: string; env: Record<string, string>; timeout: number },
): Promise<ProgramRun> {
  const child = spawn(process.execPath, ['--import', after, file], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece;
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, ...output };
}
