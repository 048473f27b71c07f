import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from '../package/manifest.js';
import { type Major, MAJORS, type Snippet, toMajor } from './_markdown.js';

/** Inside the package, so that imports of `kelivo-responses` resolve to the build. */
const folder = path.join(root, 'test-results/snippets');

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

/** Snippets as files of one program for each major of `ai`, together with the prelude that declares their globals. */
export interface WrittenSnippets {
  /** Returns the compiler errors of a snippet, in each major that it is for. */
  errorsOf(snippet: Snippet): string[];
  /** Writes the JavaScript of a snippet, for its newest major, and returns its path. */
  programOf(snippet: Snippet): string;
  /** The compiled prelude. It is imported before the snippets. */
  readonly prelude: string;
}

export function writeSnippets(snippets: readonly Snippet[]): WrittenSnippets {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Other majors of `ai` are installed for the tests.
  symlinkSync(path.join(root, 'test/node_modules'), path.join(folder, 'node_modules'));
  const preludeSource = readFileSync(prelude, 'utf8');
  const names = snippets.flatMap(({ fileName }, index) =>
    fileName === undefined ? [] : [[fileName, `snippet-${index + 1}.js`] as const],
  );
  /** Imports named snippets under their files. */
  const toNamed = (code: string): string =>
    names.reduce((text, [name, file]) => text.replaceAll(`from './${name}';`, `from './${file}';`), code);
  const programs = MAJORS.map(major => writeProgram(major));

  function writeProgram(major: Major) {
    const own = path.join(folder, `ai-${major}`);
    mkdirSync(own);
    const ofMajor = snippets.filter(snippet => isFor(snippet, major));
    const fileOf = new Map(
      ofMajor.map(snippet => [
        snippet,
        path.join(own, `snippet-${snippets.indexOf(snippet) + 1}.${snippet.language}`),
      ]),
    );
    writeFileSync(path.join(own, 'prelude.ts'), toCode(preludeSource, major));
    // The export makes a snippet without imports a module.
    for (const [snippet, file] of fileOf)
      writeFileSync(file, `${toNamed(toCode(snippet.code, major))}\nexport {};\n`);
    const program = ts.createProgram([path.join(own, 'prelude.ts'), ...fileOf.values()], options);
    return { major, fileOf, program };
  }

  const write = (source: string, name: string): string => {
    const { target, jsx } = options;
    const compilerOptions = { module: ts.ModuleKind.ESNext, target, jsx };
    const file = path.join(folder, name);
    writeFileSync(file, ts.transpileModule(source, { compilerOptions }).outputText);
    return file;
  };

  return {
    errorsOf: snippet =>
      programs.flatMap(({ major, fileOf, program }) => {
        if (!isFor(snippet, major)) return [];
        const source = program.getSourceFile(fileOf.get(snippet) ?? '');
        if (source === undefined) return [`ai ${major}: The snippet was not written.`];
        return ts.getPreEmitDiagnostics(program, source).map(({ messageText, start = 0 }) => {
          const line = source.getLineAndCharacterOfPosition(start).line + 1;
          return `ai ${major}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
        });
      }),
    programOf: snippet =>
      write(
        toNamed(toCode(snippet.code, snippet.major ?? MAJORS[0])),
        `snippet-${snippets.indexOf(snippet) + 1}.js`,
      ),
    prelude: write(toCode(preludeSource, MAJORS[0]), 'prelude.js'),
  };
}

const isFor = (snippet: Snippet, major: Major): boolean => (snippet.major ?? major) === major;

/** Imports the entry for a major, and `ai` under its name in this repository: `ai6` or `ai7`. */
const toCode = (code: string, major: Major): string =>
  toMajor(code, major).replaceAll("from 'ai';", `from 'ai${major === 5 ? '' : major}';`);

export interface SnippetRun {
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessRun {
  /** The runs in the order of the files. The last run has all output after its start. */
  readonly runs: readonly SnippetRun[];
  /** Null if the process did not exit by itself and was killed. */
  readonly exitCode: number | null;
}

export interface RunOptions {
  /** The file that is imported first. */
  readonly prelude: string;
  readonly cwd: string;
  /** All environment variables of the process. */
  readonly env: Record<string, string>;
  /** Maximum time of the process in milliseconds. */
  readonly timeout: number;
}

/** Separates the output of two files. */
const SEPARATOR = '\u001e';

/**
 * Runs files one after another in a single process. An error of one is printed to its `stderr`, and the next file runs.
 * The process exits by itself when no file has left a timer, a socket or a child process behind.
 */
export async function runInOneProcess(
  files: readonly string[],
  { prelude, ...options }: RunOptions,
): Promise<ProcessRun> {
  const script = `
    for (const file of ${JSON.stringify(files)}) {
      globalThis.prepareSnippet();
      await import(file).catch(error => console.error(error));
      for (const stream of [process.stdout, process.stderr]) stream.write('${SEPARATOR}');
    }`;
  const args = ['--import', prelude, '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const stdouts = output.stdout.split(SEPARATOR);
  const stderrs = output.stderr.split(SEPARATOR);
  // Output after the last separator belongs to the last file.
  const runs = files.map((_, index) => {
    const end = index === files.length - 1 ? undefined : index + 1;
    return {
      stdout: stdouts.slice(index, end).join(''),
      stderr: stderrs.length > index ? stderrs.slice(index, end).join('') : 'The snippet did not run.',
    };
  });
  return { runs, exitCode };
}
