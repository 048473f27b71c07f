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
/** The names of steps end with a digest. */
const nameOf = step => step.replace(/ [0-9a-f]{64}$/, '');
const journal = {
  open(turn, options) {
    const observed = {
      ...store,
      async write(key, step, ...rest) {
        await report('reach', { turn: turn.turnId, point: `before the record of ${nameOf(step)}` });
        const result = await store.write(key, step, ...rest);
        // A busy machine may renew a claim too late.
        if (result === 'lost') await report('lost', { turn: turn.turnId, step: nameOf(step) });
        await report('reach', { turn: turn.turnId, point: `after the record of ${nameOf(step)}` });
        return result;
      },
    };
    // Reaching a point may take longer than a timeout for a store.
    return createJournal({
      ...{ store: observed, lease, timeout: 120_000 },
      ...(clock === 'volatile' && { volatile: /It is now .*/ }),
    }).open(turn, options);
  },
};

const createProvider = onUnknownOutcome =>
  createKelivoResponsesProvider({
    baseURL: `${url}/v1`,
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
      approve: async ({ turnId }) => (await report('ask', { turn: turnId })).ok,
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
      ...(form === 'provider'
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
await store.close();
