import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  type LanguageModelV2,
  type LanguageModelV2Message,
  type LanguageModelV2Prompt,
} from '@ai-sdk/provider';
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool as defineTool,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { adaptModel } from '../../src/adapters/adapt-model.js';
import { mistral, mistralMiddleware } from '../../src/adapters/mistral.js';
import type { MistralOptions } from '../../src/adapters/mistral/mistral-options.js';
import { wrapModel } from '../../src/adapters/wrap-model.js';
import { createKelivoResponsesProvider } from '../../src/provider.js';
import type { RequestRules } from '../../src/testing/request-rules.js';
import { startEmulator } from '../testing/_emulator.js';
import {
  ask,
  call,
  exchangeOf,
  generate,
  ofType,
  readAll,
  say,
  scriptedModel,
  stream,
} from '../tool-loop/_scripted-model.js';

type Message = LanguageModelV2Message;

const system = (content: string): Message => ({ role: 'system', content });
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (...parts: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content: parts,
});
const text = (value: string) => ({ type: 'text', text: value }) as const;
const called = (toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: 'get_weather', input: { city: 'Oslo' } }) as const;
const result = (toolCallId: string) =>
  ({
    type: 'tool-result',
    toolCallId,
    toolName: 'get_weather',
    output: { type: 'text', value: 'Sun' },
  }) as const;
const tool = (...ids: string[]): Message => ({ role: 'tool', content: ids.map(result) });

const LONG = 'call_QIwPVX1kyWHPcYHHtvt9eHTz';
const whole = [user('Weather?'), assistant(called(LONG)), tool(LONG)];

/** What the model is asked under a middleware. */
async function asked(prompt: LanguageModelV2Prompt, options?: MistralOptions) {
  const model = scriptedModel(say('Hi'));
  await stream(wrapModel(model, [mistralMiddleware(options)]), { prompt });
  return model.requests[0]?.prompt ?? [];
}
const rolesOf = (prompt: LanguageModelV2Prompt) => prompt.map(({ role }) => role);

describe('ids of tool calls', () => {
  it('are nine letters and digits for the model, the same for a call and its result', async () => {
    const shown = exchangeOf({ prompt: await asked(whole) });
    expect(shown.calls).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/)]);
    expect(shown.outputs).toEqual([[shown.calls[0], 'Sun']]);
  });

  it('differ where the ids of others begin alike, and stay from request to request', async () => {
    const ids = ['call_00000000000a', 'call_00000000000b', 'toolu_01A', 'chatcmpl-tool-1', 'a'];
    const prompt = [user('Go.'), assistant(...ids.map(called)), tool(...ids)];
    const { calls } = exchangeOf({ prompt: await asked(prompt) });
    expect(new Set(calls).size).toBe(ids.length);
    const later = [...prompt, assistant(text('Done.')), user('And now?')];
    expect(exchangeOf({ prompt: await asked(later) }).calls).toEqual(calls);
  });

  it('stay where they have the form, and are not given to another call', async () => {
    const [short = ''] = exchangeOf({ prompt: await asked(whole) }).calls;
    const prompt = [...whole, assistant(called(short)), tool(short)];
    const { calls } = exchangeOf({ prompt: await asked(prompt) });
    expect(calls[1]).toBe(short);
    expect(calls[0]).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(calls[0]).not.toBe(short);
  });

  it.each(['stream', 'generate'] as const)(
    'are those of the caller again where the answer names a call of the conversation (%s)',
    async mode => {
      const [short = ''] = exchangeOf({ prompt: await asked(whole) }).calls;
      const answer = ask(call(short, 'get_weather'), call('new123456', 'get_weather'));
      const model = wrapModel(scriptedModel(answer), [mistralMiddleware()]);
      if (mode === 'generate') {
        const { content } = await generate(model, { prompt: whole });
        expect(content.map(part => part.type === 'tool-call' && part.toolCallId)).toEqual([
          LONG,
          'new123456',
        ]);
        return;
      }
      const parts = await stream(model, { prompt: whole });
      expect(ofType(parts, 'tool-call').map(part => part.toolCallId)).toEqual([LONG, 'new123456']);
      for (const type of ['tool-input-start', 'tool-input-delta', 'tool-input-end'] as const) {
        expect(ofType(parts, type).map(({ id }) => id)).toEqual([LONG, 'new123456']);
      }
    },
  );

  it('are left alone where that is asked for', async () => {
    expect(exchangeOf({ prompt: await asked(whole, { callIds: false }) }).calls).toEqual([LONG]);
  });
});

