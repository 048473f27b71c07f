import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { manifest, root } from './manifest.js';

export interface EntrySize {
  /** Bytes that an import loads immediately, minified and compressed. */
  readonly initial: number;
  /** The same including lazily loaded code, such as the MCP SDK. */
  readonly total: number;
}

/**
 * Bundles an entry like an application does and measures it. Leaves out what the application already contains: the peer
 * dependencies and the two packages that `ai` is built on.
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
    Object.keys(metafile.outputs).map((name, index) => {
      // The hashes in names of chunks follow any change of their code, and compress at random.
      const code = outputFiles[index]?.text.replaceAll(/-[A-Z0-9]{8}(?=\.js)/g, '-AAAAAAAA') ?? '';
      return [name, gzipSync(code, { level: 9 }).length];
    }),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((bytes, name) => bytes + (bytesOf.get(name) ?? 0), 0);
  return {
    initial: sum(listInitialChunks(metafile, path.relative(root, path.resolve(root, file)))),
    total: sum(bytesOf.keys()),
  };
}

function listInitialChunks({ outputs }: Metafile, entry: string): Set<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) visit(path);
  };
  // Lazy parts are entry points, too.
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (entryPoint === entry) visit(name);
  return reached;
}
