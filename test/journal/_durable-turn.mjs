// Runs one durable turn of three rounds and five calls, and prints its text. Pauses at one point, where the test kills the
// process. It uses the built package, which starts faster than the sources.
import { appendFileSync } from 'node:fs';
import { createClient } from '@redis/client';
import { streamText } from 'ai';
import * as z from 'zod';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { createJournal, createRedisStore, createSqliteStore } from 'kelivo-responses/journal';

const { baseURL, location, log, pauseAt, turnId, onUnknownOutcome } = JSON.parse(process.argv[2] ?? '{}');

function reach(point) {
  if (point !== pauseAt) return;
  appendFileSync(log, `at ${point}\n`);
  // Stops everything, as the end of the process will.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const client = location.startsWith('redis:') ? createClient({ url: location }) : undefined;
await client?.connect();
const store = client === undefined ? createSqliteStore({ path: location }) : createRedisStore({ client });
/** The names of steps end with a digest. */
const nameOf = step => step.replace(/ [0-9a-f]{64}$/, '');
const observed = {
  ...store,
  async write(turn, step, ...rest) {
    reach(`before the record of ${nameOf(step)}`);
    const result = await store.write(turn, step, ...rest);
    reach(`after the record of ${nameOf(step)}`);
    return result;
  },
};

const inputSchema = z.object({ n: z.string() });
const createTool = (name, annotations) => ({
  ...{ description: name, inputSchema, ...annotations },
  execute({ n }, { idempotencyKey }) {
    const call = `${n.split(' ').at(-1)} ${name}`;
    reach(`before the effect of ${call}`);
    appendFileSync(log, `effect ${JSON.stringify({ name, call, idempotencyKey })}\n`);
    reach(`after the effect of ${call}`);
    return `${name} ${n} is done`;
  },
});

const provider = createKelivoResponsesProvider({
  baseURL,
  tools: {
    read: createTool('read', { readOnly: true }),
    note: createTool('note', { idempotent: true }),
    pay: createTool('pay', {}),
  },
  // An early read could start before or after its round is recorded, which would change what the test expects.
  toolLoop: { journal: createJournal({ store: observed, lease: 1000 }), onUnknownOutcome, startEarly: false },
});
const { fullStream, text } = streamText({
  model: provider('gpt-5'),
  prompt: 'Read, note and pay.',
  maxRetries: 0,
  providerOptions: { kelivo: { turnId } },
  onError: ({ error }) => console.error(error),
});
for await (const part of fullStream) {
  if (part.type === 'tool-input-start' || part.type === 'text-start')
    appendFileSync(log, `part ${part.type}\n`);
  if (part.type === 'finish') appendFileSync(log, `finish ${part.finishReason}\n`);
}
console.log(await text);
await provider.close();
await client?.close();
if (client === undefined) await store.close();