describe('the order of messages', () => {
  it('has a word of the assistant between a result and the user', async () => {
    const prompt = await asked([...whole, user('Thanks. And Rome?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(prompt[3]).toEqual(assistant(text('Understood.')));
    expect((await asked([...whole, user('And?')], { bridge: 'Noted.' }))[3]).toEqual(
      assistant(text('Noted.')),
    );
    expect(rolesOf(await asked([...whole, user('And?')], { bridge: false }))).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('has a result for a call that was interrupted', async () => {
    const { outputs } = exchangeOf({
      prompt: await asked([user('Go.'), assistant(called('a'), called('b'))]),
    });
    expect(outputs.map(([, output]) => output)).toEqual([
      expect.stringMatching(/interrupted/),
      expect.stringMatching(/interrupted/),
    ]);
  });

  it('has a call for a result without one, and one result for each', async () => {
    const prompt = await asked([user('Go.'), tool('lost'), assistant(text('Hm.')), user('So?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    const twice = exchangeOf({ prompt: await asked([...whole, tool(LONG)]) });
    expect(twice.outputs).toHaveLength(1);
  });

  it('tells apart calls of one id', async () => {
    const prompt = await asked([...whole, assistant(text('Again.'), called(LONG)), tool(LONG)]);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(new Set(calls).size).toBe(2);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('makes calls like others of those that another provider ran, hosted ones too', async () => {
    const ran = [called(LONG), { ...called('ws_1'), toolName: 'web_search' }].map(part => ({
      ...part,
      providerExecuted: true,
    }));
    const results = [result(LONG), { ...result('ws_1'), toolName: 'web_search' }];
    const prompt = await asked([user('Go.'), assistant(...ran, ...results, text('Sun.')), user('Thanks')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(calls.every(id => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('leaves calls as they are where that is asked for', async () => {
    const prompt = [user('Go.'), assistant(called('abcdefghi'))];
    expect(await asked(prompt, { pairCalls: false, continuation: false })).toEqual(prompt);
  });

  it('has system messages before the assistant speaks', async () => {
    const prompt = [
      system('One.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      system('Three.'),
      user('Bye'),
    ];
    expect(await asked(prompt)).toEqual([
      system('One.'),
      system('Three.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      user('Bye'),
    ]);
    expect(await asked(prompt, { moveSystem: false })).toEqual(prompt);
    const atEnd = [...whole, system('Be brief.')];
    expect(rolesOf(await asked(atEnd))).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('has no message of the assistant without content', async () => {
    const prompt = [user('Hi'), assistant({ type: 'reasoning', text: 'Hm' }, text(' \n')), user('Hello?')];
    expect(await asked(prompt)).toEqual([{ role: 'user', content: [text('Hi'), text('Hello?')] }]);
    expect(await asked(prompt, { dropEmpty: false })).toEqual(prompt);
    expect(rolesOf(await asked([...whole, assistant(), user('And?')]))).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('alternates between user and assistant', async () => {
    const prompt = [
      user('a'),
      user('b'),
      assistant(text('c')),
      assistant(text('d'), called(LONG)),
      tool(LONG),
    ];
    const joined = await asked(prompt);
    expect(rolesOf(joined)).toEqual(['user', 'assistant', 'tool']);
    expect(joined[0]).toEqual({ role: 'user', content: [text('a'), text('b')] });
    expect(joined[1]?.content).toMatchObject([text('c'), text('d'), { type: 'tool-call' }]);
    expect(rolesOf(await asked(prompt, { mergeNeighbours: false }))).toEqual(rolesOf(prompt));
  });

  it('ends with the user or a tool, but for a message the model is to go on with', async () => {
    const prompt = [user('Count.'), assistant(text('One, two,'))];
    expect(await asked(prompt)).toEqual([...prompt, user('Continue.')]);
    expect(await asked(prompt, { continuation: 'Go on.' })).toEqual([...prompt, user('Go on.')]);
    expect(await asked(prompt, { continuation: false })).toEqual(prompt);
    const prefix = [
      user('Count.'),
      { ...assistant(text('One, ')), providerOptions: { openaiCompatible: { prefix: true } } },
    ];
    expect(await asked(prefix)).toEqual(prefix);
    const stock = { ...scriptedModel(say('three')), provider: 'mistral.chat' };
    await stream(wrapModel(stock, [mistralMiddleware()]), { prompt });
    expect(stock.requests[0]?.prompt).toEqual(prompt);
  });

  it('keeps text and calls apart where that is asked for', async () => {
    const prompt = [user('Go.'), assistant(text('I look.'), called('abcdefghi')), tool('abcdefghi')];
    expect(await asked(prompt)).toEqual(prompt);
    expect(await asked(prompt, { splitTextFromCalls: true })).toEqual([
      prompt[0],
      assistant(text('I look.')),
      assistant(called('abcdefghi')),
      prompt[2],
    ]);
  });

  it('is the server’s where the server keeps the conversation', async () => {
    const model = scriptedModel(say('Hi'));
    const prompt = [tool('abcdefghi'), user('And?')];
    await stream(wrapModel(model, [mistralMiddleware()]), {
      prompt,
      providerOptions: { openai: { previousResponseId: 'resp_1' } },
    });
    expect(model.requests[0]?.prompt).toEqual(prompt);
  });

  it('does not change the history of the caller', async () => {
    const prompt = [...whole, user('And?'), assistant(), system('x'), assistant(text('y'))];
    const copy = structuredClone(prompt);
    await asked(prompt);
    expect(prompt).toEqual(copy);
  });
});

describe('options', () => {
  it.each<[unknown, string]>([
    [
      { bridge: ' ' },
      'Invalid `bridge` of the options of mistralMiddleware: expected a text that is not empty, or false',
    ],
    [{ bridges: 'x' }, 'Unknown setting `bridges` in the options of mistralMiddleware.'],
    [{ callIds: 'yes' }, 'Invalid `callIds` of the options of mistralMiddleware'],
  ])('are checked: %j', (options, message) => {
    expect(() => mistralMiddleware(options as MistralOptions)).toThrow(message);
  });
});

// From here on, a server that refuses what the Mistral API refuses, in its words.

const clients: Record<string, (baseURL: string) => LanguageModelV2> = {
  '@ai-sdk/openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'local', baseURL, apiKey: 'sk-test' })('devstral-small-2507'),
  '@ai-sdk/mistral': baseURL => createMistral({ baseURL, apiKey: 'sk-test' })('mistral-large-latest'),
  'this package': baseURL =>
    createKelivoResponsesProvider({ baseURL, apiKey: 'sk-test' }).responses('mistralai/Mistral-Small'),
};

const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } } },
  },
];

/** Conversations that are refused, and by which words, over chat completions. */
const refused: readonly {
  readonly title: string;
  readonly prompt: LanguageModelV2Prompt;
  readonly message: string;
  readonly rules?: RequestRules;
  readonly options?: MistralOptions;
  /** Clients whose form of the request is not refused. */
  readonly accepted?: readonly string[];
  /** Clients that cannot say it otherwise. */
  readonly impossible?: readonly string[];
}[] = [
  {
    title: 'long ids',
    prompt: whole,
    message: `Tool call id was ${LONG} but must be a-z, A-Z, 0-9, with a length of 9.`,
  },
  {
    title: 'a user after a tool',
    prompt: [user('Hi'), assistant(called('abcdefghi')), tool('abcdefghi'), user('And?')],
    message: "Unexpected role 'user' after role 'tool'",
  },
  {
    title: 'a call without a result',
    prompt: [user('Hi'), assistant(called('abcdefghi'))],
    message: 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    accepted: ['@ai-sdk/mistral', 'this package'],
  },
  {
    title: 'fewer results than calls',
    prompt: [user('Hi'), assistant(called('abcdefghi'), called('bcdefghij')), tool('abcdefghi')],
    message: 'Not the same number of function calls and responses',
    accepted: ['this package'],
  },
  {
    title: 'two results for a call',
    prompt: [user('Hi'), assistant(called('abcdefghi')), tool('abcdefghi', 'abcdefghi')],
    message: 'Duplicate tool call id abcdefghi in tool results',
    accepted: ['this package'],
  },
  {
    title: 'a result without a call',
    prompt: [user('Hi'), assistant(text('Hm.')), tool('abcdefghi')],
    message: 'Unexpected tool call id abcdefghi in tool results',
    accepted: ['this package'],
  },
  {
    title: 'a system message after the assistant',
    prompt: [user('Hi'), assistant(text('Hello')), system('Be brief.'), user('And?')],
    message: "Unexpected role 'system' after role 'assistant'",
  },
  {
    title: 'an empty message of the assistant',
    prompt: [user('Hi'), assistant(text('')), user('And?')],
    message: 'Assistant message must have either content or tool_calls, but not none.',
    accepted: ['this package'],
  },
  {
    title: 'the assistant at the end',
    prompt: [user('Count.'), assistant(text('One, two,'))],
    message: 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    accepted: ['@ai-sdk/mistral'],
  },
  {
    title: 'text beside calls, by the rules of old models',
    prompt: [user('Hi'), assistant(text('I look.'), called('abcdefghi')), tool('abcdefghi')],
    message: 'Assistant message must have either content or tool_calls, but not both.',
    rules: 'mistral-v3',
    options: { splitTextFromCalls: true },
    // In the Responses API, text and calls are items beside each other in any case.
    impossible: ['this package'],
  },
];

describe.each(Object.entries(clients))('a server with the rules of Mistral behind %s', (name, toModel) => {
  const possible = refused.filter(({ impossible = [] }) => !impossible.includes(name));

  it.each(possible)(
    'takes $title',
    async ({ prompt, message, rules = 'mistral', options, accepted = [] }) => {
      const { baseURL } = await startEmulator({ rules });
      const bare = toModel(baseURL);
      const request = { prompt, tools };
      if (!accepted.includes(name)) {
        expect(await refusalOf(bare.doGenerate(request))).toContain(message);
        expect(await refusalOf(bare.doStream(request))).toContain(message);
      }
      const adapted =
        options === undefined ? adaptModel(bare) : wrapModel(bare, [mistralMiddleware(options)]);
      expect((await adapted.doGenerate(request)).content).not.toEqual([]);
      const parts = await readAll((await adapted.doStream(request)).stream);
      expect(ofType(parts, 'error')).toEqual([]);
      expect(ofType(parts, 'finish')).toHaveLength(1);
    },
  );
});

/** What the server said; not every client puts it into the message of its error. */
async function refusalOf(answer: PromiseLike<unknown>): Promise<string> {
  try {
    await answer;
  } catch (error) {
    if (APICallError.isInstance(error)) return `${error.message} ${error.responseBody}`;
    throw error;
  }
  throw new Error('The server took it.');
}

const getWeather = defineTool({
  description: 'Tells the weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: 18 degrees`,
});

describe.each(['streamText', 'generateText'] as const)('a conversation begun elsewhere, with %s', mode => {
  const turn = { tools: { get_weather: getWeather }, stopWhen: stepCountIs(5), maxRetries: 0 };

  async function ask(model: LanguageModel, messages: ModelMessage[]) {
    if (mode === 'generateText') {
      const { text, response } = await generateText({ ...turn, model, messages });
      return { text, messages: response.messages };
    }
    const result = streamText({ ...turn, model, messages, onError: () => undefined });
    return { text: await result.text, messages: (await result.response).messages };
  }

  it('goes on at a server with the rules of Mistral, and goes back', async () => {
    const openai = await startEmulator();
    const gpt = createKelivoResponsesProvider({ baseURL: openai.baseURL, apiKey: 'sk-test' })('gpt-5');
    const strict = await startEmulator({ rules: 'mistral' });
    const bare = clients['@ai-sdk/openai-compatible']?.(strict.baseURL);
    if (bare === undefined) throw new Error('no client');

    const messages: ModelMessage[] = [{ role: 'user', content: 'Get the weather in Oslo' }];
    const begun = await ask(gpt, messages);
    const question: ModelMessage = { role: 'user', content: 'Get the weather in Rome' };
    const history = [...messages, ...begun.messages, question];
    await expect(ask(bare, history)).rejects.toThrow();

    const gone = await ask(adaptModel(bare), history);
    expect(gone.text).toContain('Rome: 18 degrees');
    const ids = new Set(
      history.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.flatMap(part => ('toolCallId' in part ? [part.toolCallId] : [])),
      ),
    );
    expect([...ids]).toEqual([expect.stringMatching(/^call_.{10,}$/)]);
    const sent = strict.requests.at(-1)?.body as { messages: { tool_calls?: { id: string }[] }[] };
    const sentIds = sent.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(sentIds).toEqual([expect.stringMatching(/^\w{9}$/), expect.stringMatching(/^\w{9}$/)]);

    const back = await ask(gpt, [...history, ...gone.messages, { role: 'user', content: 'Hello again' }]);
    expect(back.text).toContain('Hello again');
  });
});

it('applies to all that Mistral makes', () => {
  expect(mistral.appliesTo('labs-devstral-small-2512')).toBe(true);
});
