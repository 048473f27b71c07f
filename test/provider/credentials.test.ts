import { type LanguageModelV2CallOptions, LoadAPIKeyError } from '@ai-sdk/provider';
import { generateText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesProvider,
  type KelivoResponsesSettings,
} from '../../src/index.js';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { serve, serveJson } from '../_server.js';
import { message, toResponse } from '../responses/stream/_fixtures/wire-events.js';

const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
];

beforeEach(() => {
  vi.stubEnv('OPENAI_API_KEY', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const serveHello = () => serveJson(toResponse([message(['Hi'])]));

/** Returns the headers of a request with these settings. */
async function headersOf(settings: KelivoResponsesSettings) {
  const server = await serveHello();
  await createKelivoResponsesProvider({ baseURL: server.url, ...settings })
    .responses('m')
    .doGenerate({ prompt });
  return server.requests[0]?.headers;
}

describe('createCredentials', () => {
  it('sends the key, the organization and the project', async () => {
    expect(await headersOf({ apiKey: 'sk-1', organization: 'org_1', project: 'proj_1' })).toMatchObject({
      authorization: 'Bearer sk-1',
      'openai-organization': 'org_1',
      'openai-project': 'proj_1',
    });
  });

  it('reads the key from the environment when the model is called', async () => {
    const server = await serveHello();
    const model = createKelivoResponsesProvider({ baseURL: server.url }).responses('m');
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    await model.doGenerate({ prompt });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-env');
  });

  it('calls a key function for each request', async () => {
    const server = await serveHello();
    let asked = 0;
    const model = createKelivoResponsesProvider({
      baseURL: server.url,
      apiKey: async () => `sk-${++asked}`,
    }).responses('m');
    await model.doGenerate({ prompt });
    await model.doGenerate({ prompt });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-1',
      'Bearer sk-2',
    ]);
  });

  it('rejects with the error of a key function', async () => {
    const server = await serveHello();
    const apiKey = () => Promise.reject(new Error('vault is sealed'));
    const model = createKelivoResponsesProvider({ baseURL: server.url, apiKey }).responses('m');
    await expect(model.doGenerate({ prompt })).rejects.toThrow('vault is sealed');
    expect(server.requests).toEqual([]);
  });

  it('overrides headers with those of the settings in any case, and calls a function for each request', async () => {
    expect(
      await headersOf({ apiKey: 'sk-1', headers: { Authorization: 'Bearer mine', 'X-A': 'a' } }),
    ).toMatchObject({
      authorization: 'Bearer mine',
      'x-a': 'a',
    });
    let asked = 0;
    expect(
      await headersOf({ headers: () => ({ 'x-n': String(++asked), 'x-none': undefined }) }),
    ).toMatchObject({ 'x-n': '1' });
  });

  it('requires no key for servers other than OpenAI', async () => {
    expect(await headersOf({})).not.toHaveProperty('authorization');
  });

  it.each([undefined, 'https://api.openai.com/v1', 'https://api.openai.com'])(
    'explains how to set the key that api.openai.com requires (baseURL %s), and sends nothing',
    async baseURL => {
      const fetch = vi.fn<typeof globalThis.fetch>();
      const model = createKelivoResponsesProvider({ baseURL, fetch }).responses('m');
      const error: unknown = await Promise.resolve(model.doGenerate({ prompt })).catch(reason => reason);
      expect(LoadAPIKeyError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        message:
          'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
          'or set the environment variable OPENAI_API_KEY. To try it without a key, run `npx kelivo-responses emulator` and ' +
          'set `baseURL` or OPENAI_BASE_URL to the address that it prints.',
      });
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it('accepts a header with credentials instead of a key', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(toResponse([message(['Hi'])])));
    const model = createKelivoResponsesProvider({
      headers: { authorization: 'Bearer sk-1' },
      fetch,
    }).responses('m');
    await model.doGenerate({ prompt });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('sends an Azure key as `api-key`, and a Microsoft Entra token as a bearer token', async () => {
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.signature';
    expect(await headersOf({ api: 'azure', apiKey: 'azure-key' })).toMatchObject({
      'api-key': 'azure-key',
    });
    expect(await headersOf({ api: 'azure', apiKey: () => token })).toMatchObject({
      authorization: `Bearer ${token}`,
    });
  });
});

describe('several keys', () => {
  const keysOf = ({ requests }: { requests: readonly { headers: Record<string, unknown> }[] }) =>
    requests.map(({ headers }) => headers.authorization);

  it('are used in rotation, with one key for all rounds of a call', async () => {
    const emulator = await startResponsesEmulator();
    onTestFinished(() => emulator.close());
    emulator.enqueue([{ call: 'add', arguments: { a: 1 } }], [{ text: 'Done' }], [{ text: 'Hello' }]);
    const keys: unknown[] = [];
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey: 'sk-one,sk-two',
      tools: { add: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a }) },
      fetch: (input, init) => {
        keys.push(new Headers(init?.headers).get('authorization'));
        return fetch(input, init);
      },
    });
    await generateText({ model: provider('gpt-5'), prompt: 'Add' });
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(keys).toEqual(['Bearer sk-one', 'Bearer sk-one', 'Bearer sk-two']);
  });

  it('are read from the environment when the model is called', async () => {
    const server = await serveHello();
    const model = createKelivoResponsesProvider({ baseURL: server.url }).responses('m');
    for (const keys of ['sk-one, sk-two', 'sk-one, sk-two', 'sk-three']) {
      vi.stubEnv('OPENAI_API_KEY', keys);
      await model.doGenerate({ prompt });
    }
    expect(keysOf(server)).toEqual(['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-three']);
  });

  it('replace a rate-limited or rejected key before any output', async () => {
    for (const status of [429, 401]) {
      let refusals = 0;
      const server = await serve(response => {
        const isRefused = refusals++ === 0;
        response.writeHead(isRefused ? status : 200, {
          'content-type': 'application/json',
          'retry-after': '60',
        });
        response.end(
          JSON.stringify(isRefused ? { error: { message: 'No.' } } : toResponse([message(['Hi'])])),
        );
      });
      const settings = { baseURL: server.url, apiKey: ['sk-one', 'sk-two'] };
      const model = createKelivoResponsesProvider(settings).responses('m');
      await model.doGenerate({ prompt });
      await model.doGenerate({ prompt });
      expect(keysOf(server)).toEqual(['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-two']);
    }
  });

  /** Starts a server that answers one key and refuses all others. */
  const serveOnly = (accepted: string, { status, error }: { status: number; error: object }) =>
    serve((response, { headers, path }) => {
      const isAccepted = headers.authorization === `Bearer ${accepted}`;
      const answer = path.endsWith('/embeddings')
        ? { data: [{ index: 0, embedding: [1] }] }
        : toResponse([message(['Hi'])]);
      response.writeHead(isAccepted ? 200 : status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAccepted ? answer : { error }));
    });

  const noAccess = {
    status: 403,
    error: { message: 'Project `p` does not have access to model `o9`', code: 'model_not_found' },
  };
  const noQuota = {
    status: 429,
    error: { message: 'You exceeded your current quota.', type: 'insufficient_quota' },
  };

  it.each([
    [
      'without access to the model',
      noAccess,
      ['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-one', 'Bearer sk-two'],
    ],
    [
      'of another region',
      { status: 403, error: { message: 'Not here.', code: 'unsupported_country_region_territory' } },
      ['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-one', 'Bearer sk-two'],
    ],
    ['without quota', noQuota, ['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-two']],
    [
      'without credits',
      { status: 402, error: { message: 'Insufficient Balance' } },
      ['Bearer sk-one', 'Bearer sk-two', 'Bearer sk-two'],
    ],
  ])('replace a key %s, for responses and embeddings', async (_, refusal, expected) => {
    for (const call of [
      (provider: KelivoResponsesProvider) => provider.responses('m').doGenerate({ prompt }),
      (provider: KelivoResponsesProvider) => provider.textEmbeddingModel('m').doEmbed({ values: ['Hi'] }),
    ]) {
      const server = await serveOnly('sk-two', refusal);
      const provider = createKelivoResponsesProvider({ baseURL: server.url, apiKey: ['sk-one', 'sk-two'] });
      await call(provider);
      await call(provider);
      // A key without access to one model is used again, because it may have access to others.
      expect(keysOf(server)).toEqual(expected);
    }
  });

  it.each([
    ['access', noAccess],
    ['quota', noQuota],
  ])(
    'fail with the error of the server after one request for each key if none has %s',
    async (_, refusal) => {
      for (const apiKey of [['sk-one', 'sk-two'], ['sk-one']]) {
        const server = await serveOnly('none', refusal);
        const model = createKelivoResponsesProvider({ baseURL: server.url, apiKey }).responses('m');
        const error = { statusCode: refusal.status, message: refusal.error.message, isRetryable: false };
        await expect(model.doGenerate({ prompt })).rejects.toMatchObject(error);
        // The list of models, which this server does not have, is read for an unknown one.
        expect(server.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(apiKey.length);
        await expect(model.doGenerate({ prompt })).rejects.toMatchObject(error);
      }
    },
  );

  it('fail with the last rejection of the server, without a key, if all are rejected', async () => {
    const server = await serve(response => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Incorrect API key provided: sk-two' } }));
    });
    const settings = { baseURL: server.url, apiKey: ['sk-one', 'sk-two'] };
    const model = createKelivoResponsesProvider(settings).responses('m');
    const first: unknown = await Promise.resolve(model.doGenerate({ prompt })).catch(reason => reason);
    expect(first).toMatchObject({ statusCode: 401, message: 'Incorrect API key provided: [redacted]' });
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({
      statusCode: 401,
      message: 'Incorrect API key provided: [redacted]',
    });
    expect(server.requests).toHaveLength(2);
  });
});

it('a rate limit inside a stream disables the key and the next one is used, before the first content', async () => {
  const emulator = await startResponsesEmulator();
  onTestFinished(() => emulator.close());
  emulator.enqueue({ fault: 'error-event', code: 'rate_limit_exceeded' }, [{ text: 'Hello' }]);
  const keys: unknown[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: ['sk-one', 'sk-two'],
    fetch: (input, init) => {
      keys.push(new Headers(init?.headers).get('authorization'));
      return fetch(input, init);
    },
  });
  const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Hi', maxRetries: 0 });
  expect({ text, keys }).toEqual({ text: 'Hello', keys: ['Bearer sk-one', 'Bearer sk-two'] });
});
