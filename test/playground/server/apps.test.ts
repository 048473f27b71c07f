import { gzipSync } from 'node:zlib';
import { generateText, tool, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApps } from '../../../playground/server/apps/apps.js';
import { createAppTurn } from '../../../playground/server/apps/app-turn.js';
import type { AppTurnRecord } from '../../../playground/server/store/conversations.js';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';
import { type Trace, toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import type { TraceSummary } from '../../../playground/shared/trace-summary.js';
import { devTools } from '../../../src/telemetry/devtools/index.js';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { startHeldEndpoint } from '../../browser/_held-endpoint.js';
import { serve } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, type TestPlayground } from './_playground.js';
import { secretTexts, secrets } from './_secrets.js';
import { startApp } from './_start-app.js';

const listTraces = async ({ call }: TestPlayground): Promise<readonly TraceSummary[]> =>
  (await call('/api/traces')).json as readonly TraceSummary[];

async function readTrace({ call }: TestPlayground, { messageId }: TraceSummary): Promise<Trace> {
  const { json } = await call(`/api/traces/${messageId}`);
  return toTrace((json as { events: readonly TraceEvent[] }).events);
}

/** Waits until the newest turn has an end. */
async function waitFor(playground: TestPlayground, end: TraceSummary['end']): Promise<TraceSummary> {
  await expect.poll(async () => (await listTraces(playground))[0]?.end).toBe(end);
  return (await listTraces(playground))[0] as TraceSummary;
}

async function saveAsTest({ call }: TestPlayground, { messageId }: TraceSummary): Promise<string> {
  const { status, text } = await call(`/api/traces/${messageId}/test`);
  expect(status, text).toBe(200);
  return text;
}

/** Runs a turn again in the emulator. */
async function replay(playground: TestPlayground, { messageId }: TraceSummary, fault = 'none') {
  const body = { fault };
  const started = await playground.call(`/api/traces/${messageId}/replay`, { method: 'POST', body });
  const { responseId } = started.json as { responseId: string };
  const find = async () => {
    const turn = (await listTraces(playground)).find(one => one.messageId === responseId);
    return turn?.end === 'running' ? undefined : turn;
  };
  await expect.poll(find).toBeDefined();
  const { end, rounds } = (await readTrace(playground, (await find()) as TraceSummary)) as Trace;
  return { end: end?.end, rounds: rounds.length };
}

/** The run that a tool of the agent makes. */
const nestedRun = {
  ...{ toolName: 'ask', depth: 1, modelId: 'gpt-5-mini', exchange: 2, rounds: 1, state: 'finished' },
  tokens: expect.any(Number),
  usages: [{ modelId: 'gpt-5-mini' }],
};

describe.each([
  [
    'express',
    'Call add with 17 and 25.',
    'add',
    [
      [1, undefined],
      [2, undefined],
    ],
  ],
  [
    'agent',
    'Call ask, please.',
    'ask',
    [
      [1, undefined],
      [2, expect.any(String)],
      [3, undefined],
    ],
  ],
  [
    'provider',
    'Call add with 17 and 25.',
    'add',
    [
      [1, undefined],
      [2, undefined],
    ],
  ],
] as const)('an application (%s)', (app, question, toolName, rounds) => {
  it('appears live, with its rounds, calls, tokens and wire', async () => {
    const endpoint = await startHeldEndpoint();
    const playground = await openPlayground();
    const watched = await playground.watch('');
    const { child, answered } = startApp(app, question, {
      MODEL_URL: endpoint.baseURL,
      KELIVO_PLAYGROUND_URL: playground.appUrl,
    });
    const running = await waitFor(playground, 'running');
    const sent = async () => (await readTrace(playground, running)).exchanges[0]?.request.body;
    await expect.poll(sent).toMatchObject({ model: 'gpt-5', input: expect.any(Array) });
    // Open pages are told.
    const count = () => watched.events.filter(({ type }) => type === 'conversations').length;
    await expect.poll(count).toBeGreaterThan(1);

    endpoint.release();
    await answered;
    const summary = await waitFor(playground, 'finished');
    expect(summary).toMatchObject({
      title: question,
      modelId: 'gpt-5',
      app: { name: app === 'express' ? 'express.mjs' : app, process: child.pid },
      tools: [{ toolName, calls: 1 }],
      tokens: expect.any(Number),
      hasError: false,
      nested: app === 'agent' ? [nestedRun] : [],
    });
    expect(await listTraces(playground)).toHaveLength(1);
    const trace = await readTrace(playground, summary);
    expect(trace.rounds.map(({ round, toolCallId }) => [round, toolCallId])).toEqual(rounds);
    expect(trace.tools).toMatchObject([{ toolName, state: 'done', round: 1 }]);
    expect(trace.exchanges.every(({ end, status }) => end?.end === 'complete' && status === 200)).toBe(true);
    expect(trace.exchanges.at(-1)?.events.some(({ name }) => name === 'text-delta')).toBe(true);
    // Chats stay apart.
    expect((await playground.call('/api/conversations')).json).toEqual([]);
    const [, expected = ''] = /expect\(calls\)([^]*)$/.exec(await saveAsTest(playground, summary)) ?? [];
    expect(expected).toMatch(
      new RegExp(`^\\.toEqual\\(\\[\\s*{\\s*"name": "${toolName}",[^}]*}\\s*}?\\s*\\]\\)`),
    );
    expect(expected).toContain(`"text": "The tool ${toolName} returned: `);
    expect(expected).toContain('"failed": false');
    expect(await replay(playground, summary)).toMatchObject({ end: 'finished', rounds: 2 });
  });
});

