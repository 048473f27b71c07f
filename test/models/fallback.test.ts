import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createOpenAI as createOpenAI2 } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3 } from 'openai3';
import { createOpenAI as createOpenAI4 } from 'openai4';
import { describe, expect, it } from 'vitest';
import * as v2 from '../../src/index.js';
import { withFallback } from '../../src/models/fallback.js';
import type { FallbackFailure, FallbackReason } from '../../src/models/fallback-reasons.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { AnyLanguageModel } from '../../src/core/versions/specification.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { everyPair } from '../_products.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { createExecutions } from '../tool-loop/_cut-rounds.js';
import { scriptedModel, textRound } from '../tool-loop/_scripted-model.js';

type CreateOpenAI = typeof createOpenAI2;

/** The majors of `ai`, each with the official provider of another major as the second model. */
const hosts = [
  ['ai 5', ai5, v2, createOpenAI4],
  ['ai 6', ai6, v3, createOpenAI2],
  ['ai 7', ai7, v4, createOpenAI3],
] as unknown as readonly (readonly [string, typeof ai5, typeof v2, CreateOpenAI])[];

const REASONS: FallbackReason[] = ['outage', 'rate-limit', 'context-overflow', 'content-filter', 'access'];

interface Body {
  readonly input?: readonly { readonly type?: string; readonly call_id?: string }[];
  readonly stream?: boolean;
}

const outputsIn = ({ input = [] }: Body): number =>
  input.filter(({ type }) => type === 'function_call_output').length;

/** Writes a response of a server that calls `pay` twice and answers: with reasoning, and ids that only it understands. */
function toEvents(name: string, body: Body) {
  const round = outputsIn(body);
  const response = { id: `resp_${name}_${round}`, object: 'response', created_at: 1, model: `model-${name}` };
  const id = `${name}_${round}`;
  const reasoning = { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: `secret_${name}` };
  const call = {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: 'pay',
    arguments: '{}',
    status: 'completed',
  };
  const part = { type: 'output_text', text: `Paid, ${name} says.`, annotations: [] };
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [part],
  };
  const output = [reasoning, round < 2 ? call : message];
  const items = output.flatMap((item, output_index) => [
    {
      type: 'response.output_item.added',
      output_index,
      item: item === message ? { ...message, content: [] } : item,
    },
    ...(item === message
      ? [
          {
            type: 'response.output_text.delta',
            output_index,
            content_index: 0,
            item_id: message.id,
            delta: part.text,
          },
        ]
      : []),
    { type: 'response.output_item.done', output_index, item },
  ]);
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const completed = { ...response, status: 'completed', output, usage };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items,
    { type: 'response.completed', response: completed },
  ];
}

async function send(response: ServerResponse, name: string, body: Body, count?: number): Promise<void> {
  const events = toEvents(name, body);
  if (body.stream === true) {
    await write(response, toSse(events.slice(0, count)));
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    const json = JSON.stringify((events.at(-1) as { response?: object }).response);
    response.write(count === undefined ? json : json.slice(0, count));
  }
  if (count === undefined) response.end();
  else setTimeout(() => response.destroy(), 50);
}

/** Writes the text of a stream, whole or in the pieces that the address of the server asks for. */
async function write(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const size = Number(/^\/pieces-(\d+)/.exec(response.req.url ?? '')?.[1] ?? text.length);
  for (let start = 0; start < text.length; start += size) {
    response.write(text.slice(start, start + size));
    await setImmediate();
  }
}

const fail = (response: ServerResponse, status: number, error: object, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error }));
};

/** Sends a response that ends with another event than `response.completed`. */
async function end(response: ServerResponse, body: Body, event: { type: string; response: object }) {
  const [created] = toEvents('a', body);
  const whole = { ...(created as { response: object }).response, ...event.response };
  if (body.stream === true) await write(response, toSse([created as never, { ...event, response: whole }]));
  else response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(whole));
  response.end();
}

type Failure = (response: ServerResponse, body: Body) => void | Promise<void>;

