import { performance } from 'node:perf_hooks';
// Runs durable turns at the same time and reports their texts. Waits at the points at which the test kills the process.
// It uses the built package, which starts faster than the sources.
import { fileURLToPath } from 'node:url';
import {
  createJournal,
  createPostgresStore,
  createRedisStore,
  createSqliteStore,
} from 'kelivo-responses/journal';
import { createMcpConnectionPool } from 'kelivo-responses/mcp';

const task = JSON.parse(process.argv[2] ?? '{}');
const { url, location, client, host, mode = 'stream', clock, form, lease = 2000, turns } = task;

/** The hosts, and the entries of the package for their majors. */
const hosts = {
  ai: ['ai', 'kelivo-responses'],
  ai6: ['ai6', 'kelivo-responses/v3'],
  ai7: ['ai7', 'kelivo-responses/v4'],
};
const [{ generateText, streamText }, { createKelivoResponsesProvider }] = await Promise.all(
  hosts[host].map(name => import(name)),
);

async function openStore() {
  if (client === 'sqlite') return createSqliteStore({ path: location });
  if (client === 'ioredis') {
    const { Redis } = await import('ioredis');
    const redis = new Redis(location);
    return { ...createRedisStore({ client: redis }), close: async () => redis.disconnect() };
  }
  if (client === 'pg') {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: location });
    return { ...createPostgresStore({ pool }), close: () => pool.end() };
  }
  const { createClient } = await import('@redis/client');
  const redis = createClient({ url: location });
  await redis.connect();
  return { ...createRedisStore({ client: redis }), close: () => redis.close() };
}

const report = (path, body) => fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) });

const store = await openStore();
/** The tools of each round, in the order of the calls. */
const CALLED = [['find_trains', 'hold_seat'], ['book_seat', 'find_trains', 'hold_seat'], []];

/** Returns a function that names the steps of a turn, which end with a digest, by the rounds of a turn that is one step. */
function createNames() {
  let round = 1;
  return step => {
    const name = step.replace(/ [0-9a-f]{64}$/, '');
    if (form !== 'host') return name;
    // Each step of the host has a conversation of its own, whose first round it is.
    const [, conversation] = /^conversation (\d+)$/.exec(name) ?? [];
    if (conversation !== undefined) round = Number(conversation) + 1;
    const toPosition = (_, tool) => `${round}.${CALLED[round - 1].indexOf(tool) + 1} ${tool}`;
    return name.replace(/^round 1$/, `round ${round}`).replace(/host\.1 (\w+)$/, toPosition);
  };
}

const names = new Map();

/** Returns a store that reports the records of a turn, and waits where the test kills the process. */
function observe(turnId) {
  const nameOf = names.get(turnId) ?? createNames();
  names.set(turnId, nameOf);
  return {
    ...store,
    async write(key, step, ...rest) {
      const name = nameOf(step);
      await report('reach', { turn: turnId, point: `before the record of ${name}` });
      const result = await store.write(key, step, ...rest);
      // A busy machine may renew a claim too late.
      if (result === 'lost') await report('lost', { turn: turnId, step: name });
      await report('reach', { turn: turnId, point: `after the record of ${name}` });
      return result;
    },
  };
}

const journalOf = turnId =>
  // Reaching a point may take longer than a timeout for a store.
  createJournal({
    ...{ store: observe(turnId), lease, timeout: 120_000 },
    ...(clock === 'volatile' && { volatile: /It is now .*/ }),
  });

const journal = {
  open: (turn, options) => journalOf(turn.turnId).open(turn, options),
  tools: (tools, options) => journalOf(options.turnId).tools(tools, options),
};

/** Returns the prompt of a conversation, which is the id of its turn. */
function promptOf([{ content }]) {
  return typeof content === 'string' ? content : content[0].text;
}

/** The providers share one MCP server, because starting one takes as long as all turns. */
const pool = createMcpConnectionPool();
const createProvider = onUnknownOutcome =>
  createKelivoResponsesProvider({
    baseURL: `${url}/v1`,
    mcp: { pool },
    mcpServers: {
      trains: {
        command: process.execPath,
        args: [
          fileURLToPath(new URL('../../../playground/recipes/shared/train-server.mjs', import.meta.url)),
        ],
        env: { TRAIN_API: `${url}/trains` },
        trustAnnotations: true,
      },
    },
    toolLoop: {
      ...{ journal, onUnknownOutcome, approvals: 'destructive' },
      // A call that the host runs belongs to no turn of the loop, so its prompt names the turn.
      approve: async ({ turnId, messages }) =>
        (await report('ask', { turn: form === 'host' ? promptOf(messages) : turnId })).ok,
    },
  });
const policies = ['refuse', 'ask', 'run'];
const providers = Object.fromEntries(policies.map(policy => [policy, createProvider(policy)]));

await Promise.all(
  turns.map(async ({ id, policy = 'refuse' }) => {
    const options = {
      model: providers[policy]('gpt-5'),
      prompt: id,
      ...(clock !== undefined && { system: `Be kind. It is now ${performance.timeOrigin}.` }),
      maxRetries: 0,
      ...(form !== undefined
        ? await providers[policy].agentSettings({ runBy: form, turnId: id })
        : { providerOptions: { kelivo: { turnId: id } } }),
    };
    let failure;
    const onError = ({ error }) => void (failure ??= error);
    const text = await (
      mode === 'stream' ? streamText({ ...options, onError }).text : generateText(options)
    ).then(
      result => result.text ?? result,
      error => onError({ error }),
    );
    if (failure !== undefined && failure.code !== 'turn-changed') console.error(failure);
    await report('text', { turn: id, text: failure?.code ?? text });
  }),
);
await Promise.all(Object.values(providers).map(provider => provider.close()));
await pool.close();
await store.close();
