import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { manifest, root } from './manifest.js';

export interface EntrySize {
  /** Bytes of what an import loads at once, minified and compressed. */
  readonly initial: number;
  /** The same with all that is loaded later, such as the MCP SDK. */
  readonly total: number;
}

/**
 * Bundles an entry as an application would and measures it. What the application has anyway is left out: the peers and
 * the two packages that `ai` itself is made of.
 */
export async function measureEntry(file: string): Promise<EntrySize> {
  const present = [...Object.keys(manifest.peerDependencies), '@ai-sdk/provider', '@ai-sdk/provider-utils'];
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    outdir: '.',
    external: present.flatMap(name => [name, `${name}/*`]),
  });
  const bytesOf = new Map(
    Object.keys(metafile.outputs).map((name, index) => [
      name,
      gzipSync(outputFiles[index]?.contents ?? '', { level: 9 }).length,
    ]),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((bytes, name) => bytes + (bytesOf.get(name) ?? 0), 0);
  return { initial: sum(reachedAtOnce(metafile)), total: sum(bytesOf.keys()) };
}

function reachedAtOnce({ outputs }: Metafile): Set<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) visit(path);
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) {
    // A dynamic import is an entry point of its own in the bundler's eyes.
    const isLazy = Object.values(outputs).some(({ imports }) =>
      imports.some(({ path, kind }) => path === name && kind === 'dynamic-import'),
    );
    if (entryPoint !== undefined && !isLazy) visit(name);
  }
  return reached;
}
