import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const folder = fileURLToPath(new URL('test-results/scripts', import.meta.url));
const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a TypeScript program that tests start as a process, and returns the file. It starts four times faster than
 * the sources. The file lies beside the tests, so that it can import their packages by name.
 */
export function bundleScript(url: URL): Promise<string> {
  const source = fileURLToPath(url);
  const started = bundles.get(source) ?? bundle(source);
  bundles.set(source, started);
  return started;
}

async function bundle(source: string): Promise<string> {
  const name = `${path.basename(source, '.ts').replace(/^_/, '')}-${process.pid}-${bundles.size}.mjs`;
  const outfile = path.join(folder, name);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [keepModuleUrls],
  });
  return outfile;
}

/** Keeps the value that `import.meta.url` has in each source file. */
const keepModuleUrls: Plugin = {
  name: 'keep-module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => ({
      contents: (await readFile(file, 'utf8')).replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(file).href),
      ),
      loader: 'ts',
    })),
};
