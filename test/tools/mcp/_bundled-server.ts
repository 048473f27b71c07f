import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const bundles = fileURLToPath(new URL('../../test-results/scripts', import.meta.url));
const lockFile = readFileSync(new URL('../../../package-lock.json', import.meta.url));

/**
 * Returns a server as one file, which starts in half of the processor's time that its modules take. The file stays on the disk
 * until a module of the server or an installed package changes.
 *
 * @param script The path of the server's first module.
 * @param name The end of the file's path, because applications name a server after the folders of its script.
 * @param directory The folder in which the server looks for files beside its modules.
 */
export function bundleServer(
  script: string,
  name = path.join(path.basename(script, '.mjs'), 'index.js'),
  directory = path.dirname(script),
): string {
  const bundle = path.join(bundles, versionOf(path.dirname(script)), name);
  if (existsSync(bundle)) return bundle;
  // Other workers may write the same file.
  const outfile = `${bundle}.${process.pid}`;
  buildSync({
    ...{ entryPoints: [script], outfile, bundle: true, platform: 'node', format: 'esm' },
    // Packages in the format of CommonJS call it.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(path.join(directory, 'index.js')).href) },
  });
  renameSync(outfile, bundle);
  return bundle;
}

/** Identifies the modules of tests in a folder, and the packages that they import. */
function versionOf(folder: string): string {
  const hash = createHash('sha256').update(lockFile);
  for (const file of readdirSync(folder))
    if (file.endsWith('.mjs')) hash.update(readFileSync(path.join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}
