import { createOpenAI } from '@ai-sdk/openai';
import { type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Conversation, type Side, startConversation, textsOf, typesOf } from './_conversation.js';

const hostTools = {
  get_weather: tool({
    description: 'Tells the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 18 degrees`,
  }),
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  }),
};

const loopTools = {
  find_book: tool({
    description: 'Finds a book by its title.',
    inputSchema: z.object({ title: z.string() }),
    execute: async ({ title }) => `The book ${title} is on shelf 7`,
  }),
};

const webSearch: ToolSet = { web_search: createOpenAI({ apiKey: 'sk-test' }).tools.webSearch({}) };

const other = (side: Side): Side => (side === 'ours' ? 'stock' : 'ours');

/** Whether all that was answered before stands in the request, by its text or by the item's id. */
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
  (['ours', 'stock'] as const).flatMap(first =>
    (['generate', 'stream'] as const).map(mode => ({ store, first, mode })),
  ),
);

describe.each(cases)('with store $store, $first first, by $mode', ({ store, first, mode }) => {
  const second = other(first);

  it('both go on with the tool rounds of the other', async () => {
    const talk = await startConversation({ store });
    const options = { tools: hostTools, mode };
    const one = await talk.say('Get the weather in Oslo and add 2 and 3', { by: first, ...options });
    expect(one.text).toContain('Oslo: 18 degrees');
    const two = await talk.say('First add 1 and 2, then get the weather in Rome', { by: second, ...options });
    expect(two.inputs).toHaveLength(3);
    expect(two.text).toContain('Rome: 18 degrees');
    const three = await talk.say('Add 4 and 5', { by: first, ...options });
    expect(three.text).toContain('The tool add answered: 9');
    const four = await talk.say('Thanks', { by: second, ...options });
    expectHistory(four.inputs[0], talk.messages.slice(0, -1));
  });

  it('both go on with reasoning of several parts', async () => {
    const talk = await startConversation({ store });
    for (const by of [first, second, first, second]) {
      talk.emulator.enqueue([
        { reasoning: ['**One**\n\nFirst this.', '**Two**\n\nThen that.'] },
        { text: `Said by ${by}.` },
      ]);
      const { inputs } = await talk.say(`Think, ${by}`, { by, mode });
      expectHistory(inputs[0], talk.messages.slice(0, -1));
    }
    const { inputs } = await talk.say('And?', { by: 'ours', mode });
    const reasoning = inputs[0]?.filter(({ type }) => type === 'reasoning') ?? [];
    expect(reasoning.map(({ summary }) => (summary as unknown[]).length)).toEqual([2, 2, 2, 2]);
    expect(new Set(reasoning.map(({ id }) => id)).size).toBe(4);
  });

  it('both go on after a search on the server', async () => {
    const talk = await startConversation({ store });
    for (const [index, by] of [first, second, first].entries()) {
      talk.emulator.enqueue([
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
      const { text, inputs } = await talk.say(`Search, ${by}`, { by, tools: webSearch, mode });
      expect(text).toBe(`News ${index}.`);
      expectHistory(inputs[0], talk.messages.slice(0, -1));
    }
    const last = await talk.say('Thanks', { by: 'ours', tools: webSearch, mode });
    expect(last.warnings).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^Results for OpenAI tool web_search/) }),
    );
    expectHistory(last.inputs[0], talk.messages.slice(0, -1));
  });
});
