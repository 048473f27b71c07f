import type { JournalStore } from './store.js';

/** A Redis client: `redis` (node-redis) or `ioredis`. */
export type RedisClient =
  | {
      /** Sends a command, as clients of `redis` do. */
      sendCommand(command: string[]): Promise<unknown>;
    }
  | {
      /** Sends a command, as clients of `ioredis` do. */
      call(command: string, ...values: string[]): Promise<unknown>;
    };

/** Options of a Redis store. */
export interface RedisStoreOptions {
  /** A connected client of `redis` 4 or later, or of `ioredis` 5 or later. The application closes it. */
  client: RedisClient;
  /**
   * Prefix of the keys.
   * @default 'kelivo:'
   */
  prefix?: string;
}

/**
 * Creates a journal store in Redis 6.2 or later, or Valkey, for processes on any number of machines. Redis may lose
 * acknowledged writes in a failover, and without `appendfsync always` in a crash. A call could then run again.
 */
export function createRedisStore({ client, prefix = 'kelivo:' }: RedisStoreOptions): JournalStore {
  const send = async (...command: string[]): Promise<unknown> => {
    const [name = '', ...values] = command;
    return 'call' in client ? client.call(name, ...values) : client.sendCommand(command);
  };
  // A cluster keeps the keys of one turn on one node, because of the braces.
  const claimKey = (turn: string): string => `${prefix}{${turn}}:claim`;
  const recordKey = (turn: string, step: string): string => `${prefix}{${turn}}:${step}`;

  return {
    async read(turn, step) {
      const record = await send('GET', recordKey(turn, step));
      return record === null || record === undefined ? undefined : String(record);
    },
    async write(turn, step, record, { owner, expiresAt }) {
      const keys = [claimKey(turn), recordKey(turn, step)];
      const result = await send('EVAL', WRITE, '2', ...keys, owner, record, String(Math.floor(expiresAt)));
      return result === 'written' || result === 'exists' || result === 'lost' ? result : fail(result);
    },
    async claim(turn, owner, { lease }) {
      const result = await send('EVAL', CLAIM, '1', claimKey(turn), owner, String(Math.ceil(lease)));
      return Number(result) === 1;
    },
    async release(turn, owner) {
      await send('EVAL', RELEASE, '1', claimKey(turn), owner);
    },
  };
}

function fail(result: unknown): never {
  throw new Error(
    `Expected the Redis script to return "written", "exists" or "lost", got ${String(result)}.`,
  );
}

const WRITE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 'lost' end
if redis.call('set', KEYS[2], ARGV[2], 'NX', 'PXAT', ARGV[3]) then return 'written' end
return 'exists'`;

const CLAIM = `
local owner = redis.call('get', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
return 1`;
