import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Vite requires a default export.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  resolve: {
    // The parser of HTML in Markdown, which `streamdown` imports. The page shows HTML as text.
    alias: { 'rehype-raw': fileURLToPath(new URL('ui/no-raw-html.ts', import.meta.url)) },
  },
  build: {
    // Inlined images would be data URLs in scripts, which the content security policy blocks.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
});
