import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entries as allEntries, root } from '../../package/manifest.js';
import { measureEntry } from '../../package/measure-entry.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

const OFFICIAL = '@ai-sdk/openai';
const MAIN = '.';
/** Of the main entry, in kilobytes. */
const SIZE_LIMIT = 20;

/**
 * How long each entry takes to import, and how large it is, beside the official provider. What an application of the AI
 * SDK has anyway does not count: `ai` is loaded before, and it, its two packages and the peers are not in the sizes.
 * Neither is what an entry loads later, when it is needed.
 */
export async function measureStart({ samples, warmUp }: Scale): Promise<Figure[]> {
  const entries = allEntries.filter(({ file }) => existsSync(join(root, file)));
  const importers = entries.map(({ specifier }) => [specifier, importing(specifier)] as const);
  const times = await compare<string>(
    { [OFFICIAL]: importing(OFFICIAL), ...Object.fromEntries(importers) },
    { samples, warmUp: Math.min(warmUp, 1) },
  );
  const rival = 'official provider';
  const imports = entries.map(({ path, specifier }) => {
    const sides = { ours: times[specifier] ?? [], theirs: times[OFFICIAL] ?? [] };
    return toShare({ name: `import \`${specifier}\``, rival, ...sides }, path === MAIN ? 0.5 : undefined);
  });
  const official = await sizeOf(fileURLToPath(import.meta.resolve(OFFICIAL)));
  const sizes: Figure[] = [];
  for (const { path, specifier, file } of entries) {
    const size = await sizeOf(file);
    sizes.push({
      name: `size of \`${specifier}\`, min+gzip`,
      rival,
      value: size,
      unit: 'KB',
      ...(path === MAIN && { goal: { atMost: SIZE_LIMIT } }),
      measured: `${size.toFixed(1)} KB / ${official.toFixed(1)} KB`,
    });
  }
  return [...imports, ...sizes];
}

/** How long a new process takes to import a package. */
function importing(specifier: string): Contender {
  const script = `
    await import('ai');
    const startedAt = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(performance.now() - startedAt);`;
  const args = ['--input-type=module', '--eval', script];
  return async () => {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: {} });
    return Number(stdout);
  };
}

const sizeOf = async (file: string): Promise<number> => (await measureEntry(file)).initial / 1000;
