// Runs durable turns at the same time and reports their texts. Waits at the points at which the test kills the process.
// It uses the built package, which starts faster than the sources.
import { fileURLToPath } from 'node:url';
import { createJournal, createRedisStore, createSqliteStore } from 'kelivo-responses/journal';

const { url, location, client, host, turns } = JSON.parse(process.argv[2] ?? '{}');

/** The hosts, and the entries of the package for their majors. */
const hosts = {
  ai: ['ai', 'kelivo-responses'],
  ai6: ['ai6', 'kelivo-responses/v3'],
  ai7: ['ai7', 'kelivo-responses/v4'],
};
const [{ streamText }, { createKelivoResponsesProvider }] = await Promise.all(
  hosts[host].map(name => import(name)),
);

async function openStore() {
  if (client === 'sqlite') return createSqliteStore({ path: location });
  if (client === 'ioredis') {
    const { Redis } = await import('ioredis');
    const redis = new Redis(location);
    return { ...createRedisStore({ client: redis }), close: async () => redis.disconnect() };
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
  open({ turnId, key }, options) {
    const observed = {
      ...store,
      async write(turn, step, ...rest) {
        await report('reach', { turn: turnId, point: `before the record of ${nameOf(step)}` });
        const result = await store.write(turn, step, ...rest);
        await report('reach', { turn: turnId, point: `after the record of ${nameOf(step)}` });
        return result;
      },
    };
    // Reaching a point may take longer than a timeout for a store.
    return createJournal({ store: observed, lease: 2000, timeout: 120_000 }).open({ turnId, key }, options);
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
const providers = { refuse: createProvider('refuse'), run: createProvider('run') };

await Promise.all(
  turns.map(async ({ id, policy = 'refuse' }) => {
    const { text } = streamText({
      model: providers[policy]('gpt-5'),
      prompt: id,
      maxRetries: 0,
      providerOptions: { kelivo: { turnId: id } },
      onError: ({ error }) => console.error(error),
    });
    await report('text', { turn: id, text: await text });
  }),
);
await Promise.all([providers.refuse.close(), providers.run.close()]);
await store.close();
