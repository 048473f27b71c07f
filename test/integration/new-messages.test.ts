import type { ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { hosts } from '../host-matrix/_host.js';
import { toSse, type WireEvent } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { startConversation, typesOf } from './_conversation.js';
import { hostTools, loopTools } from './_tools.js';

describe('with `previousResponseId` and the complete history', () => {
  it.each(['ours', 'official'] as const)('sends only the messages after the response of %s', async first => {
    const conversation = await startConversation({ store: true });
    const one = await conversation.send('Add 1 and 2', { by: first, tools: hostTools });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('Add 3 and 4, and get the weather in Rome', {
      by: 'ours',
      tools: hostTools,
      openai,
    });
    expect(typesOf(two.inputs[0])).toEqual(['user']);
    expect(typesOf(two.inputs[1])).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
    expect(two.text).toBe('The tool add returned: 7\nThe tool get_weather returned: Rome: 18 degrees');
  });

  it('appends the rounds of our loop to the new messages', async () => {
    const conversation = await startConversation({ store: true, settings: { tools: loopTools } });
    const one = await conversation.send('Find the book "Momo"', { by: 'ours' });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('Find the book "Emil"', { by: 'ours', openai });
    expect(two.inputs.map(typesOf)).toEqual([
      ['user'],
      ['user', 'reasoning', 'function_call', 'function_call_output'],
    ]);
    expect(two.text).toContain('Emil');
  });

  it('sends only the results of calls that the server stores', async () => {
    const conversation = await startConversation({ store: true });
    const { get_weather: weather } = hostTools;
    const one = await conversation.send('Get the weather in Rome', {
      by: 'ours',
      tools: { get_weather: { ...weather, execute: undefined } },
    });
    const calls = conversation.messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-call'),
    );
    conversation.messages.push({
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: 'Rain' },
      })),
    });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('And what now?', { by: 'ours', tools: hostTools, openai });
    expect(typesOf(two.inputs[0])).toEqual(['function_call_output', 'user']);
  });
});

it('sends a `conversation` only the messages after its last response', async () => {
  const conversation = await startConversation({ store: true });
  await conversation.send('Hello', { by: 'ours' });
  const openai = { conversation: 'conv_1' };
  const { inputs } = await conversation.send('And now?', { by: 'ours', openai });
  expect(inputs.map(typesOf)).toEqual([['user']]);
});

describe.each(hosts)(
  'outputs of calls that the model wrote as one call: $name',
  ({ sdk, createProvider }) => {
    const uses = ['add', 'look'].map(name => ({ recipient_name: `functions.${name}`, parameters: {} }));
    const wrapper = functionCall('parallel', JSON.stringify({ tool_uses: uses }), { callId: 'call_w' });
    const LOOP = { look: () => 'seen', add: () => '3' };

    it.each<[string, boolean, Record<string, unknown>, unknown[]]>([
      ['in a `conversation`', true, { conversation: 'conv_1' }, [['call_w', '3\nseen']]],
      ['in a `conversation` of a host', false, { conversation: 'conv_1' }, [['call_w', '3\nseen']]],
      [
        'in the complete history',
        true,
        {},
        [
          ['call_w_1', '3'],
          ['call_w_2', 'seen'],
        ],
      ],
    ])('are sent %s', async (_name, isLoop, openai, expected) => {
      const inputs: { type: string; call_id?: string; output?: string }[][] = [];
      const tools = Object.fromEntries(
        Object.entries(LOOP).map(([name, execute]) => [name, { inputSchema: z.object({}), execute }]),
      );
      const provider = createProvider({
        baseURL: 'http://server.test/v1',
        ...(isLoop ? { tools } : { toolLoop: false }),
        fetch: async (_url: unknown, init?: RequestInit) => {
          inputs.push((JSON.parse(String(init?.body)) as { input: (typeof inputs)[number] }).input);
          return new Response(toSse(toStream([inputs.length === 1 ? wrapper : message(['Done.'])])), {
            headers: { 'content-type': 'text/event-stream' },
          });
        },
      });
      onTestFinished(() => provider.close());
      const result = sdk.streamText({
        model: provider('gpt-5'),
        prompt: 'Look and add.',
        ...(!isLoop && { tools: tools as never, stopWhen: sdk.stepCountIs(2) }),
        providerOptions: { openai: { store: true, ...openai } as never },
      });
      expect(await result.text).toBe('Done.');
      const outputs = inputs[1]?.filter(({ type }) => type === 'function_call_output');
      expect(outputs?.map(({ call_id: id, output }) => [id, output])).toEqual(expected);
    });
  },
);

/** A body that stays open after its last event. */
const unfinished = (events: readonly WireEvent[], signal: AbortSignal | null | undefined) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(toSse(events)));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });

describe.each(hosts)('a `conversation` after an aborted turn: $name', ({ sdk, createProvider }) => {
  it.each([
    ['in its first response', [], ['user', 'assistant', 'user']],
    ['after a round', [functionCall('look', '{}')], ['function_call_output', 'assistant', 'user']],
  ])('receives what it lacks: %s', async (_name, rounds: readonly ItemScript[], expected) => {
    const answers = [[message(['Hi.'])], ...rounds.map(round => [round]), 'aborted', [message(['Yes.'])]];
    const inputs: { type: string; role?: string }[][] = [];
    const provider = createProvider({
      baseURL: 'http://server.test/v1',
      tools: { look: { inputSchema: z.object({}), execute: () => 'seen' } },
      fetch: async (_url: unknown, init?: RequestInit) => {
        const { input } = JSON.parse(String(init?.body)) as { input: (typeof inputs)[number] };
        inputs.push(input);
        const answer = answers[inputs.length - 1];
        const events = toStream(Array.isArray(answer) ? answer : [message(['One ', 'two'])]);
        const headers = { 'content-type': 'text/event-stream' };
        if (Array.isArray(answer)) return new Response(toSse(events), { headers });
        const cut = events.findIndex(({ type }) => type === 'response.output_text.delta') + 1;
        return new Response(unfinished(events.slice(0, cut), init?.signal), { headers });
      },
    });
    onTestFinished(() => provider.close());
    const shown: { role: string; parts: unknown[] }[] = [];
    const turn = async (text: string, isAborted = false) => {
      shown.push({ role: 'user', parts: [{ type: 'text', text }] });
      const controller = new AbortController();
      const result = sdk.streamText({
        model: provider('gpt-5'),
        messages: (await sdk.convertToModelMessages(shown as never)) as ModelMessage[],
        providerOptions: { openai: { conversation: 'conv_1', store: true } },
        abortSignal: controller.signal,
        maxRetries: 0,
        onError: () => {},
      });
      let last: (typeof shown)[number] | undefined;
      for await (const answer of sdk.readUIMessageStream({ stream: result.toUIMessageStream() as never })) {
        last = answer as never;
        const hasText = JSON.stringify(answer.parts.at(-1)).includes('One');
        if (isAborted && hasText) controller.abort();
      }
      if (last !== undefined) shown.push(structuredClone(last));
    };
    await turn('Hello');
    await turn('Look', true);
    await turn('And?');
    expect(inputs.at(-1)?.map(({ type, role }) => role ?? type)).toEqual(expected);
  });
});
