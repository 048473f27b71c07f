import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { serve } from '../../_server.js';
import { collect, summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { startEmulator } from '../../testing/_emulator.js';
import { user } from '../request/_build.js';
import { message, toResponse, toStream } from '../stream/_fixtures/wire-events.js';

type Json = Record<string, unknown>;

const modes = ['generate', 'stream'] as const;

/** Starts a server that rejects a request with the text that `check` returns. */
async function start(check: (body: Json) => string | undefined) {
  const { url, requests } = await serve((response, { body }) => {
    const rejection = check(body);
    const isStream = body.stream === true && rejection === undefined;
    response.writeHead(rejection === undefined ? 200 : 400, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
    const answer = [message(['Done.'])];
    if (rejection !== undefined)
      response.end(JSON.stringify({ error: { message: rejection, type: 'invalid_request_error' } }));
    else response.end(isStream ? toSse(toStream(answer)) : JSON.stringify(toResponse(answer)));
  });
  const provider = createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-test' });
  const ask = async (mode: (typeof modes)[number], options: Partial<LanguageModelV2CallOptions>) => {
    const model = provider.responses('gpt-5');
    const call = { prompt: [user('Hi')], ...options };
    if (mode === 'generate') {
      const { content, warnings } = await model.doGenerate(call);
      return { texts: content.flatMap(part => (part.type === 'text' ? [part.text] : [])), warnings };
    }
    const parts = await collect((await model.doStream(call)).stream);
    const warnings = parts.flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    return { texts: summarize(parts).texts, warnings };
  };
  return { ask, bodies: () => requests.map(({ body }) => body) };
}

const functions = (...names: string[]) =>
  names.map(name => ({
    type: 'function' as const,
    name,
    inputSchema: { type: 'object' as const, properties: {} },
  }));

const namesOf = ({ tools }: Json) => (tools as { name: string }[] | undefined)?.map(({ name }) => name);

const rejectTool =
  (bad: string) =>
  (body: Json): string | undefined =>
    namesOf(body)?.includes(bad)
      ? `Invalid schema for function '${bad}': In context=(), it is wrong.`
      : undefined;

describe.each(modes)('a tool whose schema the server rejects: %s', mode => {
  it('is left out with a warning each time, and never from other requests', async () => {
    const { ask, bodies } = await start(rejectTool('bad'));
    const tools = functions('good', 'bad');
    for (const expected of [2, 4]) {
      const { texts, warnings } = await ask(mode, { tools });
      expect(texts).toEqual(['Done.']);
      expect(warnings).toEqual([{ type: 'other', message: expect.stringContaining('"bad"') }]);
      expect(bodies()).toHaveLength(expected);
    }
    expect(bodies().map(namesOf)).toEqual([['good', 'bad'], ['good'], ['good', 'bad'], ['good']]);
  });

  it('is left out together with the choice if it is the only one', async () => {
    const { ask, bodies } = await start(rejectTool('bad'));
    await ask(mode, { tools: functions('bad'), toolChoice: { type: 'auto' } });
    expect(bodies()[1]).not.toHaveProperty('tools');
    expect(bodies()[1]).not.toHaveProperty('tool_choice');
  });

  it.each([
    [{ type: 'tool', toolName: 'bad' } as const, ['good', 'bad']],
    [{ type: 'required' } as const, ['bad']],
  ])('fails the call if the choice requires it: %j', async (toolChoice, names) => {
    const { ask, bodies } = await start(rejectTool('bad'));
    const tools = functions(...names);
    await expect(ask(mode, { tools, toolChoice })).rejects.toThrow("Invalid schema for function 'bad'");
    // Also when it is known that the server rejects it.
    await ask(mode, { tools });
    await expect(ask(mode, { tools, toolChoice })).rejects.toThrow("Invalid schema for function 'bad'");
    expect(bodies().at(-1)).toHaveProperty('tool_choice');
  });
});

it('warns about more than 128 tools with their number', async () => {
  const { ask } = await start(() => undefined);
  const count = (length: number) => ({
    tools: functions(...Array.from({ length }, (_, index) => `t${index}`)),
  });
  expect((await ask('stream', count(128))).warnings).toEqual([]);
  expect((await ask('stream', count(129))).warnings).toEqual([
    { type: 'other', message: expect.stringContaining('129 tools') },
  ]);
});

const idsOf = ({ input }: Json) =>
  (input as Json[]).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));

const stored = (text: string, itemId: string): LanguageModelV2Prompt[number] => ({
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'Hm.', providerOptions: { openai: { itemId: `rs_${itemId}` } } },
    { type: 'text', text, providerOptions: { openai: { itemId } } },
    {
      type: 'tool-call',
      toolCallId: `call_${itemId}`,
      toolName: 'web_search',
      input: {},
      providerExecuted: true,
      providerOptions: { openai: { itemId: `ws_${itemId}` } },
    },
    {
      type: 'tool-result',
      toolCallId: `call_${itemId}`,
      toolName: 'web_search',
      output: { type: 'json', value: {} },
      providerOptions: { openai: { itemId: `ws_${itemId}` } },
    },
  ],
});

