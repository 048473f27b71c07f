import { generateText } from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createRateLimitedFetch, type RateLimitOptions } from '../../src/models/rate-limits.js';
import { serve } from '../_server.js';
import { until } from '../tools/mcp/_fixture-server.js';

const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

const post = (
  fetch: typeof globalThis.fetch,
  url: string,
  { key = 'k', model = 'm', text = '', signal = new AbortController().signal } = {},
) =>
  fetch(url, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, text }),
  });

/** Serves responses with the headers of each request's turn. */
async function start(
  headers: readonly (Record<string, string> & { status?: string })[],
  options: RateLimitOptions = {},
) {
  let count = 0;
  const server = await serve(response => {
    const { status = '200', ...own } = headers[count++] ?? {};
    response.writeHead(Number(status), { 'content-type': 'application/json', ...own });
    response.end(JSON.stringify(status === '200' ? answer : { error: { message: 'Slow down.' } }));
  });
  return { ...server, fetch: createRateLimitedFetch(options) as typeof globalThis.fetch };
}

const later = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

const spent: readonly (readonly [string, Record<string, string>])[] = [
  ['retry-after', { status: '429', 'retry-after': '60' }],
  ['retry-after-ms', { status: '503', 'retry-after-ms': '60000' }],
  [
    'the requests of OpenAI',
    {
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0s',
    },
  ],
  [
    'the requests of Anthropic',
    {
      'anthropic-ratelimit-requests-limit': '1',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': later(60),
    },
  ],
  [
    'a window that ends at a time in milliseconds',
    {
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.now() + 60_000),
    },
  ],
  ['a window of seconds', { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' }],
  ['the field of the draft', { ratelimit: '"default";r=0;t=60' }],
];

describe('a limit in headers', () => {
  it.each(spent)('keeps a request that would be rejected from the server: %s', async (_, headers) => {
    const { url, fetch, requests } = await start([headers]);
    await post(fetch, url);
    const rejected = await post(fetch, url);
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after-ms'))).toBeGreaterThan(10_000);
    expect(await rejected.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(requests).toHaveLength(1);
    // Other keys and models are not concerned.
    expect((await post(fetch, url, { key: 'other' })).status).toBe(200);
    expect((await post(fetch, url, { model: 'other' })).status).toBe(200);
  });

  it.each([
    [
      'requests that are left',
      {
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '60s',
      },
    ],
    [
      'a reset in the past',
      { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': later(-1) },
    ],
    ['an unknown reset', { 'x-ratelimit-remaining-requests': '0' }],
    [
      'a bucket that has a request again at once',
      {
        'x-ratelimit-limit-requests': '60000',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '60s',
      },
    ],
  ])('does not hold %s', async (_, headers) => {
    const { url, fetch, requests } = await start([headers]);
    for (let count = 0; count < 2; count++) expect((await post(fetch, url)).status).toBe(200);
    expect(requests).toHaveLength(2);
  });

  it('counts the requests that were sent since', async () => {
    const { url, fetch, requests } = await start([
      {
        'x-ratelimit-limit-requests': '3',
        'x-ratelimit-remaining-requests': '2',
        'x-ratelimit-reset-requests': '60s',
      },
    ]);
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await post(fetch, url)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(requests).toHaveLength(3);
  });

  it('holds a request that is larger than the tokens that are left, and no smaller one', async () => {
    const tokens = {
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '100',
      'x-ratelimit-reset-tokens': '600s',
    };
    const { url, fetch, requests } = await start([tokens]);
    await post(fetch, url);
    expect((await post(fetch, url, { text: 'x'.repeat(4000) })).status).toBe(429);
    expect((await post(fetch, url, { text: 'x'.repeat(100) })).status).toBe(200);
    expect(requests).toHaveLength(2);
  });

  it('lets a request wait within the bound, and end with its signal', async () => {
    const { url, fetch, requests } = await start([{ status: '429', 'retry-after-ms': '300' }], {
      maxWait: 60_000,
    });
    await post(fetch, url);
    const aborted = new AbortController();
    const cancelled = post(fetch, url, { signal: aborted.signal });
    aborted.abort(new Error('No more.'));
    await expect(cancelled).rejects.toThrow();
    expect(requests).toHaveLength(1);
    expect((await post(fetch, url)).status).toBe(200);
  });
});

describe('several keys', () => {
  it('are taken in place of the one that has reached its limit, without a request', async () => {
    const byKey: string[] = [];
    const { url } = await serve((response, { headers }) => {
      const key = String(headers.authorization);
      byKey.push(key);
      const left = key.endsWith('one') ? '0' : '9';
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-ratelimit-limit-requests': '10',
        'x-ratelimit-remaining-requests': left,
        'x-ratelimit-reset-requests': '10m',
      });
      response.end(JSON.stringify(answer));
    });
    const fetch = createRateLimitedFetch({ maxWait: 0 });
    const provider = createKelivoResponsesProvider({ baseURL: url, apiKey: ['one', 'two'], fetch });
    for (let count = 0; count < 4; count++)
      await generateText({ model: provider('m'), prompt: 'Hi', maxRetries: 0 });
    expect(byKey.filter(key => key.endsWith('one'))).toHaveLength(1);
    expect(byKey).toHaveLength(4);
  });
});

describe('the requests of a key at the same time', () => {
  it('do not exceed `maxConcurrent` until their responses are read, with any provider', async () => {
    let running = 0;
    let most = 0;
    const { url, requests } = await serve(async response => {
      most = Math.max(most, ++running);
      response.writeHead(200, { 'content-type': 'application/json' });
      const text = JSON.stringify(answer);
      response.write(text.slice(0, 10));
      await until(() => most > 1);
      await new Promise(resolve => setTimeout(resolve, 20));
      running--;
      response.end(text.slice(10));
    });
    const fetch = createRateLimitedFetch({ maxConcurrent: 2, maxWait: 60_000 });
    const openai = createOpenAI({ baseURL: url, apiKey: 'k', fetch });
    const kelivo = createKelivoResponsesProvider({ baseURL: url, apiKey: 'k', fetch });
    const models = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0 ? openai.responses('m') : kelivo('m'),
    );
    const results = await Promise.all(
      models.map(model => generateText({ model, prompt: 'Hi', maxRetries: 0 })),
    );
    expect(results.map(({ text }) => text)).toEqual(Array.from({ length: 8 }, () => 'Hi.'));
    expect([most, requests.length]).toEqual([2, 8]);
  });

  it('is rejected if no place is free in time, and frees the places of cancelled responses', async () => {
    const { url } = await serve(response => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    const fetch = createRateLimitedFetch({ maxConcurrent: 1, maxWait: 0 }) as typeof globalThis.fetch;
    const first = await post(fetch, url);
    expect((await post(fetch, url)).status).toBe(429);
    await first.body?.cancel();
    const second = await post(fetch, url);
    expect(second.status).toBe(200);
    await second.body?.cancel();
  });
});
