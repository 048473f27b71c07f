import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Vite asks for a default export.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    // Small images would become data addresses in scripts; the page's policy wants files.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
});
