import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, it } from 'vitest';
import * as v2 from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { skipHostDelays } from '../_host-delays.js';
import { everyNth, isWhole } from '../_products.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import {
  createExecutions,
  cutOnce,
  cuts,
  endings,
  eventsOf,
  roundOf,
  toPayingSettings,
} from './_cut-rounds.js';

interface Case {
  readonly host: string;
  readonly ai: typeof ai5;
  readonly entry: typeof v2;
  readonly options?: object;
  readonly retry?: object;
  /** True if the host repeats turns itself. */
  readonly isRepeated?: boolean;
}

const retryOnError = { streamRetries: 0, onError: () => ({ retry: true }) };

const hosts = [
  { host: 'ai 5', ai: ai5, entry: v2 },
  { host: 'ai 6', ai: ai6, entry: v3 },
  { host: 'ai 7', ai: ai7, entry: v4 },
  { host: 'ai 7 with streamRetries', ai: ai7, entry: v4, options: { streamRetries: 2 }, isRepeated: true },
  { host: 'ai 7 with onError', ai: ai7, entry: v4, options: retryOnError, isRepeated: true },
  {
    host: 'ai 7 with streamRetries and no retries of rounds',
    ai: ai7,
    entry: v4,
    options: { streamRetries: 2 },
    retry: { streamRetries: false, maxRetries: false },
    isRepeated: true,
  },
  {
    host: 'ai 7 with onError and no retries of rounds',
    ai: ai7,
    entry: v4,
    options: retryOnError,
    retry: { streamRetries: 0 },
    isRepeated: true,
  },
] as unknown as readonly Case[];

skipHostDelays();

const inputSchema = ai5.jsonSchema({ type: 'object', properties: {} });

async function run(
  { ai, entry, options = {}, retry = {} }: Case,
  [round, cut]: readonly [number, number],
  ending: readonly object[],
) {
  const isCut = cutOnce(round);
  const { url, requests } = await serve((response, { body }) => {
    const requested = roundOf(body);
    const events = eventsOf(requested);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(toSse((isCut(requested) ? [...events.slice(0, cut), ...ending] : events) as never));
  });
  const executions = createExecutions();
  const provider = entry.createKelivoResponsesProvider({
    ...toPayingSettings(url, executions),
    toolLoop: { retry: { initialDelay: 0, ...retry } },
  });
  const errors: unknown[] = [];
  const result = ai.streamText({
    model: provider('gpt-5'),
    prompt: 'Pay twice.',
    // Identifies the call: a host passes the same object when it repeats a turn.
    abortSignal: new AbortController().signal,
    maxRetries: 2,
    stopWhen: ai.stepCountIs(5),
    tools: { ask: ai.tool({ inputSchema, execute: async () => executions.run('ask') }) },
    onError: ({ error }) => void errors.push(error),
    ...options,
  });
  await result.consumeStream();
  const text = await Promise.resolve(result.text).catch(() => undefined);
  const usage = await Promise.resolve(result.totalUsage).catch(() => undefined);
  return { text, usage, errors, executions, requests };
}

/** Each host with each cut, whose endings take turns. The products have all endings for one host. */
const rows = hosts.flatMap(host =>
  cuts.flatMap((cut, turn) =>
    Object.keys(endings)
      .filter((_, index, { length }) => index === turn % length || (isWhole && host.host === 'ai 7'))
      .map(ending => ({ host: host.host, ending, cut, of: host })),
  ),
);

it.each(everyNth(rows, 5))(
  'runs each paid call once: $host, a response that ends with $ending after $cut (round, event)',
  async ({ ending, cut: [round, cut], of: host }) => {
    const { text, usage, errors, executions, requests } = await run(
      host,
      [round, cut],
      endings[ending] ?? [],
    );
    expect(executions.count('ask')).toBeLessThanOrEqual(1);
    expect(executions.count('look')).toBeLessThanOrEqual(2);
    expect(executions.count('pay')).toBe(2);
    // The host may have run its call, so that only the host can repeat the round.
    const isOfHost = round === 2 && cut >= 5;
    if (isOfHost && host.isRepeated !== true) {
      expect(errors).toMatchObject([{ isRetryable: false }]);
      return;
    }
    // A host reports the errors that it repeats.
    if (host.isRepeated !== true) expect(errors).toEqual([]);
    expect(text).toMatch(/All is paid\.$/);
    expect(executions.count('ask')).toBe(1);
    expect(requests).toHaveLength(5);
    // The usage of the four responses that count.
    expect(usage?.totalTokens).toBe(60);
  },
);