it('replays a call that was not streamed, and one of spans, with a fault, and saves them as tests', async () => {
  const playground = await openPlayground();
  const token = new URL(playground.appUrl).pathname.split('/').at(-1) ?? '';
  const send = async (path: string, body: object): Promise<TraceSummary> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(playground.url + path, init)).status).toBe(200);
    return (await listTraces(playground))[0] as TraceSummary;
  };
  const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
  const content = [
    { type: 'text', text: 'One ' },
    { type: 'text', text: 'answer.' },
  ];
  const generated = await send('/v1/devtools', {
    ...{ app: { id: '1', name: 'test' }, lost: 0 },
    messages: [
      { type: 'call-start', call: 1, at: 1, modelId: 'm', prompt: [{ role: 'user', content: 'Hello' }] },
      { type: 'call-end', call: 1, at: 2, result: { content, finishReason: 'stop', usage } },
    ],
  });
  const text = (key: string, value: unknown) => ({ key, value: { stringValue: JSON.stringify(value) } });
  const span = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'chat' },
    ...{ startTimeUnixNano: '1900000000000000000', endTimeUnixNano: '1900000001000000000' },
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      text('gen_ai.input.messages', [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]),
      text('gen_ai.output.messages', [{ role: 'assistant', parts: [{ type: 'text', content: 'A span.' }] }]),
    ],
  };
  const traced = await send('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

  expect(await saveAsTest(playground, generated)).toMatch(
    /"text": "One answer\.",\s*"usage": {\s*"inputTokens": 3,\s*"outputTokens": 4\s*},\s*"failed": false/,
  );
  expect(await saveAsTest(playground, traced)).toMatch(/"text": "A span\.",[^]*"failed": false/);
  expect(await replay(playground, generated)).toEqual({ end: 'finished', rounds: 1 });
  expect(await replay(playground, generated, 'cut')).toMatchObject({ end: 'failed' });
});

it('saves all rounds of a call that was not streamed, with the results of its tools', async () => {
  const playground = await openPlayground();
  const { baseURL } = await startEmulator();
  const divide = tool({
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: (): Promise<number> => Promise.reject(new Error('division by zero')),
  });
  const provider = createKelivoResponsesProvider({ baseURL, tools: { divide } });
  const middleware = devTools({ url: playground.appUrl });
  const model = wrapLanguageModel({ model: provider('gpt-5'), middleware });
  const { text } = await generateText({ model, prompt: 'Divide a 20 and b 0.' });
  const summary = await waitFor(playground, 'finished');

  expect(text).toContain('division by zero');
  expect(await saveAsTest(playground, summary)).toContain(`"text": ${JSON.stringify(text)}`);
});

it('saves no test that expects a failure where there was none', async () => {
  const playground = await openPlayground();
  const token = new URL(playground.appUrl).pathname.split('/').at(-1) ?? '';
  const part = (type: string, more: object) => ({
    ...{ type: 'part', call: 1, at: 1 },
    part: { type, ...more },
  });
  const messages = [
    { type: 'call-start', call: 1, at: 1, modelId: 'm', prompt: [], settings: { includeRawChunks: true } },
    part('raw', { rawValue: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } } }),
    part('finish', { finishReason: 'stop', usage: {} }),
    { type: 'call-end', call: 1, at: 2 },
  ];
  await fetch(`${playground.url}/v1/devtools`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ app: { id: '1', name: 'test' }, lost: 0, messages }),
  });
  const [summary] = await listTraces(playground);
  const { status, json } = await playground.call(`/api/traces/${summary?.messageId}/test`);

  expect([summary?.end, status]).toEqual(['finished', 400]);
  expect(json).toEqual({ error: expect.stringContaining('Expected responses of the Responses API') });
});

