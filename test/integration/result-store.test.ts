import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { temporaryFolder, until } from '../tools/mcp/_fixture-server.js';
import { inputOf } from './_provider.js';
import { hasRedis, openStore, startRedis } from './_result-stores.js';

const script = fileURLToPath(new URL('_resumable-turn.ts', import.meta.url));

const stores = {
  files: () => temporaryFolder(),
  'Keyv over Redis': async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    return redis.url;
  },
};

if (!hasRedis) {
  process.stderr.write('Skipping the result store tests over Redis: `redis-server` is not on the PATH.\n');
}

describe.each(Object.keys(stores) as (keyof typeof stores)[])('a process with %s', name => {
  const isAvailable = hasRedis || !name.includes('Redis');

  it.runIf(isAvailable)(
    'resumes the turn of a killed process without running finished calls again',
    async () => {
      const emulator = await startEmulator();
      const journal = path.join(await temporaryFolder(), 'journal.txt');
      const location = await stores[name]();
      const pay = { call: 'pay', arguments: { amount: 5 } };
      const start = () => {
        const child = spawn(
          process.execPath,
          ['--import', 'tsx', script, emulator.baseURL, location, journal],
          {
            stdio: ['ignore', 'pipe', 'pipe'],
          },
        );
        onTestFinished(() => void child.kill('SIGKILL'));
        return { child, exit: once(child, 'exit'), output: text(child.stdout), errors: text(child.stderr) };
      };

      emulator.enqueue([pay], { fault: 'headers-never' });
      const first = start();
      await until(() => emulator.requests.length === 2, { within: 15_000 });
      first.child.kill('SIGKILL');
      expect(await first.exit).toEqual([null, 'SIGKILL']);

      emulator.enqueue([pay], [{ text: 'It is paid.' }]);
      const second = start();
      expect(await second.errors).toBe('');
      expect(await second.output).toBe('It is paid.\n');
      expect(await second.exit).toEqual([0, null]);

      expect(await readFile(journal, 'utf8')).toBe('paid 5\n');
      expect(emulator.requests).toHaveLength(4);
      const [firstOutput, secondOutput] = [1, 3].map(index => inputOf(emulator.requests[index]).at(-1));
      expect(secondOutput?.output).toBe(`paid 5 by process ${first.child.pid}`);
      // The model generated the call again, with another id.
      expect(secondOutput?.call_id).not.toBe(firstOutput?.call_id);
    },
  );

  it.runIf(isAvailable)('returns stored values unchanged', async () => {
    const store = openStore(await stores[name]());
    onTestFinished(() => store.close());
    const value = { toolName: 'pay', input: { a: [1, null] }, output: { type: 'json', value: { ä: '😀' } } };
    expect((await store.get('["turn",1]')) ?? undefined).toBeUndefined();
    await store.set('["turn",1]', value);
    expect(await store.get('["turn",1]')).toEqual(value);
  });
});
