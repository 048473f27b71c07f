import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { serve, serveJson } from '../../_server.js';
import { modelAt, prompt, rejectionOf } from '../_model.js';
import { functionCall, reasoning, toResponse } from '../stream/_fixtures/wire-events.js';

describe('a rejected request', () => {
  it.each(['doStream', 'doGenerate'] as const)(
    'rejects %s with the error of the server, without the key',
    async method => {
      const server = await serveJson(
        { error: { message: 'Incorrect API key provided: sk-secret.' } },
        { status: 401 },
      );
      const error = await rejectionOf(modelAt(server)[method]({ prompt }));
      expect(error).toMatchObject({
        message: 'Incorrect API key provided: [redacted].',
        statusCode: 401,
        isRetryable: false,
      });
      expect(JSON.stringify(error)).not.toContain('sk-secret');
      expect(JSON.stringify([error.responseBody, error.data])).not.toContain('sk-secret');
    },
  );

  it('reports a missing key', async () => {
    const server = await serveJson({ error: { message: 'Unauthorized.' } }, { status: 401 });
    const error = await rejectionOf(modelAt(server, { apiKey: '' }).doStream({ prompt }));
    expect(error.message).toContain('No `apiKey` was set');
  });
});

const history: LanguageModelV2CallOptions['prompt'] = [
  ...prompt,
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'Look.',
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAAA' } },
      },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'call_1', toolName: 'look', output: { type: 'text', value: 'ok' } },
    ],
  },
];

const REJECTION = {
  error: {
    message: 'The encrypted content gAAA...AAA could not be verified.',
    code: 'invalid_encrypted_content',
  },
};

const hasReasoning = (body: Record<string, unknown>): boolean =>
  JSON.stringify(body.input).includes('"reasoning"');

describe('a server that rejects replayed reasoning', () => {
  it.each(['doStream', 'doGenerate'] as const)(
    'receives a changed request from %s, without the reasoning',
    async method => {
      const server = await serve((response, { body }) => {
        if (hasReasoning(body)) response.writeHead(400).end(JSON.stringify(REJECTION));
        else response.end(JSON.stringify(toResponse([reasoning({}), functionCall('look', '{}')])));
      });
      await modelAt(server)[method]({ prompt: history });
      expect(server.requests.map(({ body }) => hasReasoning(body))).toEqual([true, false]);
    },
  );

  it('does not receive a third request', async () => {
    const server = await serveJson(REJECTION, { status: 400 });
    const error = await rejectionOf(modelAt(server).doStream({ prompt: history }));
    expect(error.message).toContain('could not be verified');
    expect(server.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(2);
  });

  it('does not receive another request after an unrelated rejection', async () => {
    const server = await serveJson({ error: { message: 'No such model.' } }, { status: 400 });
    await rejectionOf(modelAt(server).doStream({ prompt: history }));
    expect(server.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(1);
  });
});

it('names the setting for a server that refuses `store`', async () => {
  const server = await serveJson({ error: { message: 'Unknown parameter: "store"' } }, { status: 400 });
  const rejected = await rejectionOf(
    modelAt(server).doGenerate({ prompt, providerOptions: { openai: { store: false } } }),
  );
  expect(rejected.message).toBe(
    'Unknown parameter: "store". To send no `store` to this server, set `compatibility: { without: [\'store\'] }`. ' +
      'The server then decides whether it keeps the response.',
  );
  expect(server.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(1);
});
