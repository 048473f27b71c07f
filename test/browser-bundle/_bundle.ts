import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The code of a browser bundle by file path. */
export type Bundle = ReadonlyMap<string, string>;

/**
 * Bundles a module for browsers like an application does, with the built package. Rejects if the bundle reaches a Node
 * built-in.
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
