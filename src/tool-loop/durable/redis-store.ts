import { fromStoredText, toStoredText as text } from './records.js';
import type { JournalStore, StoredTurn, TurnEntry, TurnIndex, TurnQuery } from './store.js';

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

/** A journal store in Redis. */
export interface RedisStore extends JournalStore {
  readonly turns: TurnIndex;
}

/**
 * Creates a journal store in Redis 6.2 or later, or Valkey, for processes on any number of machines. Times are those of the
 * server. Redis may lose acknowledged writes in a failover, and without `appendfsync always` in a crash. A call could then
 * run again.
 */
export function createRedisStore({ client, prefix = 'kelivo:' }: RedisStoreOptions): RedisStore {
  const commands = createCommands(client);
  const { run } = commands;
  const index = createIndex(commands, prefix);
  // A cluster keeps the keys of one turn on one node, because of the braces.
  const keysOf = (turn: string): string[] =>
    ['claim', 'records', 'entry'].map(name => `${prefix}{${text(turn)}}/${name}`);
  const fieldsOf = (entry: TurnEntry) => [entry.turnId, entry.scope, entry.state, entry.details];

  async function get(turn: string, startedAt?: number): Promise<StoredTurn | undefined> {
    const [claim, , entry] = keysOf(turn);
    const row = (await run(GET, [claim ?? '', entry ?? ''])) as unknown[] | null;
    if (row === null) return undefined;
    const [turnId = '', scope = '', state, details = '', started, updated, expires, owner, until] =
      row.map(String);
    return {
      turn,
      turnId: fromStoredText(turnId),
      scope: fromStoredText(scope),
      state: state as StoredTurn['state'],
      details: fromStoredText(details),
      startedAt: startedAt ?? Number(started),
      updatedAt: Number(updated),
      expiresAt: Number(expires),
      ...(owner !== undefined && { claim: { owner: fromStoredText(owner), until: Number(until) } }),
    };
  }

  async function* listTurns(query: TurnQuery): AsyncGenerator<StoredTurn> {
    let last = query.after && { startedAt: query.after.startedAt, turn: text(query.after.turn) };
    for (let count = PAGE; ;) {
      const rows = await index.page(query.scope, last?.startedAt ?? Infinity, count);
      const { startedAt: end, turn: endTurn } = last ?? { startedAt: Infinity, turn: '' };
      const next = rows.filter(row => row.startedAt < end || (row.startedAt === end && row.turn < endTurn));
      for (const turn of await Promise.all(next.map(row => get(fromStoredText(row.turn), row.startedAt))))
        if (turn !== undefined) yield turn;
      if (rows.length < count) return;
      last = next.at(-1) ?? last;
      // More turns than a page began in one millisecond.
      count = next.length === 0 ? 2 * count : PAGE;
    }
  }

  return {
    async read(turn, step) {
      const [, records] = keysOf(turn);
      const record = await run("return redis.call('hget', KEYS[1], ARGV[1])", [records ?? ''], step);
      return record === null || record === undefined ? undefined : fromStoredText(String(record));
    },
    async write(turn, step, record, options) {
      // The clock of this process may be wrong, but the time that is left is right.
      const left = Math.floor(options.expiresAt - Date.now());
      const now =
        options.entry !== undefined && options.begins ? await index.add(turn, options.entry, left) : '';
      const facts = options.entry === undefined ? [] : [now, ...fieldsOf(options.entry)];
      const result = await run(WRITE, keysOf(turn), options.owner, step, record, left, ...facts);
      return result === 'written' || result === 'exists' || result === 'lost' ? result : fail(result);
    },
    async claim(turn, owner, options) {
      const [claim] = keysOf(turn);
      return (
        Number(
          await run(CLAIM, [claim ?? ''], owner, Math.ceil(options.lease), options.renews ? 'renew' : ''),
        ) === 1
      );
    },
    async release(turn, owner, end) {
      const facts = end === undefined ? [] : [Math.floor(end.expiresAt - Date.now()), ...fieldsOf(end.entry)];
      await run(RELEASE, keysOf(turn), owner, ...facts);
    },
    turns: {
      get,
      async list(query) {
        const turns: StoredTurn[] = [];
        for await (const turn of listTurns(query)) {
          if (query.states?.includes(turn.state) === false) continue;
          if (query.isClaimed !== undefined && query.isClaimed !== (turn.claim !== undefined)) continue;
          if (turns.push(turn) >= query.limit) break;
        }
        return turns;
      },
      async records(turn) {
        const [, records = ''] = keysOf(turn);
        const rows = toPairs(await run("return redis.call('hgetall', KEYS[1])", [records]));
        return rows.map(([step, record]) => ({ step: fromStoredText(step), record: fromStoredText(record) }));
      },
      async change(turn, { from, to, claim }) {
        const known = claim === undefined || claim === 'break' ? ['', 0] : [claim.owner, claim.until];
        const isBroken = claim === 'break' ? 'break' : '';
        return Number(await run(CHANGE, keysOf(turn), to, isBroken, ...known, ...from)) === 1;
      },
      async delete(turn, options) {
        const scope = await run(DELETE, keysOf(turn), options.breaksClaim ? 'break' : '');
        if (scope === null) return false;
        await index.remove(turn, fromStoredText(String(scope)));
        return true;
      },
      async prune(options) {
        let pruned = 0;
        for (const { turn, scope } of await index.due(options.limit)) {
          const kept = await get(turn);
          if (kept === undefined) {
            await index.remove(turn, scope);
            pruned++;
          } else await index.keep(turn, scope, kept.expiresAt);
        }
        return pruned;
      },
    },
  };
}

