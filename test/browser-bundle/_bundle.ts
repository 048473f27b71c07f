import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bundle for browsers, by the path of each file. */
export type Bundle = ReadonlyMap<string, string>;

/**
 * Bundles a module for browsers, as an application would: the package by its name, as it was built. Rejects where a Node
 * built-in is reached.
 */
export async function bundleForBrowsers(source: string): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: {
      contents: source,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
      sourcefile: 'page.ts',
    },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: 'bundle',
    write: false,
    logLevel: 'silent',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf('/')), text]));
}
