import { APICallError, type LanguageModelV2 } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { holdClosedPort, type ReceivedRequest, serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { findCanary } from './_find-canary.js';

const CANARY = 'canary-7f3a9b1c';
const OTHER = 'canary-0d5e8a22';
const CANARIES = [CANARY, OTHER];

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

let consoles: MockInstance[] = [];
beforeEach(() => {
  consoles = (['log', 'info', 'warn', 'error', 'debug'] as const).map(name =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Every way to pass a secret. */
const PLACES: readonly [place: string, settings: KelivoResponsesSettings][] = [
  ['a key', { apiKey: CANARY }],
  ['an Azure key', { apiKey: CANARY, api: 'azure' }],
  ['several keys', { apiKey: [CANARY, OTHER] }],
  ['several keys in one string', { apiKey: `${CANARY},${OTHER}` }],
  ['a function that returns a key', { apiKey: async () => `${CANARY}\n` }],
  ['a header', { headers: { 'X-Gateway-Token': CANARY } }],
  ['a function that returns headers', { headers: () => ({ authorization: `Basic ${CANARY}` }) }],
  ['a header of the model', { models: { 'm*': { headers: { cookie: `session=${CANARY}` } } } }],
  ['the query', { query: { key: CANARY } }],
];

/** Returns the path and the headers of a request, for a server that repeats them. */
const repeat = ({ path, headers }: ReceivedRequest): string => `${path} ${JSON.stringify(headers)}`;

type Handler = Parameters<typeof serve>[0];

const json =
  (status: number, toBody: (request: ReceivedRequest) => unknown): Handler =>
  (response, request) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-you-sent': encodeURI(repeat(request)),
    });
    response.end(JSON.stringify(toBody(request)));
  };

const text =
  (status: number, toBody: (request: ReceivedRequest) => string): Handler =>
  (response, request) => {
    response.writeHead(status, {
      'content-type': 'text/event-stream',
      'x-you-sent': encodeURI(repeat(request)),
    });
    response.end(toBody(request));
  };

const begun = toSse(toStream([message(['Hello there'])]).slice(0, 5));

/** Every kind of failure. Each repeats the path and the headers of the request wherever it can. */
const FAILURES: readonly [failure: string, handler: Handler][] = [
  ...[400, 401, 403, 404, 429, 500].map((status): [string, Handler] => [
    `an error of status ${status}`,
    json(status, request => ({
      error: {
        message: `Incorrect: ${repeat(request)}`,
        code: repeat(request),
        [repeat(request)]: [repeat(request)],
      },
    })),
  ]),
  ['an error as plain text', text(502, request => `upstream said ${repeat(request)}`)],
  ['an error that exceeds the read limit', text(500, request => 'x'.repeat(65_500) + repeat(request))],
  ['a web page with status 403', text(403, request => `<html>${repeat(request)}</html>`)],
  ['a web page', text(200, request => `<html>${repeat(request)}</html>`)],
  ['invalid JSON', text(200, request => `{"oh": ${repeat(request)}`)],
  ['other JSON', json(200, request => ({ hello: repeat(request) }))],
  ['a body without events', text(200, repeat)],
  ['a truncated stream', text(200, request => `${begun}data: ${repeat(request)}\n\n`)],
  ['a stream of events with unknown names', text(200, r => toSse([{ type: repeat(r).slice(0, 90) }]))],
  [
    'a connection that breaks',
    (response, request) => {
      response.writeHead(200, { 'x-you-sent': encodeURI(repeat(request)) }).write(begun);
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['an error event', text(200, r => begun + toSse([{ type: 'error', code: repeat(r), message: repeat(r) }]))],
  [
    'an error event without other events',
    text(200, r => toSse([{ type: 'error', error: { message: repeat(r) } }])),
  ],
  [
    'a failed response',
    text(
      200,
      r =>
        begun +
        toSse([{ type: 'response.failed', response: { status: 'failed', error: { message: repeat(r) } } }]),
    ),
  ],
  [
    'a redirect to another origin',
    (response, request) => {
      const location = `http://127.0.0.1:9/?${new URLSearchParams({ you: repeat(request) })}`;
      response.writeHead(307, { location, 'x-you-sent': encodeURI(repeat(request)) }).end();
    },
  ],
  ['no response in time', () => {}],
];

/** Returns the outputs of a call: errors and parts, with the metadata of the request and of the response. */
async function outputsOf(model: LanguageModelV2): Promise<unknown[]> {
  const outputs: unknown[] = [];
  try {
    const { stream, request, response } = await model.doStream({ prompt, includeRawChunks: true });
    outputs.push(request, response);
    for await (const part of stream) outputs.push(part);
  } catch (error) {
    outputs.push(error);
  }
  await Promise.resolve(model.doGenerate({ prompt })).then(
    result => outputs.push(result),
    error => outputs.push(error),
  );
  return outputs;
}

const failureOf = (output: unknown): unknown =>
  APICallError.isInstance(output)
    ? output
    : Object(output).type === 'error'
      ? Object(output).error
      : undefined;

describe.each(PLACES)('a secret in %s', (place, settings) => {
  it.each(FAILURES)('is not contained in %s', async (failure, handler) => {
    const server = await serve(handler);
    const isSilent = failure === 'no response in time';
    const provider = createKelivoResponsesProvider({
      baseURL: server.url,
      timeouts: isSilent ? { connect: 1500 } : {},
      ...settings,
    });
    const outputs = await outputsOf(
      isSilent ? { ...provider.responses('m'), doGenerate: rejected } : provider.responses('m'),
    );
    const embedding = isSilent
      ? undefined
      : await Promise.resolve(provider.textEmbeddingModel('m').doEmbed({ values: ['Hi'] })).catch(e => e);

    // Without a request that contains the secret and a failed call, the test would prove nothing.
    const isOfModel = place === 'a header of the model';
    expect(server.requests.some(request => findCanary(repeat(request), CANARIES))).toBe(true);
    expect(outputs.map(failureOf).filter(Boolean)).not.toEqual([]);
    expect(findCanary(isOfModel ? outputs : [outputs, embedding], CANARIES)).toBeUndefined();
    expect(consoles.map(({ mock }) => mock.calls)).toEqual(consoles.map(() => []));
  });

  it('is not contained in the error of a refused connection', async () => {
    const baseURL = `http://127.0.0.1:${await holdClosedPort()}`;
    const provider = createKelivoResponsesProvider({ baseURL, ...settings });
    const outputs = await outputsOf(provider.responses('m'));
    expect(outputs).toHaveLength(2);
    expect(findCanary(outputs, CANARIES)).toBeUndefined();
  });

  it('is not contained in the error of a `fetch` whose errors contain the request', async () => {
    const fetch: typeof globalThis.fetch = (input, init) =>
      Promise.reject(
        Object.assign(new TypeError('network down'), {
          config: { headers: init?.headers, url: String(input) },
          request: new Request(input, init),
        }),
      );
    const provider = createKelivoResponsesProvider({ baseURL: 'http://server.test', fetch, ...settings });
    const outputs = await outputsOf(provider.responses('m'));
    const failure = { name: 'AI_APICallError', message: expect.stringContaining('network down') };
    expect(outputs).toMatchObject([failure, failure]);
    expect(findCanary(outputs, CANARIES)).toBeUndefined();
  });
});

const rejected = () => Promise.reject(new Error('not called'));

it.each([
  ['a key', { apiKey: `${CANARY}\n${OTHER}` }],
  ['a header', { headers: { 'x-api-key': `${CANARY}\u{1f600}` } }],
])('a secret that makes %s invalid is not reported', async (_, settings) => {
  const outputs = await outputsOf(
    createKelivoResponsesProvider({ baseURL: 'http://127.0.0.1:9', ...settings }).responses('m'),
  );
  expect(outputs.map(failureOf)).toMatchObject([{ name: 'AI_APICallError' }, { name: 'AI_APICallError' }]);
  expect(findCanary(outputs, CANARIES)).toBeUndefined();
});

it.each([
  ['an address', { baseURL: `api.example.com/v1?key=${CANARY}` }],
  ['the password of an address', { baseURL: `https://me:${CANARY}@api.example.com/v1` }],
  ['the password of a host', { baseURL: `me:${CANARY}@api.example.com/v1` }],
  ['a list of keys with a wrong type', { apiKey: [CANARY, 42] }],
  ['a header with a wrong type', { headers: { 'x-key': [CANARY] } }],
])('a rejected setting is not reported: %s', (_, settings) => {
  const create = () => createKelivoResponsesProvider(settings as KelivoResponsesSettings);
  let error: unknown;
  try {
    create();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'invalid-settings' });
  expect(findCanary(error, CANARIES)).toBeUndefined();
});

it('errors do not contain the credentials of a hosted MCP tool', async () => {
  const server = await serve(json(400, ({ body }) => ({ error: { message: JSON.stringify(body.tools) } })));
  const model = createKelivoResponsesProvider({ baseURL: server.url, apiKey: 'sk-key' }).responses('m');
  const args = {
    serverLabel: 'files',
    serverUrl: 'https://mcp.test',
    authorization: CANARY,
    headers: { 'x-any': OTHER },
  };
  const tool = { type: 'provider-defined' as const, id: 'openai.mcp' as const, name: 'mcp', args };
  const error: unknown = await Promise.resolve(model.doGenerate({ prompt, tools: [tool] })).catch(e => e);
  expect(findCanary(server.requests[0]?.body, [CANARY])).toBeDefined();
  expect(error).toMatchObject({
    requestBodyValues: { tools: [{ server_label: 'files', authorization: '[redacted]' }] },
  });
  expect(findCanary(error, CANARIES)).toBeUndefined();
});

it('errors and results contain no secrets of a hosted shell or of an MCP server address', async () => {
  const reject = json(400, ({ body }) => ({ error: { message: JSON.stringify(body.tools) } }));
  const { url } = await serve(reject);
  const answering = await serve((response, request) =>
    text(200, () => toSse(toStream([message(['Hi'])])))(response, request),
  );
  const domainSecrets = [{ domain: 'a.test', name: 'TOKEN', value: CANARY }];
  const networkPolicy = { type: 'allowlist', allowedDomains: ['a.test'], domainSecrets };
  const tools = [
    {
      type: 'provider-defined' as const,
      id: 'openai.shell' as const,
      name: 'shell',
      args: { environment: { type: 'containerAuto', networkPolicy } },
    },
    {
      type: 'provider-defined' as const,
      id: 'openai.mcp' as const,
      name: 'mcp',
      args: { serverLabel: 'files', serverUrl: `https://me:${OTHER}@mcp.test/?team=a&api_key=${OTHER}` },
    },
  ];
  const modelAt = (baseURL: string) => createKelivoResponsesProvider({ baseURL }).responses('m');
  const error: unknown = await Promise.resolve(modelAt(url).doGenerate({ prompt, tools })).catch(e => e);
  const { request } = await modelAt(answering.url).doStream({ prompt, tools });
  expect(CANARIES.map(one => JSON.stringify(answering.requests[0]?.body).includes(one))).toEqual([
    true,
    true,
  ]);
  expect(request?.body).toMatchObject({
    tools: [
      { environment: { network_policy: { domain_secrets: [{ name: 'TOKEN', value: '[redacted]' }] } } },
      { server_url: 'https://me:[redacted]@mcp.test/?team=a&api_key=[redacted]' },
    ],
  });
  expect(APICallError.isInstance(error)).toBe(true);
  expect(findCanary([error, request], CANARIES)).toBeUndefined();
});

it.each([
  ['nested', { a: [{ b: CANARY }] }, '$.a.0.b'],
  ['in a cause', new Error('no', { cause: new Error(CANARY) }), '$.cause.stack'],
  ['in headers', { headers: new Headers({ authorization: CANARY }) }, '$.headers.authorization'],
  ['in a name', { [CANARY]: 1 }, 'name in $'],
])('findCanary finds a secret that is %s', (_, value, path) => {
  expect(findCanary(value, CANARIES)).toContain(path);
  expect(findCanary(value, ['something else'])).toBeUndefined();
});
