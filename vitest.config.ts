import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Replaces a module, so that it has to run in a suite whose files do not share modules. */
const mocking = ['test/adapters/text-tools/prose.test.ts'];

/** Slow suites by name. `npm run test:suite -- <name>` runs one of them, `npm run test:all` every test. */
const slowSuites: Readonly<Record<string, string[]>> = {
  snippets: ['test/docs/snippets.test.ts'],
  package: [
    'test/package/**/*.test.ts',
    'test/browser-bundle/**/*.test.ts',
    'test/**/accepted-types.test.ts',
    // They compile the sources, or the types of other packages.
    'test/{parity/**/*,reach,docs/host-controls,core/versions/entries}.test.ts',
  ],
  security: ['test/security/**/*.test.ts'],
  'host-matrix': [
    'test/host-matrix/**/*.test.ts',
    'test/host/{provider-schema-extension,switch-contract}.test.ts',
  ],
  command: ['test/testing/command/**/*.test.ts'],
  playground: ['test/playground/**/*.test.ts'],
  // Servers that only tests use.
  emulators: ['test/_emulators/**/*.test.ts'],
  mcp: [
    'test/mcp-matrix/**/*.test.ts',
    'test/tools/mcp/{authorization-refresh,process-tree,readiness,resource-tools,roots,server-features}.test.ts',
  ],
  processes: [
    'test/**/{approval-processes,forgotten-close,kill-points,many-calls,many-turns,process-exit,sqlite-processes}.test.ts',
  ],
  engines: ['test/durable-turns/**/*.test.ts'],
  runtimes: ['test/runtimes/**/*.test.ts', 'test/telemetry/ai7/**/*.test.ts'],
  'third-party': ['test/third-party/*.test.ts'],
  workflow: ['test/workflow/**/*.test.ts'],
  fuzz: [
    'test/{fuzz,soak,bench}/**/*.test.ts',
    'test/**/{properties,linearity,*any-history,long-conversation,one-history,written-variants,text-formats-properties}.test.ts',
    ...mocking,
  ],
};

const root = fileURLToPath(new URL('.', import.meta.url));

/** Files with tables of which `npm test` runs a part. */
const listProducts = (): string[] =>
  readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map(file => `test/${file.replaceAll('\\', '/')}`)
    .filter(
      file =>
        readFileSync(root + file, 'utf8').match(/_(?:products|chunking|read-text|read-as|read-with)\.js'/) !==
        null,
    );

export default defineConfig(({ mode }) => ({
  test: {
    root,
    // Many tests wait for processes and sockets, so four workers keep two cores busy.
    maxWorkers: 4,
    // Files of a worker share the modules that they import, which takes a third of the time.
    isolate: false,
    // Limits for tests that hang, on machines that do other work at the same time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: ['default', './test/_summary-reporter.ts'],
    // Compiled modules stay on the disk, so that a single test starts at once.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          env: { PRODUCTS: mode === 'products' ? 'all' : 'pairs' },
          include: mode === 'products' ? listProducts() : ['test/**/*.test.ts'],
          globalSetup: ['./test/_install-packages.ts'],
          exclude: [...Object.values(slowSuites).flat(), '**/node_modules/**'],
        },
      },
      ...Object.entries(slowSuites).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include,
          env: { PRODUCTS: 'all' },
          isolate: name === 'fuzz',
          globalSetup: ['./test/_build-package.ts', './test/_install-packages.ts'],
        },
      })),
    ],
  },
}));
