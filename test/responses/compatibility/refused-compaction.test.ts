import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { serve } from '../../_server.js';
import { message, toResponse } from '../stream/_fixtures/wire-events.js';
import { modelAt, rejectionOf } from '../_model.js';

type Prompt = LanguageModelV2CallOptions['prompt'];

const user = (text: string): Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] });

const assistant = (text: string): Prompt[number] => ({
  role: 'assistant',
  content: [
    {
      type: 'reasoning',
      text: `About ${text}`,
      providerOptions: { openai: { itemId: `rs_${text}`, reasoningEncryptedContent: `gAAA${text}` } },
    },
    { type: 'text', text, providerOptions: { openai: { itemId: `msg_${text}` } } },
  ],
});

const compaction = (id: string): Prompt[number] => ({
  role: 'assistant',
  content: [
    {
      type: 'reasoning',
      text: '',
      providerOptions: {
        openai: { itemId: id, reasoningEncryptedContent: null },
        kelivo: { item: { type: 'compaction', id, encrypted_content: `gAAA${id}` } },
      },
    },
  ],
});

const system: Prompt[number] = { role: 'system', content: 'Be brief.' };

/** Rejects content that another key encrypted, as the API does. */
const startServer = () =>
  serve((response, { body }) => {
    if (/gAAA/.test(JSON.stringify(body.input))) {
      const error = {
        message: 'The encrypted content gAAA...AAA could not be verified.',
        code: 'invalid_encrypted_content',
      };
      response.writeHead(400).end(JSON.stringify({ error }));
    } else response.end(JSON.stringify(toResponse([message(['Hello'])])));
  });

const textsOf = (input: unknown): string[] =>
  [...JSON.stringify(input).matchAll(/"(?:text|content)":"([^"]*)"/g)].map(([, text = '']) => text);

it('sends the history before a compaction that the key cannot read', async () => {
  const server = await startServer();
  const prompt = [system, user('One'), assistant('1'), compaction('cmp_1'), user('Two'), assistant('2')];
  const { warnings } = await modelAt(server, { historySecret: false }).doGenerate({
    prompt: [...prompt, compaction('cmp_2'), user('Three')],
  });
  const sent = server.requests.at(-1)?.body.input;
  expect(textsOf(sent)).toEqual(['Be brief.', 'One', '1', 'Two', '2', 'Three']);
  expect(JSON.stringify(sent)).not.toMatch(/compaction|reasoning/);
  expect(warnings).toContainEqual({
    type: 'other',
    message:
      'The server cannot read the compaction in the history, which another key or endpoint created: the messages that it ' +
      'replaced are sent again.',
  });
});

it('names the compaction if the history does not contain what it replaced', async () => {
  const server = await startServer();
  const error = await rejectionOf(
    modelAt(server, { historySecret: false }).doGenerate({
      prompt: [system, compaction('cmp_1'), user('Next')],
    }),
  );
  expect(error.message).toMatch(
    /could not be verified\. The server cannot read the compaction in the history/,
  );
  expect(error.statusCode).toBe(400);
  expect(server.requests).toHaveLength(1);
});
