import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root folder of the package. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Undefined until somebody owns a repository. */
  readonly repository?: { readonly url: string };
  readonly license: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  /** Files with their replacements in bundles for browsers. */
  readonly browser: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  /** The maximum size of each entry in bytes, minified and compressed. */
  readonly bundleLimits: Readonly<Record<string, number>>;
}

export const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest;

export interface Entry {
  /** The key in `exports`: `.` or `./mcp`. */
  readonly path: string;
  /** The import specifier: `kelivo-responses/mcp`. */
  readonly specifier: string;
  /** The built file, relative to the root: `./dist/tools/mcp/index.js`. */
  readonly file: string;
  readonly types: string;
}

/** The entries with code, in the order of `exports`. */
export const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [{ path, specifier: `${manifest.name}${path.slice(1)}`, file: target.default, types: target.types }],
);
