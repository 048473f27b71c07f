import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The playground in a real browser. Screenshots are left in `test-results/`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/browser/*.browser.ts', 'test/browser-bundle/*.browser.ts'],
    // One browser at a time: it alone keeps two cores busy.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/_summary-reporter.ts'],
  },
});