it('do not wait for a playground that never answers, and send their last events to one that is slow', async () => {
  const emulator = await startEmulator();
  const slow = await serve(async response => {
    await new Promise(resolve => setTimeout(resolve, 300));
    response.end('{}');
  });
  const silent = await serve(() => {});
  const run = async (url?: string): Promise<number> => {
    const variables = { MODEL_URL: emulator.baseURL, ...(url && { KELIVO_PLAYGROUND_URL: `${url}/send/x` }) };
    const startedAt = performance.now();
    await startApp('provider', 'Call add with 17 and 25.', variables).answered;
    return performance.now() - startedAt;
  };
  const [alone, beside] = await Promise.all([run(), run(silent.url), run(slow.url)]);

  expect(silent.requests.length).toBeGreaterThan(0);
  // A request to the playground may take five seconds.
  expect(beside - alone).toBeLessThan(4500);
  const types = slow.requests.flatMap(({ body }) =>
    (body as { messages: { type: string }[] }).messages.map(({ type }) => type),
  );
  expect(types).toContain('call-end');
  expect(types.at(-1)).toBe('exit');
});

it('shows a turn of a process that was killed as aborted', async () => {
  const endpoint = await startHeldEndpoint();
  const playground = await openPlayground();
  const { child } = startApp('provider', 'Say hello to everyone.', {
    MODEL_URL: endpoint.baseURL,
    KELIVO_PLAYGROUND_URL: playground.appUrl,
  });
  await waitFor(playground, 'running');
  child.kill('SIGKILL');
  const { messageId, hasError } = await waitFor(playground, 'aborted');

  expect(hasError).toBe(true);
  // Stored, and readable after a restart.
  await playground.close();
  const restarted = await openPlayground({ folder: playground.folder });
  expect((await listTraces(restarted))[0]).toMatchObject({ messageId, end: 'aborted' });
});

it('shows the body of a rejected request', async () => {
  const emulator = await startEmulator();
  const playground = await openPlayground();
  emulator.enqueue({
    status: 422,
    body: { error: { message: 'no such tool', type: 'invalid_request_error' } },
  });
  await startApp('express', 'Hello', {
    MODEL_URL: emulator.baseURL,
    KELIVO_PLAYGROUND_URL: playground.appUrl,
  }).answered;
  const summary = await waitFor(playground, 'failed');
  const [exchange] = (await readTrace(playground, summary)).exchanges;

  expect(summary.message).toContain('no such tool');
  expect(exchange).toMatchObject({ status: 422, bodyText: expect.stringContaining('no such tool') });
  expect(exchange?.request.url).toBe(`${emulator.baseURL}/responses`);
});

it('shows no secret of ten kinds that an application received in pieces', async () => {
  const emulator = await startEmulator();
  const playground = await openPlayground({ environment: { OPENAI_API_KEY: secrets.typed.join('') } });
  const text = secretTexts.join(' and ');
  emulator.enqueue({
    output: [{ reasoning: text }, { call: 'add', arguments: { a: 1, b: 2, note: text } }],
  });
  emulator.enqueue({
    output: [{ text }],
    // Ten characters per delta.
    events: events =>
      events.flatMap(event => {
        if (event.type !== 'response.output_text.delta') return [event];
        if (!text.startsWith(String(event.delta))) return [];
        const deltas = text.match(/[^]{1,10}/g) ?? [];
        return deltas.map(delta => ({ ...event, delta }));
      }),
  });
  const answer = await startApp('express', `Call add. The keys are ${text}`, {
    MODEL_URL: emulator.baseURL,
    KELIVO_PLAYGROUND_URL: playground.appUrl,
  }).answered;
  expect(answer).toBe(text);
  const { messageId, conversationId } = await waitFor(playground, 'finished');
  const shown = await Promise.all(
    [
      '/api/traces',
      `/api/traces/${messageId}`,
      `/api/traces/${messageId}/otlp`,
      `/api/traces/${messageId}/test`,
      `/api/conversations/${conversationId}`,
      `/api/conversations/${conversationId}/traces/${messageId}`,
      `/api/conversations/${conversationId}/export`,
      `/api/conversations/${conversationId}/fixture`,
    ].map(async path => {
      const { status, text: body, json } = await playground.call(path);
      expect([path, status]).toEqual([path, 200]);
      const events =
        (json === undefined ? body : JSON.stringify(json)).match(/"delta":"((?:[^"\\]|\\.)*)"/g) ?? [];
      return body + events.map(delta => JSON.parse(`{${delta}}`).delta).join('');
    }),
  );
  for (const secret of secretTexts)
    expect(shown.map(one => one.includes(secret) || one.includes(secret.slice(4, 20)))).not.toContain(true);
});