/** Lists the turns by their start and by the end of their time. Some may have ended: their entries decide. */
function createIndex({ send, run }: ReturnType<typeof createCommands>, prefix: string) {
  const listKey = (scope: string | undefined): string =>
    `${prefix}{#index}/${scope === undefined ? 'all' : `scope ${text(scope)}`}`;
  const dueKey = `${prefix}{#index}/due`;
  const keysOf = (scope: string): string[] => [listKey(undefined), listKey(scope), dueKey];
  const toMember = (turn: string, scope: string): string => JSON.stringify([turn, scope]);

  return {
    /** Adds a turn before it has an entry. Returns the time of the server. */
    add: async (turn: string, entry: TurnEntry, left: number): Promise<number> =>
      Number(await run(INDEX, keysOf(entry.scope), turn, toMember(turn, entry.scope), left)),
    remove: (turn: string, scope: string) => run(UNLIST, keysOf(scope), turn, toMember(turn, scope)),
    /** Returns a page of the index from a time on, the newest first. */
    async page(scope: string | undefined, from: number, count: number) {
      const command = ['ZREVRANGEBYSCORE', listKey(scope), String(from), '-inf', 'WITHSCORES', 'LIMIT', '0'];
      const rows = toPairs(await send(...command, String(count)));
      return rows.map(([turn, startedAt]) => ({ turn, startedAt: Number(startedAt) }));
    },
    /** Returns turns whose time has ended unless it was extended. */
    async due(limit: number): Promise<{ turn: string; scope: string }[]> {
      const command = 'return redis.call("zrangebyscore", KEYS[1], "-inf", NOW, "limit", 0, ARGV[1])';
      return ((await run(TIME + command, [dueKey], limit)) as unknown[]).map(member => {
        const [turn = '', scope = ''] = JSON.parse(fromStoredText(String(member))) as string[];
        return { turn, scope };
      });
    },
    keep: (turn: string, scope: string, until: number) =>
      send('ZADD', dueKey, String(until), text(toMember(turn, scope))),
  };
}

function createCommands(client: RedisClient) {
  const send = async (...command: string[]): Promise<unknown> => {
    const [name = '', ...values] = command;
    return 'call' in client ? client.call(name, ...values) : client.sendCommand(command);
  };
  return {
    send,
    run: (script: string, keys: readonly string[], ...values: (string | number)[]) =>
      send('EVAL', script, String(keys.length), ...keys, ...values.map(value => text(String(value)))),
  };
}

/**
 * Redis returns the fields of a hash, and members with scores, as one list. With RESP3, the default of `redis` 6, members with
 * scores are pairs.
 */