const failures: Readonly<Record<string, readonly [reason: FallbackReason, failure: Failure]>> = {
  'a refused connection': ['outage', response => void response.socket?.destroy()],
  'a rate limit': [
    'rate-limit',
    response =>
      fail(response, 429, { code: 'rate_limit_exceeded', message: 'Slow.' }, { 'retry-after': '30' }),
  ],
  'an internal error': ['outage', response => fail(response, 500, { message: 'Broken.' })],
  'an overload inside of the response': [
    'outage',
    (response, body) => {
      const error = { code: 'server_is_overloaded', message: 'Overloaded.' };
      return end(response, body, {
        type: 'response.failed',
        response: { status: 'failed', output: [], error },
      });
    },
  ],
  'a cut response': ['outage', (response, body) => send(response, 'a', body, 1)],
  'a conversation that is too long': [
    'context-overflow',
    response => fail(response, 400, { code: 'context_length_exceeded', message: 'Too long.' }),
  ],
  'a refused key': [
    'access',
    response => fail(response, 401, { code: 'invalid_api_key', message: 'Wrong key.' }),
  ],
  'a time limit': ['outage', () => {}],
  'a content filter': [
    'content-filter',
    (response, body) => {
      const incomplete_details = { reason: 'content_filter' };
      return end(response, body, {
        type: 'response.incomplete',
        response: { status: 'incomplete', output: [], incomplete_details },
      });
    },
  ],
  'malformed JSON': [
    'outage',
    async (response, body) => {
      if (body.stream === true) await write(response, 'data: {"type":"response.created","resp\n\n');
      else response.writeHead(200, { 'content-type': 'application/json' }).write('{"output":[');
      response.end();
    },
  ],
  'a web page': [
    'outage',
    response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  ],
};

const inputSchema = ai5.jsonSchema({ type: 'object', properties: {} });

async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

/** Starts both servers, and creates the model. The first server fails in one round of its first turn. */
async function start(
  [, , entry, createOpenAI]: (typeof hosts)[number],
  {
    failure,
    round,
    isRefused = false,
    timeouts = {},
    cooldown = 60_000,
    path = '',
  }: {
    failure: Failure;
    round: number;
    isRefused?: boolean;
    timeouts?: { connect?: number; total?: number };
    cooldown?: number;
    path?: string;
  },
) {
  const order: string[] = [];
  let hasFailed = false;
  const first = await serve((response, { body, path }) => {
    // A list of models.
    if (!path.endsWith('/responses')) return fail(response, 404, { message: 'Unknown.' });
    order.push('a');
    if (hasFailed || outputsIn(body) !== round) return send(response, 'a', body);
    hasFailed = true;
    return failure(response, body);
  });
  const second = await serve((response, { body }) => {
    order.push('b');
    return send(response, 'b', body);
  });
  const executions = createExecutions();
  const tools = createLocalTools({ pay: { inputSchema, execute: () => executions.run('pay') } });
  const baseURL = isRefused ? await closedPort() : first.url + path;
  const provider = entry.createKelivoResponsesProvider({
    baseURL,
    apiKey: 'k',
    timeouts,
  });
  const other = createOpenAI({ baseURL: second.url + path, apiKey: 'k' });
  const seen: FallbackFailure[] = [];
  const options = { on: REASONS, cooldown, onFallback: (event: FallbackFailure) => seen.push(event) };
  const model = withFallback(
    [provider('model-a'), other.responses('model-b') as unknown as AnyLanguageModel],
    options,
  );
  return { model, tools, order, seen, executions, first, second };
}

type Host = (typeof hosts)[number];

async function run(
  [, ai]: Host,
  model: unknown,
  { isStream, messages }: { isStream: boolean; messages: object[] },
) {
  const call = { model: model as never, messages: messages as never, maxRetries: 0 };
  // The warning of a fallback is expected.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const result = isStream ? ai.streamText({ ...call, onError() {} }) : await ai.generateText(call);
  const [text, metadata, response] = [
    await result.text,
    await result.providerMetadata,
    await result.response,
  ];
  return {
    text,
    modelId: response.modelId,
    messages: response.messages as object[],
    metadata: metadata?.kelivo as never as v2.KelivoProviderMetadata,
  };
}

