import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { installedFolders } from './_install-packages.js';

/** Replaces a module, so that it has to run in a suite whose files do not share modules. */
const mocking = ['test/text-tools/prose.test.ts'];

/** Slow suites by name. `npm run test:suite -- <name>` runs one of them, `npm run test:all` every test. */
const slowSuites: Readonly<Record<string, string[]>> = {
  snippets: ['test/docs/snippets.test.ts'],
  package: [
    'test/package/**/*.test.ts',
    'test/browser-bundle/**/*.test.ts',
    'test/**/accepted-types.test.ts',
  ],
  security: ['test/security/**/*.test.ts'],
  'host-matrix': ['test/host-matrix/**/*.test.ts', 'test/host/provider-schema-extension.test.ts'],
  playground: ['test/playground/{server,web}/**/*.test.ts'],
  mcp: ['test/mcp-matrix/**/*.test.ts'],
  processes: ['test/**/{forgotten-close,kill-points,many-turns,process-exit,sqlite-processes}.test.ts'],
  engines: ['test/durable-turns/**/*.test.ts'],
  runtimes: ['test/runtimes/**/*.test.ts', 'test/telemetry/ai7/**/*.test.ts'],
  'third-party': ['test/third-party/*.test.ts'],
  workflow: ['test/workflow/**/*.test.ts'],
  fuzz: [
    'test/{fuzz,soak,bench}/**/*.test.ts',
    'test/**/{properties,linearity,any-history}.test.ts',
    ...mocking,
  ],
};

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    // Many tests wait for processes and sockets, so a third worker keeps two cores busy. More overload them.
    maxWorkers: 3,
    // Files of a worker share the modules that they import, which takes a third of the time.
    isolate: false,
    // Limits for tests that hang, on machines that do other work at the same time.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    reporters: ['default', './test/_summary-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [...Object.values(slowSuites).flat(), '**/node_modules/**'],
        },
      },
      ...Object.entries(slowSuites).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include,
          isolate: name === 'fuzz',
          globalSetup: name in installedFolders ? ['test/_install-packages.ts'] : [],
        },
      })),
    ],
  },
});