describe.each(modes)('items that the server names: %s', mode => {
  it('are sent without their ids if the server has them already', async () => {
    const { ask, bodies } = await start(body => {
      const [id] = idsOf(body);
      return (
        id && `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
      );
    });
    const prompt = [user('Hi'), stored('One.', 'msg_1'), stored('Two.', 'msg_2'), user('Go on')];
    const { texts } = await ask(mode, { prompt, providerOptions: { openai: { store: true } } });
    expect(texts).toEqual(['Done.']);
    expect(bodies().length).toBeGreaterThan(2);
    expect(idsOf(bodies().at(-1) ?? {})).toEqual([]);
    const input = JSON.stringify(bodies().at(-1)?.input);
    expect(['"Hi"', '"One."', '"Two."', '"Go on"'].filter(text => !input.includes(text))).toEqual([]);
  });

  it('get an output if they are calls of the previous response without one', async () => {
    const { ask, bodies } = await start(({ input }) => {
      const [first] = input as Json[];
      return first?.call_id === 'call_7' ? undefined : 'No tool output found for function call call_7.';
    });
    const providerOptions = { openai: { store: true, previousResponseId: 'resp_1' } };
    const { texts } = await ask(mode, { providerOptions });
    expect(texts).toEqual(['Done.']);
    expect(bodies()[1]).toMatchObject({
      previous_response_id: 'resp_1',
      input: [
        { type: 'function_call_output', call_id: 'call_7', output: expect.stringContaining('not executed') },
        { role: 'user' },
      ],
    });
    await expect(ask(mode, {})).rejects.toThrow('No tool output found');
  });

  it('are sent as text, or not at all, if the server reads no encrypted reasoning', async () => {
    const { ask, bodies } = await start(({ input }) =>
      (input as Json[]).some(({ type, content }) => type === 'reasoning' && !Array.isArray(content))
        ? "item['content'] is not an array"
        : undefined,
    );
    const reasoning = { itemId: 'rs_1', reasoningEncryptedContent: 'xyz' };
    const prompt: LanguageModelV2Prompt = [
      user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', providerOptions: { openai: reasoning } },
          { type: 'text', text: 'Hello.' },
        ],
      },
      user('Go on'),
    ];
    for (const given of [prompt, [user('Else.'), ...prompt], prompt])
      expect((await ask(mode, { prompt: given })).texts).toEqual(['Done.']);
    expect(bodies()).toHaveLength(5);
  });
});

describe.each(modes.flatMap(mode => [true, false].map(store => ({ mode, store }))))(
  'reasoning in front of a text: $mode, store $store',
  ({ mode, store }) => {
    // A host may keep the text without its metadata.
    it.each([true, false])(
      'is sent so that the API accepts it at once, with the id of the text: %s',
      async hasId => {
        const emulator = await startEmulator();
        const model = createKelivoResponsesProvider({ baseURL: emulator.baseURL })('gpt-5');
        const call = { prompt: [user('Hi')], providerOptions: { openai: { store } } };
        const { content } = await model.doGenerate(call);
        const history = content.flatMap(part => {
          if (part.type !== 'text' && part.type !== 'reasoning') return [];
          const { providerMetadata, ...rest } = part;
          return [hasId || part.type === 'reasoning' ? { ...rest, providerOptions: providerMetadata } : rest];
        });
        const next = {
          ...call,
          prompt: [user('Hi'), { role: 'assistant' as const, content: history }, user('And now?')],
        };
        if (mode === 'generate') await model.doGenerate(next);
        else await collect((await model.doStream(next)).stream);
        expect(emulator.requests).toHaveLength(2);
        const { input } = emulator.requests.at(-1)?.body as { input: Json[] };
        const sent = input.slice(1, -1).map(({ type, id }) => [type, id !== undefined]);
        // Without its id, only encrypted reasoning means something to the server.
        const isKept = hasId || !store;
        expect(sent).toEqual([...(isKept ? [['reasoning', hasId]] : []), ['message', hasId]]);
      },
    );
  },
);

describe.each(modes)('reasoning with an id in front of a text without one: %s', mode => {
  it.each([true, false])('costs one request in each turn, with `store: %s`', async store => {
    const { ask, bodies } = await start(({ input }) => {
      const items = input as Json[];
      const isRefused = items.some(
        ({ type, id }, index) =>
          type === 'reasoning' && id !== undefined && items[index + 1]?.id === undefined,
      );
      return isRefused
        ? "Item 'rs_1' of type 'reasoning' was provided without its required following item."
        : undefined;
    });
    const thought = { itemId: 'rs_1', reasoningEncryptedContent: 'xyz' };
    const prompt: LanguageModelV2Prompt = [
      user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', providerOptions: { openai: thought } },
          { type: 'text', text: 'Hello.' },
        ],
      },
      user('Go on'),
    ];
    const providerOptions = { openai: { store } };
    for (const question of ['And now?', 'And then?']) {
      const { texts, warnings } = await ask(mode, { prompt, providerOptions });
      expect({ texts, warnings }).toEqual({ texts: ['Done.'], warnings: [] });
      prompt.push({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, user(question));
    }
    expect(bodies()).toHaveLength(2);
    for (const { input } of bodies())
      expect(input).toContainEqual(expect.objectContaining({ encrypted_content: 'xyz' }));
  });
});