function toPairs(list: unknown): [string, string][] {
  const values = (list as unknown[]).flat().map(String);
  return values.flatMap((value, at) => (at % 2 === 0 ? [[value, values[at + 1] ?? '']] : []));
}

/** Number of turns that are read together. */
const PAGE = 200;

function fail(result: unknown): never {
  throw new Error(
    `Expected the Redis script to return "written", "exists" or "lost", got ${String(result)}.`,
  );
}

/** `NOW` is the time of the server in milliseconds. */
const TIME = `
local time = redis.call('time')
local NOW = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Writes the entry `fields` in KEYS[3], and keeps it for `left` milliseconds. */
const PUT_ENTRY = `
local function put(left, first)
  redis.call('hset', KEYS[3], 'turnId', ARGV[first], 'scope', ARGV[first + 1], 'state', ARGV[first + 2],
    'details', ARGV[first + 3], 'updatedAt', NOW, 'expiresAt', NOW + left)
  redis.call('pexpire', KEYS[3], left)
end
`;

const WRITE = `${TIME}${PUT_ENTRY}
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 'lost' end
local left = tonumber(ARGV[4])
if ARGV[5] then
  local state = redis.call('hget', KEYS[3], 'state')
  if state == 'cancelled' or (not state and ARGV[5] == '') then return 'lost' end
  put(left, 6)
  if not state then redis.call('hset', KEYS[3], 'startedAt', ARGV[5]) end
end
if redis.call('hsetnx', KEYS[2], ARGV[2], ARGV[3]) == 0 then return 'exists' end
if redis.call('pttl', KEYS[2]) < left then redis.call('pexpire', KEYS[2], left) end
return 'written'`;

const CLAIM = `
local owner = redis.call('get', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
if not owner and ARGV[3] == 'renew' then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `${TIME}${PUT_ENTRY}
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
local state = redis.call('hget', KEYS[3], 'state')
if ARGV[2] and state and state ~= 'cancelled' then
  put(tonumber(ARGV[2]), 3)
  redis.call('pexpire', KEYS[2], ARGV[2])
end
redis.call('del', KEYS[1])
return 1`;

const INDEX = `${TIME}
redis.call('zadd', KEYS[1], NOW, ARGV[1])
redis.call('zadd', KEYS[2], NOW, ARGV[1])
redis.call('zadd', KEYS[3], NOW + tonumber(ARGV[3]), ARGV[2])
return NOW`;

const UNLIST = `
redis.call('zrem', KEYS[1], ARGV[1])
redis.call('zrem', KEYS[2], ARGV[1])
redis.call('zrem', KEYS[3], ARGV[2])
return 1`;

const GET = `${TIME}
local entry = redis.call('hmget', KEYS[2], 'turnId', 'scope', 'state', 'details', 'startedAt', 'updatedAt', 'expiresAt')
if not entry[3] then return nil end
local owner = redis.call('get', KEYS[1])
if owner then
  entry[8] = owner
  entry[9] = NOW + redis.call('pttl', KEYS[1])
end
return entry`;

/** The end of a claim is computed, so that it varies by milliseconds. A renewal adds more. */
const CHANGE = `${TIME}
local state = redis.call('hget', KEYS[3], 'state')
local isOneOf = false
for index = 5, #ARGV do if ARGV[index] == state then isOneOf = true end end
if not isOneOf then return 0 end
local owner = redis.call('get', KEYS[1])
if owner and ARGV[2] ~= 'break' then
  local difference = NOW + redis.call('pttl', KEYS[1]) - tonumber(ARGV[4])
  if owner ~= ARGV[3] or math.abs(difference) > 50 then return 0 end
end
redis.call('hset', KEYS[3], 'state', ARGV[1], 'updatedAt', NOW)
redis.call('del', KEYS[1])
return 1`;

/** Returns the scope of the turn, and nothing if it is claimed. */
const DELETE = `
if redis.call('exists', KEYS[1]) == 1 and ARGV[1] ~= 'break' then return nil end
local scope = redis.call('hget', KEYS[3], 'scope')
redis.call('del', KEYS[1], KEYS[2], KEYS[3])
return scope or ''`;
