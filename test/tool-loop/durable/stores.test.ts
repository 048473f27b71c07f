import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedisStore, type JournalStore } from '../../../src/tool-loop/durable/index.js';
import { openStore, storeKinds } from './_stores.js';

const lease = 60_000;
const soon = () => Date.now() + 60_000;

describe.each(storeKinds)('a $name store', ({ isAvailable, locate }) => {
  async function open(location?: string): Promise<JournalStore> {
    const { store, close } = await openStore(location ?? (await locate()));
    onTestFinished(close);
    return store;
  }

  it.runIf(isAvailable)('returns a record, and nothing for a step without one', async () => {
    const store = await open();
    await store.claim('t', 'a', { lease });
    expect(await store.read('t', 'round 1')).toBeUndefined();
    const record = JSON.stringify({ text: 'ä😀\u2028"\\', long: 'x'.repeat(100_000) });
    expect(await store.write('t', 'round 1', record, { owner: 'a', expiresAt: soon() })).toBe('written');
    expect(await store.read('t', 'round 1')).toBe(record);
    expect(await store.read('u', 'round 1')).toBeUndefined();
  });

  it.runIf(isAvailable)('keeps the first record of a step', async () => {
    const store = await open();
    await store.claim('t', 'a', { lease });
    await store.write('t', 's', 'first', { owner: 'a', expiresAt: soon() });
    expect(await store.write('t', 's', 'second', { owner: 'a', expiresAt: soon() })).toBe('exists');
    expect(await store.read('t', 's')).toBe('first');
  });

  it.runIf(isAvailable)(
    'lets one of twelve owners claim a turn, and the next one after its release',
    async () => {
      const location = await locate();
      const stores = await Promise.all(Array.from({ length: 12 }, () => open(location)));
      const claims = await Promise.all(
        stores.map((store, index) => store.claim('t', `owner ${index}`, { lease })),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      const winner = claims.indexOf(true);
      const other = (winner + 1) % 12;
      // A release by another owner has no effect.
      await stores[other]?.release('t', `owner ${other}`);
      expect(await stores[other]?.claim('t', `owner ${other}`, { lease })).toBe(false);
      expect(await stores[winner]?.claim('t', `owner ${winner}`, { lease })).toBe(true);
      await stores[winner]?.release('t', `owner ${winner}`);
      expect(await stores[other]?.claim('t', `owner ${other}`, { lease })).toBe(true);
    },
  );

  it.runIf(isAvailable)(
    'accepts no record of an owner whose claim has expired or was taken over',
    async () => {
      const store = await open();
      expect(await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() })).toBe('lost');
      await store.claim('t', 'a', { lease: 20 });
      await expect.poll(() => store.claim('t', 'b', { lease })).toBe(true);
      expect(await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() })).toBe('lost');
      expect(await store.read('t', 's')).toBeUndefined();
      expect(await store.write('t', 's', 'record', { owner: 'b', expiresAt: soon() })).toBe('written');
    },
  );

  it.runIf(isAvailable)('forgets a record when it expires', async () => {
    const store = await open();
    await store.claim('t', 'a', { lease });
    await store.write('t', 's', 'record', { owner: 'a', expiresAt: Date.now() + 50 });
    await expect.poll(() => store.read('t', 's')).toBeUndefined();
    expect(await store.write('t', 's', 'next', { owner: 'a', expiresAt: soon() })).toBe('written');
  });

  it.runIf(isAvailable)('returns the same records in another process', async () => {
    const location = await locate();
    const store = await open(location);
    await store.claim('t', 'a', { lease });
    await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() });
    expect(await (await open(location)).read('t', 's')).toBe('record');
  });
});

const [, redis] = storeKinds;

describe('a Redis store', () => {
  it.runIf(redis?.isAvailable === true)('accepts clients with the method of `ioredis`', async () => {
    const client = createClient({ url: (await redis?.locate()) ?? '' });
    await client.connect();
    onTestFinished(async () => void (await client.close()));
    const call = async (command: string, ...values: string[]): Promise<unknown> =>
      client.sendCommand([command, ...values]);
    const store = createRedisStore({ client: { call }, prefix: 'app:' });
    expect(await store.claim('t', 'a', { lease })).toBe(true);
    expect(await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() })).toBe('written');
    expect(await store.read('t', 's')).toBe('record');
    expect(await client.get('app:{t}:s')).toBe('record');
  });
});
