import {
  generateText,
  type ModelMessage,
  stepCountIs,
  streamText,
  type ToolSet,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Prompt } from '../../src/core/prompt.js';
import { pairToolCalls } from '../../src/core/tool-calls/call-pairing.js';
import { type Conversation, type Side, startConversation, textsOf, typesOf } from './_conversation.js';
import { hostTools, loopTools } from './_tools.js';

const webSearch: ToolSet = {
  web_search: {
    type: 'provider-defined',
    id: 'openai.web_search',
    name: 'web_search',
    args: {},
    inputSchema: z.looseObject({}),
    outputSchema: z.unknown(),
  },
};

const other = (side: Side): Side => (side === 'ours' ? 'official' : 'ours');

/** Fails unless the request contains all previous responses, as text or as item id. */
function expectHistory(
  input: Record<string, unknown>[] | undefined,
  messages: readonly ModelMessage[],
): void {
  const sent = JSON.stringify(input);
  const missing = textsOf(messages).filter(
    ({ text, itemId }) => !sent.includes(JSON.stringify(text)) && !sent.includes(JSON.stringify(itemId)),
  );
  expect(missing).toEqual([]);
}

const cases = [false, true].flatMap(store =>
  (['ours', 'official'] as const).flatMap(first =>
    (['generate', 'stream'] as const).map(mode => ({ store, first, mode })),
  ),
);

describe.each(cases)('with store $store, $first first ($mode)', ({ store, first, mode }) => {
  const second = other(first);

  it('both continue after tool rounds of the other', async () => {
    const conversation = await startConversation({ store });
    const options = { tools: hostTools, mode };
    const one = await conversation.send('Get the weather in Oslo and add 2 and 3', { by: first, ...options });
    expect(one.text).toContain('Oslo: 18 degrees');
    const two = await conversation.send('First add 1 and 2, then get the weather in Rome', {
      by: second,
      ...options,
    });
    expect(two.inputs).toHaveLength(3);
    expect(two.text).toContain('Rome: 18 degrees');
    const three = await conversation.send('Add 4 and 5', { by: first, ...options });
    expect(three.text).toContain('The tool add returned: 9');
    const four = await conversation.send('Thanks', { by: second, ...options });
    expectHistory(four.inputs[0], conversation.messages.slice(0, -1));
  });

  it('both continue after reasoning of several parts', async () => {
    const conversation = await startConversation({ store });
    for (const by of [first, second, first, second]) {
      conversation.emulator.enqueue([
        { reasoning: ['**One**\n\nFirst this.', '**Two**\n\nThen that.'] },
        { text: `Said by ${by}.` },
      ]);
      const { inputs } = await conversation.send(`Think, ${by}`, { by, mode });
      expectHistory(inputs[0], conversation.messages.slice(0, -1));
    }
    const { inputs } = await conversation.send('And?', { by: 'ours', mode });
    const reasoning = inputs[0]?.filter(({ type }) => type === 'reasoning') ?? [];
    expect(reasoning.map(({ summary }) => (summary as unknown[]).length)).toEqual([2, 2, 2, 2]);
    expect(new Set(reasoning.map(({ id }) => id)).size).toBe(4);
  });

  it('both continue after a hosted search', async () => {
    const conversation = await startConversation({ store });
    for (const [index, by] of [first, second, first].entries()) {
      conversation.emulator.enqueue([
        { reasoning: 'I search.' },
        {
          type: 'web_search_call',
          id: `ws_${index}`,
          status: 'completed',
          action: { type: 'search', query: 'news' },
        },
        { reasoning: 'I have found it.' },
        { text: `News ${index}.` },
      ]);
      const { text, inputs } = await conversation.send(`Search, ${by}`, { by, tools: webSearch, mode });
      expect(text).toBe(`News ${index}.`);
      expectHistory(inputs[0], conversation.messages.slice(0, -1));
    }
    const last = await conversation.send('Thanks', { by: 'ours', tools: webSearch, mode });
    expect(last.warnings).toEqual([]);
    expect(
      last.inputs[0]?.filter(({ type }) => type === (store ? 'item_reference' : 'web_search_call')),
    ).toMatchObject([{ id: 'ws_0' }, { id: 'ws_1' }, { id: 'ws_2' }]);
    expectHistory(last.inputs[0], conversation.messages.slice(0, -1));
  });
});

