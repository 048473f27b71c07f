import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createFileOutputStore } from '../../../src/tool-loop/durable/index.js';
import { dyingAt, createApplication, openStore, outputsOf } from '../durable/_application.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { call, callRound, exchangeOf, textRound } from '../_scripted-model.js';

const key = (index: number): string => String(index).padStart(64, '0');
const owner = { scope: 'ada' };

/** Creates a store in a folder that does not exist, and makes its files older. */
async function createStore(options: Omit<Parameters<typeof createFileOutputStore>[0], 'directory'> = {}) {
  const directory = path.join(await temporaryFolder(), 'outputs');
  const open = () => createFileOutputStore({ directory, ...options });
  const fileOf = (index: number): string => path.join(directory, `${key(index)}.txt`);
  const age = (index: number, milliseconds: number) => {
    const then = new Date(Date.now() - milliseconds);
    return utimes(fileOf(index), then, then);
  };
  return { directory, open, fileOf, age, list: () => readdir(directory) };
}

describe('a store of outputs in a folder', () => {
  it('returns what another process has kept, and nothing for other keys', async () => {
    const { open } = await createStore();
    expect(await open().get(key(1))).toBeUndefined();
    await open().put(key(1), 'grüße\r\n😀\0', owner);
    expect(await open().get(key(1))).toBe('grüße\r\n😀\0');
    expect(await open().get(key(2))).toBeUndefined();
  });

  // Windows has no such modes.
  it.skipIf(process.platform === 'win32')('gives its files to nobody else', async () => {
    const { directory, open, fileOf } = await createStore();
    await open().put(key(1), 'secret', owner);
    const modes = await Promise.all(
      [directory, fileOf(1)].map(async name => (await stat(name)).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it.each([
    '../../etc/passwd',
    '',
    `${key(1)}/../x`,
    `${key(1)}\n`,
    key(1).toUpperCase().replace('0', 'A'),
    '..',
  ])('refuses the key %j', async wrong => {
    const { open } = await createStore();
    await expect(open().put(wrong, 'x', owner)).rejects.toThrow('Expected a key of 64 hexadecimal digits');
    await expect(open().get(wrong)).rejects.toThrow('Expected a key of 64 hexadecimal digits');
  });

  it('writes a file completely or not at all, also if many are written at once', async () => {
    const { open, list } = await createStore();
    const store = open();
    const texts = Array.from({ length: 30 }, (_, index) => String(index).repeat(100_000));
    const reads: (string | undefined)[] = [];
    await Promise.all(
      texts.map(async text => {
        await store.put(key(1), text, owner);
        reads.push(await store.get(key(1)));
      }),
    );
    for (const text of reads) expect(texts).toContain(text);
    expect(await list()).toEqual([`${key(1)}.txt`]);
  });

  it('forgets what has expired, and removes it and what was never finished', async () => {
    const { directory, open, age, list } = await createStore({ maxAge: 60_000 });
    await open().put(key(1), 'old', owner);
    await age(1, 59_000);
    expect(await open().get(key(1))).toBe('old');
    await age(1, 61_000);
    expect(await open().get(key(1))).toBeUndefined();
    const unfinished = `${key(3)}.txt.${crypto.randomUUID()}`;
    for (const name of [unfinished, 'notes.txt']) {
      await writeFile(path.join(directory, name), 'x');
      await utimes(path.join(directory, name), new Date(0), new Date(0));
    }
    await open().put(key(2), 'new', owner);
    // The file of somebody else stays.
    expect((await list()).toSorted()).toEqual([`${key(2)}.txt`, 'notes.txt']);
  });

  it('keeps about as many bytes as it may, the newest ones', async () => {
    const { open, age } = await createStore({ maxBytes: 1000 });
    const store = open();
    for (let index = 1; index <= 20; index++) {
      await store.put(key(index), 'x'.repeat(200), owner);
      await age(index, 60_000 - index * 1000);
    }
    const kept = await Promise.all(Array.from({ length: 20 }, (_, index) => store.get(key(index + 1))));
    expect(kept.filter(text => text !== undefined)).toHaveLength(5);
    expect(kept.slice(15).every(text => text !== undefined)).toBe(true);
    await expect(store.put(key(30), 'ж'.repeat(501), owner)).rejects.toThrow(
      'It has 1002 bytes, and `maxBytes` of the store is 1000.',
    );
  });

  it('reports a folder that it cannot write to', async () => {
    const { directory, open } = await createStore();
    await writeFile(directory, 'a file');
    await expect(open().put(key(1), 'x', owner)).rejects.toThrow();
    await expect(open().get(key(1))).rejects.toThrow(/ENOTDIR/);
    expect(await readFile(directory, 'utf8')).toBe('a file');
  });
});

describe('a turn whose process died after a long output', () => {
  const log = 'x'.repeat(50_000) + 'the needle' + 'y'.repeat(100_000);
  const rounds = () => [callRound(call('a', 'read_log', {}))];
  const readIt = () => callRound(call('b', 'read_tool_output', { id: ids.at(-1), find: 'needle' }));
  const ids: string[] = [];

  it.each([
    { memory: 'a folder', isShared: true, expected: /At character \d+ in line 1: x+the needley+/ },
    // The memory of another process does not have it.
    { memory: 'the memory of the process', isShared: false, expected: /^There is no output with this id/ },
  ])('is continued with $memory', async ({ isShared, expected }) => {
    const journalStore = await openStore();
    const { directory } = await createStore();
    const { attempt } = createApplication();
    const read = vi.fn(() => log);
    const texts = new Map<string, string>();
    const createOutputs = () =>
      isShared
        ? createFileOutputStore({ directory })
        : {
            put: async (name: string, text: string) => void texts.set(name, text),
            get: async () => undefined,
          };
    const dying = dyingAt(journalStore, 'round 2');
    attempt({
      store: dying.store,
      rounds: [...rounds(), textRound('Lost.')],
      tools: { read_log: read },
      keepToolOutputs: { store: createOutputs() },
      own: { scope: 'ada' },
    });
    await dying.died;
    const { model, running } = attempt({
      store: journalStore,
      tools: { read_log: read },
      keepToolOutputs: { store: createOutputs() },
      own: { scope: 'ada' },
      rounds: [
        ({ prompt }) => {
          ids.push(/out_[0-9a-f]{32}/.exec(JSON.stringify(prompt))?.[0] ?? 'none');
          return readIt();
        },
        textRound('Done.'),
      ],
    });
    const parts = await running;
    expect(read).toHaveBeenCalledTimes(1);
    expect(outputsOf(parts)).toHaveLength(2);
    expect(exchangeOf(model.requests.at(-1)).outputs.at(-1)?.[1]).toMatch(expected);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain('read_tool_output');
  });
});
