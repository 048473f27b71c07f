import * as ai5 from 'ai';
import { describe, expect, it } from 'vitest';
import type * as v2 from '../../../src/index.js';
import { costOf, type ModelPrice, type Prices } from '../../../src/tool-loop/context/prices.js';
import { toUsage } from '../../../src/core/finish.js';
import type { ToolLoopEvent } from '../../../src/tool-loop/turn/turn-reports.js';
import { PRICES } from '../../../src/models/index.js';
import { serve } from '../../_server.js';
import { toSse } from '../../_sse.js';
import { eventsOf } from '../_cut-rounds.js';
import { majors } from '../_hosts.js';

const inputSchema = ai5.jsonSchema({ type: 'object', properties: {} });

interface Response {
  readonly usage?: object;
  readonly tier?: string;
  readonly model?: string;
}

/** Serves a turn of rounds that each call a tool, until a request forbids calls or contains no more scripted usage. */
async function serveRounds(responses: readonly Response[], { isUnlimited = false } = {}) {
  let count = 0;
  return serve((response, { body }) => {
    const { usage, tier, model } = responses[Math.min(count, responses.length - 1)] ?? {};
    count++;
    const isLast = body.tool_choice === 'none' || (!isUnlimited && count >= responses.length);
    const events = eventsOf(isLast ? 3 : 1).map(event => {
      const text = JSON.stringify(event).replaceAll('call_pay_again', `call_${count}`);
      const copy = JSON.parse(text.replaceAll('fc_pay_again', `fc_${count}`)) as typeof event;
      if (copy.type !== 'response.completed') return copy;
      return { ...copy, response: { ...(copy.response as object), usage, service_tier: tier, model } };
    });
    if (body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(toSse(events as never));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify((events.at(-1) as { response?: object }).response));
    }
  });
}

interface RunOptions {
  readonly toolLoop?: object;
  readonly options?: Record<string, number>;
  readonly isStream?: boolean;
}

async function run(
  url: string,
  [, ai, entry]: (typeof majors)[number],
  { toolLoop = {}, options = {}, isStream = true }: RunOptions,
) {
  const events: ToolLoopEvent[] = [];
  let executions = 0;
  const provider = entry.createKelivoResponsesProvider({
    baseURL: url,
    apiKey: 'k',
    tools: { pay: { inputSchema, execute: () => `paid ${++executions}` } },
    toolLoop: { onEvent: event => events.push(event), maxRepeatedCalls: false, ...toolLoop },
  });
  const call = {
    model: provider('gpt-test'),
    prompt: 'Pay.',
    maxRetries: 0,
    providerOptions: { kelivo: options },
  };
  const result = isStream ? ai.streamText({ ...call, onError() {} }) : await ai.generateText(call);
  const [text, metadata, warnings] = [
    await result.text,
    await result.providerMetadata,
    await result.warnings,
  ];
  await provider.close();
  return {
    text,
    events,
    executions,
    warnings: JSON.stringify(warnings ?? []),
    metadata: metadata?.kelivo as unknown as v2.KelivoProviderMetadata,
  };
}

/** Dollars per million tokens: input, cached, written, output. */
const price = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 10 };
const prices: Prices = {
  'gpt-test': { ...price, tiers: { priority: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 20 } } },
};
const plain = { input_tokens: 5000, output_tokens: 200, input_tokens_details: { cached_tokens: 1000 } };
const written = {
  input_tokens: 10_000,
  output_tokens: 1000,
  input_tokens_details: { cached_tokens: 4000, cache_write_tokens: 2000 },
  output_tokens_details: { reasoning_tokens: 900 },
};

/**
 * The rounds of a turn with their costs by hand:
 * 4,000 × 1 + 1,000 × 0.1 + 200 × 10 = 6,100 → 0.0061;
 * 4,000 × 1 + 4,000 × 0.1 + 2,000 × 1.25 + 1,000 × 10 = 16,900 → 0.0169;
 * the same at twice the prices → 0.0338.
 */
