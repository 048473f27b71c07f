import { type LanguageModelV2CallOptions, LoadAPIKeyError } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../src/index.js';
import { serveJson } from './_server.js';
import { message, toResponse } from './responses/stream/_fixtures/wire-events.js';

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

/** The headers of a request made with these settings. */
async function headersOf(settings: KelivoResponsesSettings) {
  const server = await serveHello();
  await createKelivoResponsesProvider({ baseURL: server.url, ...settings })
    .responses('m')
    .doGenerate({ prompt });
  return server.requests[0]?.headers;
}

describe('createCallHeaders', () => {
  it('sends the key, the organization and the project', async () => {
    expect(await headersOf({ apiKey: 'sk-1', organization: 'org_1', project: 'proj_1' })).toMatchObject({
      authorization: 'Bearer sk-1',
      'openai-organization': 'org_1',
      'openai-project': 'proj_1',
    });
  });

  it('takes the key from the environment, at the time of the call', async () => {
    const server = await serveHello();
    const model = createKelivoResponsesProvider({ baseURL: server.url }).responses('m');
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    await model.doGenerate({ prompt });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-env');
  });

  it('asks a key function for each request', async () => {
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

  it('passes on what a key function rejects with', async () => {
    const server = await serveHello();
    const apiKey = () => Promise.reject(new Error('vault is sealed'));
    const model = createKelivoResponsesProvider({ baseURL: server.url, apiKey }).responses('m');
    await expect(model.doGenerate({ prompt })).rejects.toThrow('vault is sealed');
    expect(server.requests).toEqual([]);
  });

  it('lets the headers of the settings win, whatever their case, and asks a function for each request', async () => {
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

  it('needs no key for a server other than that of OpenAI', async () => {
    expect(await headersOf({})).not.toHaveProperty('authorization');
  });

  it.each([undefined, 'https://api.openai.com/v1', 'https://api.openai.com'])(
    'says how to set a key that api.openai.com needs (baseURL %s), and sends nothing',
    async baseURL => {
      const fetch = vi.fn<typeof globalThis.fetch>();
      const model = createKelivoResponsesProvider({ baseURL, fetch }).responses('m');
      const error: unknown = await Promise.resolve(model.doGenerate({ prompt })).catch(reason => reason);
      expect(LoadAPIKeyError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        message:
          'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
          'or set the environment variable OPENAI_API_KEY.',
      });
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it('takes a header with credentials for a key', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(toResponse([message(['Hi'])])));
    const model = createKelivoResponsesProvider({
      headers: { authorization: 'Bearer sk-1' },
      fetch,
    }).responses('m');
    await model.doGenerate({ prompt });
    expect(fetch).toHaveBeenCalledOnce();
  });
});
