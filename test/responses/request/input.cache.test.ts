import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createTurnMemory } from '../../../src/responses/request/turn-memory.js';
import { type BuildContext, buildCall, type HostCall, read, user } from './_build.js';

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

const cases: Record<string, [Partial<BuildContext>, HostCall?]> = {
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
    const call = read({ ...options, prompt: conversation });
    for (let first = 1; first <= conversation.length; first++) {
      const memory = createTurnMemory();
      buildCall({ ...call, prompt: call.prompt.slice(0, first) }, { ...context, memory });
      const grown = buildCall(call, { ...context, memory });
      expect(grown.body).toEqual(buildCall(call, context).body);
    }
  });
});

it('converts a message once', () => {
  const memory = createTurnMemory();
  const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(1000) };
  const call = read({ prompt: [{ role: 'user', content: [image] }, user('Go on.')] });
  const [first] = buildCall({ ...call, prompt: call.prompt.slice(0, 1) }, { memory }).body.input;
  const [second] = buildCall(call, { memory }).body.input;
  expect(second).toBe(first);
});

it('identifies a cached message by the object, not by its content', () => {
  const memory = createTurnMemory();
  const [first] = buildCall(read({ prompt: [user('Hi')] }), { memory }).body.input;
  const [second] = buildCall(read({ prompt: [user('Bye')] }), { memory }).body.input;
  expect(second).not.toEqual(first);
});