/** Returns the calls of a request, each with the number of its outputs. */
function pairsOf({ input = [] }: Body) {
  const count = (id: string | undefined) =>
    input.filter(item => item.type === 'function_call_output' && item.call_id === id).length;
  return input.flatMap(item => (item.type === 'function_call' ? [[item.call_id, count(item.call_id)]] : []));
}

/** How a turn is read: its name, whether it is a stream, and the path that asks the servers for pieces. */
const modes = [
  ['generated', false, ''],
  ['streamed', true, ''],
  ['streamed in pieces', true, '/pieces-3'],
] as const;

const question = [{ role: 'user', content: 'Pay.' }];

const cases = everyPair(
  hosts.flatMap(host =>
    Object.entries(failures).flatMap(([name, [reason, failure]]) =>
      [0, 1].flatMap(round =>
        modes.slice(0, name === 'a time limit' ? 2 : undefined).map(([mode, isStream, path]) => ({
          ai: host[0],
          host,
          name,
          reason,
          failure,
          round,
          mode,
          isStream,
          path,
        })),
      ),
    ),
  ),
);

it.each(cases)(
  'a fallback under $ai answers after $name in round $round, $mode',
  async ({ host, name, reason, failure, round, isStream, path }) => {
    const isRefused = name === 'a refused connection' && round === 0;
    const { model, tools, order, seen, executions, second } = await start(host, {
      failure,
      round,
      isRefused,
      path,
      timeouts: name === 'a time limit' ? { [isStream ? 'connect' : 'total']: 3000 } : {},
    });
    const { text, metadata, modelId } = await run(host, withToolLoop(model, { tools }), {
      isStream,
      messages: question,
    });
    expect([text, modelId]).toEqual(['Paid, b says.', 'model-b']);
    expect(order.join('')).toBe({ 0: isRefused ? 'bbb' : 'abbb', 1: 'aabb' }[round]);
    expect(executions.count('pay')).toBe(2);
    expect(seen.map(event => [event.reason, event.modelId])).toEqual([[reason, 'model-a']]);
    expect(metadata.rounds?.map(({ answeredBy }) => answeredBy?.modelId)).toEqual(
      round === 0 ? ['model-b', 'model-b', 'model-b'] : ['model-a', 'model-b', 'model-b'],
    );
    for (const { body } of second.requests) {
      expect(pairsOf(body).every(([, outputs]) => outputs === 1)).toBe(true);
      expect(pairsOf(body)).toHaveLength(outputsIn(body));
      expect(JSON.stringify(body)).not.toMatch(/rs_a|fc_a|msg_a|resp_a|secret_a/);
    }
  },
);

describe.each(hosts)('a fallback under %s', (...host) => {
  it.each(['context-overflow', 'content-filter'])(
    'a request that fails with %s costs other turns nothing',
    async reason => {
      const [, failure] = Object.values(failures).find(([known]) => known === reason) ?? [];
      if (failure === undefined) throw new Error(`Expected a failure with the reason ${reason}, got none.`);
      const { model, tools, order } = await start(host, { failure, round: 0 });
      const loop = withToolLoop(model, { tools });
      await run(host, loop, { isStream: true, messages: question });
      await run(host, loop, { isStream: true, messages: question });
      expect(order.join('')).toBe('abbbaaa');
    },
  );

  it.each([true, false])(
    'returns to the first model in the next turn, without parts of the second, streamed: %s',
    async isStream => {
      const [, failure] = failures['an internal error'] as (typeof failures)[string];
      const { model, tools, first, order } = await start(host, { failure, round: 1, cooldown: 0 });
      const loop = withToolLoop(model, { tools });
      const one = await run(host, loop, { isStream, messages: question });
      const next = [...question, ...one.messages, { role: 'user', content: 'Again.' }];
      const two = await run(host, loop, { isStream, messages: JSON.parse(JSON.stringify(next)) as object[] });
      expect(two.text).toBe('Paid, a says.');
      expect(order.join('')).toBe('aabba');
      const [body] = first.requests.slice(-1).map(request => request.body as Body);
      expect(pairsOf(body ?? {})).toEqual([
        ['call_a_0', 1],
        ['call_b_1', 1],
      ]);
      expect(JSON.stringify(body)).not.toMatch(/rs_b|fc_b|msg_b|resp_b|secret_b/);
      expect(JSON.stringify(body)).toMatch(/rs_a_0/);
    },
  );

  it('repeats a round that is cut after its output on the second model', async () => {
    const failure: Failure = (response, body) => send(response, 'a', body, 4);
    const { model, tools, order, executions } = await start(host, { failure, round: 1 });
    const retry = { initialDelay: 0 };
    const { text } = await run(host, withToolLoop(model, { tools, retry }), {
      isStream: true,
      messages: question,
    });
    expect(text).toBe('Paid, b says.');
    expect(order.join('')).toMatch(/^aab+$/);
    // A call of the cut response does not count.
    expect(executions.count('pay')).toBe(2);
  });
});

