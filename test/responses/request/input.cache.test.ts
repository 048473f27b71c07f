import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { BuildRequestContext } from '../../../src/responses/request/build-request.js';
import { createConvertedMessages } from '../../../src/responses/request/input.js';
import { build, user } from './_build.js';

const openai = (fields: Record<string, string>) => ({ providerOptions: { openai: fields } });

const reasoning = (itemId: string) => ({
  type: 'reasoning' as const,
  text: 'Hm.',
  ...openai({ itemId, reasoningEncryptedContent: `encrypted ${itemId}` }),
});

const call = (toolCallId: string, toolName = 'look.up') => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName,
  input: { of: toolCallId },
  ...openai({ itemId: `fc_${toolCallId}` }),
});

const result = (toolCallId: string, toolName = 'look.up'): LanguageModelV2Prompt[number] => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'found' } }],
});

const conversation: LanguageModelV2Prompt = [
  { role: 'system', content: 'Be brief.' },
  user('Look it up.'),
  { role: 'assistant', content: [reasoning('rs_1'), call('a')] },
  result('a'),
  // The same reasoning again: some servers attach it to each of several calls.
  { role: 'assistant', content: [reasoning('rs_1'), call('b', 'shell')] },
  result('b', 'shell'),
  { role: 'assistant', content: [{ type: 'text', text: 'Found.', ...openai({ itemId: 'msg_1' }) }] },
  // An approval is sent once: the server would act on it again.
  {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId: 'mcpr_1',
        toolName: 'mcp_approval_request',
        input: { serverLabel: 'docs', name: 'write' },
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'mcpr_1',
        toolName: 'mcp_approval_request',
        output: { type: 'json', value: { approve: true } },
      },
    ],
  },
  user('And this?'),
  { role: 'assistant', content: [call('c')] },
  result('c'),
];

const cases: Record<string, [Partial<BuildRequestContext>, Partial<LanguageModelV2CallOptions>?]> = {
  'without ids': [{}],
  'with ids and generated reasoning': [{ missingReasoning: 'synthesize' }],
  'that the server stores': [{ store: true }],
  'with a hosted tool': [
    {},
    { tools: [{ type: 'provider-defined', id: 'openai.local_shell', name: 'shell', args: {} }] },
  ],
};

describe.each(Object.keys(cases))('a conversation %s', name => {
  const [context = {}, options = {}] = cases[name] ?? [];

  it('is converted to the same request, regardless of how much of it is cached', () => {
    for (let first = 1; first <= conversation.length; first++) {
      const known = createConvertedMessages();
      build({ ...options, prompt: conversation.slice(0, first) }, { ...context, known });
      const grown = build({ ...options, prompt: conversation }, { ...context, known });
      expect(grown.body).toEqual(build({ ...options, prompt: conversation }, context).body);
    }
  });
});

it('converts a message once', () => {
  const known = createConvertedMessages();
  const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(1000) };
  const prompt: LanguageModelV2Prompt = [{ role: 'user', content: [image] }];
  const [first] = build({ prompt }, { known }).body.input;
  const [second] = build({ prompt: [...prompt, user('Go on.')] }, { known }).body.input;
  expect(second).toBe(first);
});

it('identifies a cached message by the object, not by its content', () => {
  const known = createConvertedMessages();
  const [first] = build({ prompt: [user('Hi')] }, { known }).body.input;
  const [second] = build({ prompt: [user('Bye')] }, { known }).body.input;
  expect(second).not.toEqual(first);
});
