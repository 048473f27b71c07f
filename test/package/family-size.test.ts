import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { manifest, root } from './manifest.js';

/** The most bytes that an application with one family loads at its start, and with the first call, compressed. */
const LIMITS = { start: 25_000, all: 58_000 };

/** Packages that the application has already, as for the sizes of the entries. */
const present = [...Object.keys(manifest.peerDependencies), '@ai-sdk/provider', '@ai-sdk/provider-utils'];

/** Bundles one export of the adapters as Vite does, and returns its chunks: those of the start, and all. */
async function bundle(name: string) {
  const bundle = await rolldown({
    cwd: root,
    input: 'family',
    platform: 'browser',
    external: id => present.some(one => id === one || id.startsWith(`${one}/`)),
    plugins: [
      {
        name: 'family',
        resolveId: id => (id === 'family' ? id : undefined),
        load: id =>
          id === 'family' ? `export { ${name} } from '${root}dist/adapters/index.js';` : undefined,
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const chunks = new Map(output.flatMap(file => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const start = new Set<string>();
  const visit = (file: string): void => {
    if (start.has(file)) return;
    start.add(file);
    chunks.get(file)?.imports.forEach(visit);
  };
  for (const { fileName, isEntry } of chunks.values()) if (isEntry) visit(fileName);
  const sizeOf = (files: Iterable<string>): number =>
    [...files].reduce(
      (bytes, file) => bytes + gzipSync(chunks.get(file)?.code ?? '', { level: 9 }).length,
      0,
    );
  return {
    start: sizeOf(start),
    all: sizeOf(chunks.keys()),
    code: [...chunks.values()].map(({ code }) => code).join('\n'),
  };
}

it.each(['qwenMiddleware', 'mistralMiddleware'])(
  'an application with %s contains no other family',
  async name => {
    const { start, all, code } = await bundle(name);
    for (const other of [
      '<|START_ACTION|>',
      '<|tool_call:start|>',
      'minimax:tool_call',
      '<start_function_call>',
    ])
      expect(code).not.toContain(other);
    expect(start).toBeLessThanOrEqual(LIMITS.start);
    expect(all).toBeLessThanOrEqual(LIMITS.all);
  },
);