describe('models with loops of their own', () => {
  const [host] = hosts as [Host];
  const [, internal] = failures['an internal error'] as (typeof failures)[string];

  async function startLoops(round: number) {
    const [, , entry] = host;
    const { tools, first, second, executions, order } = await start(host, { failure: internal, round });
    const toModel = (baseURL: string, id: string) =>
      withToolLoop(entry.createKelivoResponsesProvider({ baseURL, apiKey: 'k' })(id), {
        tools,
        retry: { maxRetries: false, streamRetries: false },
      });
    const model = withFallback([toModel(first.url, 'model-a'), toModel(second.url, 'model-b')]);
    return { model, executions, order };
  }

  it.each([true, false])('are exchanged before a tool has run, streamed: %s', async isStream => {
    const { model, executions } = await startLoops(0);
    const { text } = await run(host, model, { isStream, messages: question });
    expect([text, executions.count('pay')]).toEqual(['Paid, b says.', 2]);
  });

  it('are not exchanged after a tool has run, so that no tool runs twice', async () => {
    const { model, executions, order } = await startLoops(1);
    const error: unknown = await run(host, model, { isStream: false, messages: question }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ statusCode: 500, isRetryable: false });
    expect([executions.count('pay'), order.join('')]).toEqual([1, 'aa']);
  });
});

describe('a call for which no model has an answer', () => {
  const [host] = hosts as [Host];
  const [, ai, entry] = host;

  it('fails with one error that lists all models, and a retry may help', async () => {
    const { url } = await serve(response => fail(response, 503, { message: 'Down.' }));
    const { url: other } = await serve(response =>
      fail(response, 429, { message: 'Slow.' }, { 'retry-after': '1' }),
    );
    const toModel = (baseURL: string, id: string) =>
      entry.createKelivoResponsesProvider({ baseURL, apiKey: 'k' })(id);
    const model = withFallback([toModel(url, 'model-a'), toModel(other, 'model-b')]);
    const error: unknown = await ai
      .generateText({ model, prompt: 'Hi', maxRetries: 0 })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      isRetryable: true,
      message: 'No model has an answer. kelivo-responses model-a (outage): Down. Slow.',
      cause: { errors: [{ statusCode: 503 }, { statusCode: 429 }] },
    });
  });

  it.each<[string, FallbackReason[] | undefined, number]>([
    ['an invalid request', undefined, 400],
    ['a refused key by default', undefined, 401],
    ['a reason that is not accepted', [], 500],
  ])('does not fall back for %s', async (_, on, status) => {
    const { url, requests } = await serve(response => fail(response, status, { message: 'No.' }));
    const second = await serve((response, { body }) => send(response, 'b', body));
    const toModel = (baseURL: string, id: string) =>
      entry.createKelivoResponsesProvider({ baseURL, apiKey: 'k' })(id);
    const model = withFallback([toModel(url, 'model-a'), toModel(second.url, 'model-b')], on && { on });
    await expect(ai.generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: status,
    });
    expect([requests.length, second.requests.length]).toEqual([1, 0]);
  });

  it('does not fall back after an abort, or for a conversation that only its server has', async () => {
    const aborted = new AbortController();
    const { url } = await serve(() => aborted.abort(new Error('Enough.')));
    const broken = await serve(response => fail(response, 500, { message: 'No.' }));
    const second = await serve((response, { body }) => send(response, 'b', body));
    const toModel = (baseURL: string, id: string) =>
      entry.createKelivoResponsesProvider({ baseURL, apiKey: 'k' })(id);
    const cancelled = ai.generateText({
      model: withFallback([toModel(url, 'model-a'), toModel(second.url, 'model-b')]),
      prompt: 'Hi',
      maxRetries: 0,
      abortSignal: aborted.signal,
    });
    await expect(cancelled).rejects.toThrow('Enough.');
    const stored = ai.generateText({
      model: withFallback([toModel(broken.url, 'model-a'), toModel(second.url, 'model-b')]),
      prompt: 'Hi',
      maxRetries: 0,
      providerOptions: { openai: { previousResponseId: 'resp_1' } },
    });
    await expect(stored).rejects.toMatchObject({ statusCode: 500 });
    expect(second.requests).toHaveLength(0);
  });
});

