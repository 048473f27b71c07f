import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { serveJson } from '../_server.js';
import { modelAt, prompt, rejectionOf } from './_model.js';

const HINT = 'Check `baseURL`: this server has no Responses API there.';

const MISSING: readonly [string, number, unknown, string][] = [
  ['vLLM, SGLang, LiteLLM', 404, { detail: 'Not Found' }, 'Not Found'],
  [
    'llama.cpp',
    404,
    { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
    'File Not Found',
  ],
  ['Kong', 404, { message: 'no Route matched with those values' }, 'no Route matched with those values'],
  ['Spring', 404, { status: 404, error: 'Not Found', path: '/v1/responses' }, 'Not Found'],
  [
    'LM Studio',
    200,
    { error: 'Unexpected endpoint or method. (POST /v1/responses)' },
    'Unexpected endpoint or method. (POST /v1/responses)',
  ],
];

const OTHERS: readonly [string, unknown][] = [
  ['a model', { error: { code: 'model_not_found', message: 'Not Found', param: 'model' } }],
  [
    'a model of vLLM',
    { error: { message: 'The model `m` does not exist.', type: 'NotFoundError', code: 404 } },
  ],
  [
    'a response',
    {
      error: {
        code: 'previous_response_not_found',
        message: "Previous response with id 'resp_1' not found.",
        param: 'previous_response_id',
      },
    },
  ],
  ['an item', { error: { code: null, message: "Item with id 'msg_1' not found.", param: 'input' } }],
  ['a conversation', { error: { code: null, message: "Conversation with id 'conv_1' not found." } }],
];

describe.each(['generate', 'stream'] as const)('status 404 with JSON: %s', mode => {
  const errorOf = async (url: string) => {
    const model = modelAt({ url });
    return rejectionOf(mode === 'generate' ? model.doGenerate({ prompt }) : model.doStream({ prompt }));
  };

  it.each(MISSING)(
    'names the address if the server has no such API: %s',
    async (_server, status, body, text) => {
      const { url } = await serveJson(body, { status });
      const error = await errorOf(url);
      expect(error.message).toBe(`${error.url} returned "${text}". ${HINT}`);
      expect(error.url).toContain(`${url}/`);
      expect(error).toMatchObject({ statusCode: 404, isRetryable: false });
    },
  );

  it.each(OTHERS)('does not, if something else is missing: %s', async (_name, body) => {
    const { url } = await serveJson(body, { status: 404 });
    expect((await errorOf(url)).message).not.toContain('baseURL');
  });
});

it('names the endpoint that a server lacks for a compaction', async () => {
  const { url } = await serveJson({ detail: 'Not Found' }, { status: 404 });
  const provider = createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-secret' });
  const { message } = await rejectionOf(provider.compact('gpt-5', { messages: prompt }));
  expect(message).toContain(
    '/responses/compact returned "Not Found". This server has no endpoint for compactions.',
  );
  expect(message).not.toContain('baseURL');
});
