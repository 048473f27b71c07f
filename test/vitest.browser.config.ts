import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The playground and the bundled package in a real browser. `SCREENSHOTS=1` writes screenshots to `test-results/`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/browser/*.browser.ts', 'test/browser-bundle/*.browser.ts'],
    // Starting servers and browsers leaves cores idle. A third browser overloads two cores.
    maxWorkers: 2,
    // Files of a worker share its browser and the modules that they import.
    isolate: false,
    // A busy machine can end a turn before the page has looked at it. A test that fails twice is reported as failed.
    retry: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './test/_summary-reporter.ts'],
  },
});