describe.each(['declared', 'undeclared'] as const)(
  'calls of our loop, with tools %s by the host',
  declaration => {
    const start = async (store: boolean) => {
      const conversation = await startConversation({ store, settings: { tools: loopTools } });
      const stubs: ToolSet = declaration === 'declared' ? await conversation.ours.tools() : {};
      return { conversation, tools: { ...hostTools, ...stubs } };
    };

    it.each([false, true])('are continued here as calls with their outputs, with store %s', async store => {
      const { conversation, tools } = await start(store);
      const one = await conversation.send('Find the book "Momo" and add 1 and 2', { by: 'ours', tools });
      expect(one.text).toContain('shelf 7');
      const two = await conversation.send('Find the book "Emil"', { by: 'ours', tools });
      const output = two.inputs[0]?.find(({ output }) => output === 'The book Momo is on shelf 7');
      const calls = two.inputs[0]?.filter(({ call_id }) => call_id === output?.call_id);
      expect(typesOf(calls)).toEqual(['function_call', 'function_call_output']);
      expect(two.text).toContain('The book Emil is on shelf 7');
    });

    // Without the call, its reasoning has no item that follows, and the API rejects it.
    if (declaration === 'declared') {
      it('reach the official provider if the prompt is paired', async () => {
        const { conversation, tools } = await start(true);
        await conversation.send('Find the book "Momo"', { by: 'ours', tools });
        const model = wrapLanguageModel({
          model: conversation.model('official'),
          middleware: {
            transformParams: async ({ params }) => ({
              ...params,
              prompt: pairToolCalls(params.prompt as Prompt) as typeof params.prompt,
            }),
          },
        });
        const messages: ModelMessage[] = [...conversation.messages, { role: 'user', content: 'Add 3 and 4' }];
        const { text } = await generateText({
          model,
          messages,
          tools,
          stopWhen: stepCountIs(3),
          maxRetries: 0,
        });
        expect(text).toContain('The tool add returned: 7');
        expect(JSON.stringify(conversation.emulator.requests.at(-1)?.body)).toContain(
          'The book Momo is on shelf 7',
        );
      });
    }

    it('are dropped by the official provider, which keeps the text', async () => {
      const { conversation, tools } = await start(false);
      await conversation.send('Find the book "Momo"', { by: 'ours', tools });
      const two = await conversation.send('Add 3 and 4', { by: 'official', tools });
      expect(two.text).toContain('The tool add returned: 7');
      expect(two.warnings).toContainEqual(
        expect.objectContaining({ message: expect.stringMatching(/^Results for OpenAI tool find_book/) }),
      );
      expectHistory(two.inputs[0], conversation.messages.slice(0, 3));
      const three = await conversation.send('Find the book "Emil"', { by: 'ours', tools });
      expect(three.text).toContain('The book Emil is on shelf 7');
      expectHistory(three.inputs[0], conversation.messages.slice(0, -1));
    });
  },
);

describe.each(cases.filter(({ mode }) => mode === 'stream'))(
  'with store $store, after an aborted turn of $first',
  ({ store, first }) => {
    it.each([
      ['during reasoning', 6, 'reasoning-delta'],
      ['after a call', 20, 'tool-call'],
    ] as const)('we continue (%s)', async (_, after, lastPart) => {
      const conversation = await startConversation({ store });
      await conversation.send('Add 1 and 2', { by: first, tools: hostTools });
      conversation.emulator.enqueue({
        output: [
          { reasoning: ['**One**', '**Two**'] },
          { call: 'add', arguments: { a: 5, b: 6 } },
          { call: 'add', arguments: { a: 7, b: 8 } },
        ],
        fault: 'stall',
        after,
      });
      await abortTurn(conversation, { by: first, store, lastPart });
      const two = await conversation.send('Never mind, add 3 and 4', { by: 'ours', tools: hostTools });
      expect(two.text).toContain('The tool add returned: 7');
      const three = await conversation.send('Thanks', { by: 'ours', tools: hostTools });
      expectHistory(three.inputs[0], conversation.messages.slice(0, -1));
    });
  },
);

/** Runs a turn that the user aborts at the first part of a type. The host stores the parts that it received. */
async function abortTurn(
  { messages, model }: Conversation,
  { by, store, lastPart }: { by: Side; store: boolean; lastPart: string },
): Promise<void> {
  messages.push({ role: 'user', content: 'Add 5 and 6, and 7 and 8' });
  const abort = new AbortController();
  const { add } = hostTools;
  const result = streamText({
    model: model(by),
    messages: [...messages],
    tools: { add: { ...add, execute: undefined } },
    providerOptions: { openai: { store, reasoningSummary: 'auto' } },
    abortSignal: abort.signal,
  });
  const content: Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string> = [];
  for await (const part of result.fullStream) {
    if (part.type === 'reasoning-start')
      content.push({ type: 'reasoning', text: '', providerOptions: part.providerMetadata });
    const last = content.at(-1);
    if (part.type === 'reasoning-delta' && last?.type === 'reasoning') last.text += part.text;
    if (part.type === 'reasoning-end' && last?.type === 'reasoning')
      last.providerOptions = part.providerMetadata;
    if (part.type === 'tool-call') {
      const { toolCallId, toolName, input, providerMetadata } = part;
      content.push({ type: 'tool-call', toolCallId, toolName, input, providerOptions: providerMetadata });
    }
    if (part.type === lastPart) abort.abort();
  }
  expect(content.at(-1)?.type).toBe(lastPart === 'tool-call' ? 'tool-call' : 'reasoning');
  messages.push({ role: 'assistant', content });
}