const rounds: readonly Response[] = [
  { usage: plain, tier: 'default' },
  { usage: written },
  { usage: written, tier: 'priority' },
];

describe.each(majors)('the cost of a turn under %s', (...host) => {
  it.each([true, false])('equals the table of the hand, streamed: %s', async isStream => {
    const { url } = await serveRounds(rounds);
    const { metadata, events } = await run(url, host, { toolLoop: { prices }, isStream });
    const costs = metadata.rounds?.map(({ usage }) => usage.cost);
    expect(costs?.map(cost => cost?.toFixed(6))).toEqual(['0.006100', '0.016900', '0.033800']);
    expect(metadata.cost).toBeCloseTo(0.0568, 10);
    const ends = events.flatMap(event => (event.type === 'round-end' ? [event.usage.cost] : []));
    expect(ends).toEqual(costs);
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', cost: metadata.cost });
  });

  it('is unknown if a round is unknown, and never 0', async () => {
    const { url } = await serveRounds([{ usage: plain }, { usage: plain, tier: 'flex' }]);
    const { metadata } = await run(url, host, { toolLoop: { prices } });
    expect(metadata.rounds?.map(({ usage }) => usage.cost)).toEqual([expect.closeTo(0.0061, 10), undefined]);
    expect(metadata).not.toHaveProperty('cost');
  });

  it('ends the calling of tools at `maxCost` with an answer', async () => {
    const { url, requests } = await serveRounds([{ usage: plain }], { isUnlimited: true });
    const { metadata, text, executions } = await run(url, host, { toolLoop: { prices, maxCost: 0.012 } });
    expect(requests.map(({ body }) => body.tool_choice === 'none')).toEqual([false, false, true]);
    expect([text, executions, metadata.stoppedBy]).toEqual(['All is paid.', 2, 'max-cost']);
    expect(metadata.cost).toBeCloseTo(0.0183, 10);
  });

  it('ends the calling of tools at `maxTokens` of the call with an answer', async () => {
    const { url, requests } = await serveRounds([{ usage: plain }], { isUnlimited: true });
    const { metadata, text, warnings } = await run(url, host, {
      options: { maxTokens: 5200 },
      isStream: false,
    });
    expect(warnings).not.toContain('is unknown');
    expect(requests).toHaveLength(2);
    expect([text, metadata.stoppedBy]).toEqual(['All is paid.', 'max-tokens']);
  });

  it('refuses `maxCost` without a price before the first request', async () => {
    const { url, requests } = await serveRounds([{ usage: plain }]);
    const options = { toolLoop: { maxCost: 1 }, isStream: false };
    await expect(run(url, host, options)).rejects.toThrow(/price of the model "gpt-test", because `maxCost`/);
    expect(requests).toHaveLength(0);
  });
});

describe('a cost that is unknown', () => {
  const [host] = majors as [(typeof majors)[number]];

  it.each([
    ['a tier without prices', { usage: plain, tier: 'flex' }, 'max-cost', { maxCost: 1 }],
    ['no usage', { usage: undefined }, 'max-cost', { maxCost: 1 }],
    ['no usage', { usage: undefined }, 'max-tokens', { maxTokens: 1e9 }],
  ] as const)('ends the calling of tools: %s', async (_, response, stoppedBy, limit) => {
    const { url, requests } = await serveRounds([response], { isUnlimited: true });
    const { metadata } = await run(url, host, { toolLoop: { prices, ...limit } });
    expect(requests).toHaveLength(2);
    expect(metadata.stoppedBy).toBe(stoppedBy);
    expect(metadata.warnings?.join()).toMatch(/is unknown|are unknown/);
  });

  it('gives one warning for a model without a price', async () => {
    const { url } = await serveRounds([{ usage: plain }, { usage: plain }]);
    const { warnings, metadata } = await run(url, host, {
      toolLoop: { prices: { other: price } },
      isStream: false,
    });
    expect(warnings.match(/no price of the model/g)).toHaveLength(1);
    expect(metadata).not.toHaveProperty('cost');
  });
});