describe('the token of applications', () => {
  const batch = { app: { id: '1', name: 'test' }, lost: 0, messages: [] };

  it('only sends, and without it or from a page nothing is accepted', async () => {
    const playground = await openPlayground();
    const token = new URL(playground.appUrl).pathname.split('/').at(-1) ?? '';
    const send = async (headers: Record<string, string>, path = '/v1/devtools') => {
      const body = JSON.stringify(batch);
      const json = { 'content-type': 'application/json' };
      const response = await fetch(playground.url + path, {
        method: 'POST',
        headers: { ...json, ...headers },
        body,
      });
      return response.status;
    };
    const authorization = `Bearer ${token}`;

    expect(await send({ authorization })).toBe(200);
    expect(await send({})).toBe(401);
    expect(await send({}, '/v1/traces')).toBe(401);
    expect(await send({ authorization: playground.authorization })).toBe(401);
    expect(await send({ authorization, origin: playground.url })).toBe(403);
    const read = await fetch(`${playground.url}/api/traces`, { headers: { authorization } });
    expect(read.status).toBe(401);
  });

  it('rejects what is too large or no batch', async () => {
    const playground = await openPlayground();
    const token = new URL(playground.appUrl).pathname.split('/').at(-1) ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = async (body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) => {
      const init = { method: 'POST', headers: { ...headers, ...more }, body };
      return (await fetch(`${playground.url}/v1/devtools`, init)).status;
    };

    expect(await send('{')).toBe(400);
    expect(await send('{}')).toBe(400);
    expect(await send(`"${'x'.repeat(17_000_000)}"`)).toBe(413);
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(70_000_000)));
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toBe(413);
    // Malformed messages lose themselves only.
    const messages = [{ type: 'call-start', call: {}, prompt: 5 }, { type: 7 }, { type: 'part', call: 'x' }];
    expect(await send(JSON.stringify({ ...batch, messages }))).toBe(200);
  });
});

it('ends the least recently active turns when all of them are too large', () => {
  const stored: AppTurnRecord[] = [];
  const apps = createApps({
    redactor: createRedactor(() => []),
    store: turn => stored.push(turn),
    onChange() {},
  });
  const part = { type: 'text-delta', id: '1', delta: 'a'.repeat(1_000_000) };
  for (let call = 1; call <= 5; call++) {
    const start = { type: 'call-start', call, turn: `turn ${call}`, at: call, prompt: `Question ${call}` };
    const parts = Array.from({ length: 60 }, () => ({ type: 'part', call, at: call, part }));
    apps.receive({ app: { id: 'a', name: 'an app' }, lost: 0, messages: [start, ...parts] });
  }

  expect(stored.map(({ question }) => question)).toEqual(['Question 1']);
  expect(stored[0]?.trace.at(-1)).toMatchObject({
    ...{ type: 'turn-end', end: 'aborted' },
    message: 'The playground ended the record of this turn, because too many turns were running.',
  });
  expect(apps.running()).toHaveLength(4);
  apps.close();
});

it('records no contents of a turn beyond a size, and says so once', () => {
  const app = { name: 'test' };
  const redactor = createRedactor(() => []);
  const turn = createAppTurn({ app, redactor, first: { at: 1, prompt: 'Hello' }, isReported: true });
  turn.beginCall({ call: 1 });
  const part = { type: 'text-delta', id: '1', delta: 'a'.repeat(1_000_000) };
  for (let count = 0; count < 100; count++) turn.add({ type: 'part', call: 1, part });
  turn.end('finished', { at: 2 });

  expect(turn.events.filter(({ type }) => type === 'wire').length).toBe(63);
  expect(turn.events.filter(({ type }) => type === 'warning')).toMatchObject([
    { message: 'The trace is full: later contents are not recorded.' },
  ]);
  expect(turn.events.at(-1)).toMatchObject({ type: 'turn-end', end: 'finished' });
});

it('keeps the end of a turn with more events than a trace can have', () => {
  const app = { name: 'test' };
  const redactor = createRedactor(() => []);
  const turn = createAppTurn({ app, redactor, first: { at: 1, prompt: 'Hello' }, isReported: true });
  turn.beginCall({ call: 1 });
  const part = { type: 'text-delta', id: '1', delta: 'a' };
  for (let count = 0; count < 51_000; count++) turn.add({ type: 'part', call: 1, part });
  for (let count = 0; count < 200; count++) turn.warn('Some events were lost.');
  turn.end('finished', { at: 2 });

  expect(turn.events.length).toBeLessThan(50_200);
  expect(turn.events.at(-1)).toMatchObject({ type: 'turn-end', end: 'finished' });
});
