import type * as FileSystem from 'node:fs/promises';
import { importModule } from '../../../core/shared/import-module.js';
import { objectOf } from '../../../core/shared/json.js';
import type { ToolOutputStore } from './store.js';

/** Options of a store of outputs in a folder. */
export interface FileOutputStoreOptions {
  /** Path of the folder, which only this store uses. It is created on first use. */
  directory: string;
  /** Time in milliseconds for which an output is kept. @default 86,400,000, one day */
  maxAge?: number;
  /**
   * Maximum size of all outputs in bytes. The oldest ones make room, whoever they belong to: a user who writes more than all of
   * it within a day displaces those of others. A tenth more may be there for a while.
   * @default 1e9
   */
  maxBytes?: number;
}

/** Milliseconds between two cleanings, if little was written. */
const CLEANING_INTERVAL = 60_000;

/** The files of the store. Others in the folder stay. The second part is that of a file that is being written. */
const OWN_FILE = /^[0-9a-f]{64}\.txt(?:\.[0-9a-f-]{36})?$/;

/**
 * Creates a store for `keepToolOutputs` in a folder, which processes on one machine can share. A file is complete or absent,
 * and only the user of the process can read it. Whoever can read the folder can read all outputs.
 *
 * @example
 * ```ts
 * const store = createFileOutputStore({ directory: '/var/lib/app/outputs' });
 * const provider = createKelivoResponsesProvider({ toolLoop: { keepToolOutputs: { store } } });
 * ```
 */
export function createFileOutputStore({
  directory,
  maxAge = 86_400_000,
  maxBytes = 1e9,
}: FileOutputStoreOptions): ToolOutputStore {
  const toPath = (key: string): string => {
    if (!/^[0-9a-f]{64}$/.test(key))
      throw new Error(`Expected a key of 64 hexadecimal digits, got a text of ${key.length} characters.`);
    return `${directory}/${key}.txt`;
  };
  const isExpired = (modifiedAt: number): boolean => modifiedAt + maxAge <= Date.now();
  let cleanedAt = -Infinity;
  /** Bytes that were written since. */
  let written = 0;

  /** Removes outputs that have expired, and the oldest ones if there are too many. */
  async function clean({ readdir, rm, stat }: typeof FileSystem): Promise<void> {
    const now = Date.now();
    if (now - cleanedAt < CLEANING_INTERVAL && written < maxBytes / 10) return;
    [cleanedAt, written] = [now, 0];
    const names = (await readdir(directory)).filter(name => OWN_FILE.test(name));
    const files = await Promise.all(
      names.map(async name => {
        const path = `${directory}/${name}`;
        // Another process may have removed it.
        const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
        return { path, size, mtimeMs };
      }),
    );
    let room = maxBytes;
    for (const { path, size, mtimeMs } of files.toSorted((one, other) => other.mtimeMs - one.mtimeMs)) {
      room -= size;
      if (room < 0 || isExpired(mtimeMs)) await rm(path, { force: true });
    }
  }

  return {
    async put(key, text) {
      const path = toPath(key);
      const bytes = new TextEncoder().encode(text);
      if (bytes.length > maxBytes)
        throw new Error(`It has ${bytes.length} bytes, and \`maxBytes\` of the store is ${maxBytes}.`);
      const files = await importModule<typeof FileSystem>('node:fs/promises');
      const unfinished = `${path}.${crypto.randomUUID()}`;
      await files.mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        await files.writeFile(unfinished, bytes, { flag: 'wx', mode: 0o600 });
        await files.rename(unfinished, path);
      } catch (error) {
        await files.rm(unfinished, { force: true });
        throw error;
      }
      written += bytes.length;
      await clean(files);
    },
    async get(key) {
      const path = toPath(key);
      const { readFile, stat } = await importModule<typeof FileSystem>('node:fs/promises');
      try {
        const { mtimeMs } = await stat(path);
        return isExpired(mtimeMs) ? undefined : await readFile(path, 'utf8');
      } catch (error) {
        if (objectOf(error)?.code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}
