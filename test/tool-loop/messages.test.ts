import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Prompt } from '../../src/core/prompt.js';
import { partsOf } from '../../src/core/source.js';
import { createToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { coreCall, toCore } from '../_core.js';
import { call, callRound, scriptedModel, textRound } from './_scripted-model.js';

const bytes = new Uint8Array([1, 2, 3]);
const url = new URL('https://files.test/a.png');

const prompt: Prompt = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Go.' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'BBBB' } },
      {
        type: 'tool-call',
        toolCallId: 'c0',
        toolName: 'echo',
        input: {},
        own: { tool: { server: 'a', name: 'echo' } },
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c0',
        toolName: 'echo',
        output: {
          type: 'content',
          value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'CCCC' } }],
        },
      },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
];

const messages = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Go.' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', mediaType: 'image/png', data: bytes },
      { type: 'file', mediaType: 'image/png', data: url },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'file', mediaType: 'image/png', data: 'BBBB' },
      {
        type: 'tool-call',
        toolCallId: 'c0',
        toolName: 'echo',
        input: {},
        providerOptions: { kelivo: { tool: { server: 'a', name: 'echo' } } },
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c0',
        toolName: 'echo',
        output: { type: 'content', value: [{ type: 'media', mediaType: 'image/png', data: 'CCCC' }] },
      },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
];

it('passes the messages to tools and approvals in the words of `ModelMessage`', async () => {
  const seen: Record<string, unknown> = {};
  const tools = createLocalTools({
    echo: {
      inputSchema: z.object({}),
      execute: (_input, options) => {
        seen.execute = options.messages;
        return 'ran';
      },
    },
  });
  const model = scriptedModel(callRound(call('c1', 'echo')), textRound('Done.'));
  const loop = createToolLoop(toCore(model), {
    tools,
    approvals: request => {
      seen.approvals = request.messages;
      return true;
    },
    approve: request => {
      seen.approve = request.messages;
      return true;
    },
  });
  const toolApproval = (options: { messages: unknown }) => {
    seen.toolApproval = options.messages;
  };
  const source = await loop.open(coreCall({ prompt, own: { toolApproval } }));
  for await (const part of partsOf(source)) expect(part.type).not.toBe('error');
  expect(seen).toEqual({
    execute: messages,
    approvals: messages,
    approve: messages,
    toolApproval: messages,
  });
});

it('lets tools and policies replace the messages of their call, as hosts do', async () => {
  const tools = createLocalTools({
    echo: {
      inputSchema: z.object({}),
      execute(_input, options) {
        return Object.assign(options, { messages: options.messages.slice(-1) }).messages;
      },
    },
  });
  const model = scriptedModel(callRound(call('c1', 'echo')), textRound('Done.'));
  const loop = createToolLoop(toCore(model), {
    tools,
    approvals: () => true,
    approve: request => Object.assign(request, { messages: [] }).messages.length === 0,
  });
  const outputs: unknown[] = [];
  for await (const part of partsOf(await loop.open(coreCall({ prompt }))))
    if (part.type === 'tool-result') outputs.push(part.result);
  expect(outputs).toEqual([messages.slice(-1)]);
});