describe('the headers of a call', () => {
  it('that authenticate or name a tenant reach the first origin only', async () => {
    const failing = await serve(response => void response.writeHead(503).end('{}'));
    const answering = await serve(response => void response.writeHead(503).end('{}'));
    const first = v2.createKelivoResponsesProvider({ baseURL: failing.url, apiKey: 'first-key-1' });
    const second = v2.createKelivoResponsesProvider({ baseURL: answering.url, apiKey: 'second-key-2' });
    const third = createOpenAI2({ baseURL: answering.url, apiKey: 'third-key-3' });
    const secret = {
      authorization: 'Bearer secret-1',
      'api-key': 'secret-2',
      'X-API-Key': 'secret-3',
      'x-goog-api-key': 'secret-4',
      cookie: 'secret-5',
      'x-amz-security-token': 'secret-6',
      'x-custom': 'Bearer secret-7-abcdefgh',
      'x-tenant-id': 'secret-8',
      'OpenAI-Organization': 'secret-9',
    };
    const headers = { ...secret, traceparent: '00-1-1-01', 'x-request-id': 'r1' };
    const model = withFallback([first('a'), first('b'), second('c'), third.responses('d')], {
      headers: [undefined, undefined, { 'x-tenant-id': 'of-second' }],
    });
    await ai5
      .generateText({ model: model as never, prompt: 'Hi.', headers, maxRetries: 0 })
      .catch(() => undefined);
    const [own, other] = [failing, answering].map(({ requests }) => requests.map(request => request.headers));
    expect(own).toHaveLength(2);
    for (const received of own ?? []) expect(received).toMatchObject({ authorization: 'Bearer secret-1' });
    expect(other).toHaveLength(2);
    expect(JSON.stringify(other)).not.toContain('secret');
    expect(other?.[0]).toMatchObject({
      authorization: 'Bearer second-key-2',
      traceparent: '00-1-1-01',
      'x-request-id': 'r1',
      'x-tenant-id': 'of-second',
    });
    expect(other?.[1]).toMatchObject({ authorization: 'Bearer third-key-3', traceparent: '00-1-1-01' });
  });

  it('and the cooldown of one conversation with the status 500 do not move others', async () => {
    const status = { value: 500 };
    const failing = await serve(response => void response.writeHead(status.value).end('{}'));
    const first = v2.createKelivoResponsesProvider({ baseURL: failing.url, apiKey: 'k' });
    const model = withFallback([
      first('a'),
      scriptedModel(...Array.from({ length: 9 }, () => textRound('Ok.'))),
    ]);
    const ask = (prompt: string) => ai5.generateText({ model: model as never, prompt, maxRetries: 0 });
    for (const prompt of ['Long.', 'Long.', 'Short.']) await ask(prompt);
    expect(failing.requests).toHaveLength(3);
    await ask('Another.');
    expect(failing.requests).toHaveLength(3);
  });
});
