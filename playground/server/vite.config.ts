import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import manifest from '../package.json' with { type: 'json' };

/** Bundles the server into one file. Only packages that are installed with it stay apart. */
// Vite requires a default export.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    ssr: 'main.ts',
    outDir: '../dist',
    emptyOutDir: true,
    target: 'node20',
    license: { fileName: 'licenses.md' },
  },
  ssr: { noExternal: true, external: Object.keys(manifest.dependencies) },
});