describe('the price of a model', () => {
  const usage = toUsage({ input: 1e6, output: 0 });
  const [host] = majors as [(typeof majors)[number]];

  it.each<[string, Prices, number]>([
    ['of the id that the server returns', { 'gpt-test': price, 'gpt-test-2': { input: 3, output: 1 } }, 3],
    ['of the requested id', { 'gpt-test': { input: 4, output: 1 } }, 4],
    ['of the longest beginning', { '*': price, 'gpt-*': { input: 5, output: 1 }, 'g*': price }, 5],
    ['of a function', ({ modelId }) => (modelId === 'gpt-test' ? { input: 6, output: 1 } : undefined), 6],
  ])('is that %s', async (_, given, cost) => {
    const tokens = { input_tokens: 1e6, output_tokens: 0 };
    const { url } = await serveRounds([{ usage: tokens, model: 'gpt-test-2' }]);
    expect((await run(url, host, { toolLoop: { prices: given } })).metadata.cost).toBe(cost);
  });

  it('is that of long inputs above their limit, for all tokens', () => {
    const long: ModelPrice = { input: 1, output: 1, longInput: { above: 999_999, input: 2, output: 1 } };
    expect(costOf(usage, long)).toBe(2);
    expect(costOf(toUsage({ input: 999_999, output: 0 }), long)).toBeCloseTo(0.999999, 10);
  });

  it('yields to the cost that the server reports, unless the account pays elsewhere too', () => {
    expect(costOf({ ...usage, raw: { cost: 0.5 } }, price)).toBe(0.5);
    expect(costOf({ ...usage, raw: { cost: 0.5 } }, 'reported')).toBe(0.5);
    expect(costOf({ ...usage, raw: { cost: 0.5, is_byok: true } }, price)).toBe(1);
    expect(costOf(usage, 'reported')).toBeUndefined();
  });

  it.each([
    ['cached tokens', { input: 10, cacheRead: 5, output: 1 }],
    ['written tokens', { input: 10, cacheWrite: 5, output: 1 }],
    [
      'tokens that are written for an hour',
      { input: 10, cacheWrite: 5, output: 1, raw: { cache_creation: { ephemeral_1h_input_tokens: 5 } } },
    ],
    ['an input without its cached tokens', { input: 1, cacheRead: 5, output: 1 }],
    ['an unknown output', { input: 10 }],
  ])('is unknown for %s without a price', (_, counts) => {
    expect(costOf(toUsage(counts), { input: 1, output: 1 })).toBeUndefined();
  });
});

describe('the table of prices', () => {
  const usage = toUsage({
    input: 100_000,
    cacheRead: 60_000,
    cacheWrite: 10_000,
    output: 1000,
    reasoning: 900,
  });

  it.each([
    // 30,000 × 4 + 60,000 × 0.4 + 10,000 × 5 + 1,000 × 20
    ['gpt-5.6-sol', undefined, 0.214],
    ['gpt-5.6-sol', 'flex', 0.107],
    ['gpt-5.6-sol', 'priority', 0.428],
    // 30,000 × 5 + 60,000 × 0.5 + 10,000 × 6.25 + 1,000 × 25
    ['claude-opus-5', undefined, 0.2675],
    // It has no price of written tokens, and no priority tier.
    ['gpt-5.5', undefined, undefined],
    ['claude-opus-5', 'priority', undefined],
  ])('has the prices of %s in the tier %s', (model, tier, cost) => {
    expect(costOf(usage, PRICES[model], tier)?.toFixed(6)).toBe(cost?.toFixed(6));
  });

  it('has the prices of long inputs', () => {
    // 300,000 × 10 + 1,000 × 45
    expect(costOf(toUsage({ input: 300_000, output: 1000 }), PRICES['gpt-5.5'])).toBeCloseTo(3.045, 10);
  });
});
