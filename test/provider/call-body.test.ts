import { expect, it } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';

/** Returns the request of a call over HTTP. */
async function send(providerOptions: Record<string, object>, settings: KelivoResponsesSettings = {}) {
  let request: { body: Record<string, unknown>; headers: Headers } | undefined;
  const provider = createKelivoResponsesProvider({
    baseURL: 'http://server.test/v1',
    apiKey: 'key',
    models: { '*': { body: { top_k: 1, min_p: 0.1 } } },
    fetch: async (_url, init) => {
      request = { body: JSON.parse(String(init?.body)), headers: new Headers(init?.headers) };
      return Response.json({ id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [] });
    },
    ...settings,
  });
  await provider('m').doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    temperature: 0.5,
    providerOptions: providerOptions as never,
  });
  return request;
}

it('adds the fields of a call to the request, before those of the settings', async () => {
  const request = await send({ kelivo: { body: { top_k: 4, seed: 7, temperature: undefined } } });
  expect(request?.body).toMatchObject({ model: 'm', top_k: 4, min_p: 0.1, seed: 7 });
  expect(request?.body).not.toHaveProperty('temperature');
});

it('enables the beta feature that a request uses, in addition to those of the caller', async () => {
  const openai = { multiAgent: { enabled: true } };
  const beta = async (settings?: KelivoResponsesSettings) =>
    (await send({ openai }, settings))?.headers.get('openai-beta');
  expect(await beta()).toBe('responses_multi_agent=v1');
  expect(await beta({ headers: { 'OpenAI-Beta': 'other=v1' } })).toBe('other=v1, responses_multi_agent=v1');
  expect((await send({}))?.headers.get('openai-beta')).toBeNull();
});

it('reads the options of Azure for an Azure provider', async () => {
  const azure = { user: 'a' };
  expect((await send({ azure }, { api: 'azure' }))?.body.user).toBe('a');
  expect((await send({ azure }))?.body).not.toHaveProperty('user');
});
