import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Vite requires a default export.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    react(),
    {
      name: 'mermaid',
      // A script without imports: the frame of diagrams has no origin, to which modules are not served.
      generateBundle() {
        const file = new URL('../node_modules/mermaid/dist/mermaid.min.js', import.meta.url);
        this.emitFile({ type: 'asset', fileName: 'diagram/mermaid.min.js', source: readFileSync(file) });
      },
    },
  ],
  resolve: {
    // The parser of HTML in Markdown, which `streamdown` imports. The page shows HTML as text.
    alias: {
      'rehype-raw': fileURLToPath(new URL('ui/no-raw-html.ts', import.meta.url)),
      'hast-util-from-html-isomorphic': fileURLToPath(new URL('ui/parse-html.ts', import.meta.url)),
    },
  },
  build: {
    // Inlined images would be data URLs in scripts, which the content security policy blocks.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
});
