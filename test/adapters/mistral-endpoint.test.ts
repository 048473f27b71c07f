import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV2, type LanguageModelV2Prompt } from '@ai-sdk/provider';
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
import { mistralMiddleware, type MistralOptions } from '../../src/adapters/families/mistral.js';
import { wrapModel } from '../_core.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { MistralRules } from '../_emulators/mistral-rules.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { ofType, readAll } from '../tool-loop/_scripted-model.js';
import { assistant, called, LONG, system, text, tool, tools, user, whole } from './_mistral-messages.js';

// The server rejects the same requests as the Mistral API, with the same messages.

const clients: Record<string, (baseURL: string) => LanguageModelV2> = {
  '@ai-sdk/openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'local', baseURL, apiKey: 'sk-test' })('devstral-small-2507'),
  '@ai-sdk/mistral': baseURL => createMistral({ baseURL, apiKey: 'sk-test' })('mistral-large-latest'),
  'this package': baseURL =>
    createKelivoResponsesProvider({ baseURL, apiKey: 'sk-test' }).responses('mistralai/Mistral-Small'),
};

/** Conversations that chat completions reject, with the message of the rejection. */
const rejected: readonly {
  readonly title: string;
  readonly prompt: LanguageModelV2Prompt;
  readonly message: string;
  readonly rules?: MistralRules;
  readonly options?: MistralOptions;
  /** Clients whose request is not rejected. */
  readonly accepted?: readonly string[];
  /** Clients that cannot send the corrected form. */
  readonly impossible?: readonly string[];
}[] = [
  {
    title: 'long ids',
    prompt: whole,
    message: `Tool call id was ${LONG} but must be a-z, A-Z, 0-9, with a length of 9.`,
  },
  {
    title: 'a user message after a tool',
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
    title: 'an empty assistant message',
    prompt: [user('Hi'), assistant(text('')), user('And?')],
    message: 'Assistant message must have either content or tool_calls, but not none.',
    accepted: ['this package'],
  },
  {
    title: 'a final assistant message',
    prompt: [user('Count.'), assistant(text('One, two,'))],
    message: 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    accepted: ['@ai-sdk/mistral'],
  },
  {
    title: 'text and calls in one message, by the rules of old models',
    prompt: [user('Hi'), assistant(text('I look.'), called('abcdefghi')), tool('abcdefghi')],
    message: 'Assistant message must have either content or tool_calls, but not both.',
    rules: 'mistral-v3',
    options: { splitTextFromCalls: true },
    // In the Responses API, text and calls are always separate items.
    impossible: ['this package'],
  },
];

describe.each(Object.entries(clients))(
  'a server with the rules of Mistral, called by %s',
  (name, toModel) => {
    const possible = rejected.filter(({ impossible = [] }) => !impossible.includes(name));

    it.each(possible)(
      'accepts $title',
      async ({ prompt, message, rules = 'mistral', options, accepted = [] }) => {
        const { baseURL } = await startEmulator({ rules });
        const bare = toModel(baseURL);
        const request = { prompt, tools };
        if (!accepted.includes(name)) {
          expect(await rejectionOf(bare.doGenerate(request))).toContain(message);
          expect(await rejectionOf(bare.doStream(request))).toContain(message);
        }
        const adapted =
          options === undefined ? adaptModel(bare) : wrapModel(bare, [mistralMiddleware(options)]);
        expect((await adapted.doGenerate(request)).content).not.toEqual([]);
        const parts = await readAll((await adapted.doStream(request)).stream);
        expect(ofType(parts, 'error')).toEqual([]);
        expect(ofType(parts, 'finish')).toHaveLength(1);
      },
    );
  },
);

/** Returns the message of the server, which not every client copies to its error. */
async function rejectionOf(response: PromiseLike<unknown>): Promise<string> {
  try {
    await response;
  } catch (error) {
    if (APICallError.isInstance(error)) return `${error.message} ${error.responseBody}`;
    throw error;
  }
  throw new Error('The server accepted the request.');
}

const getWeather = defineTool({
  description: 'Returns the weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: 18 degrees`,
});

describe.each(['streamText', 'generateText'] as const)(
  'a conversation of another provider, with %s',
  mode => {
    const turn = { tools: { get_weather: getWeather }, stopWhen: stepCountIs(5), maxRetries: 0 };

    async function ask(model: LanguageModel, messages: ModelMessage[]) {
      if (mode === 'generateText') {
        const { text, response } = await generateText({ ...turn, model, messages });
        return { text, messages: response.messages };
      }
      const result = streamText({ ...turn, model, messages, onError: () => undefined });
      return { text: await result.text, messages: (await result.response).messages };
    }

    it("continues at a server with Mistral's rules, and back", async () => {
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
  },
);

describe.each(Object.entries(clients))('the tool loop over %s', (_, toModel) => {
  const begun: LanguageModelV2Prompt = [...whole, user('Get the weather in Rome')];

  it('continues a conversation with long ids, streamed and generated', async () => {
    const { baseURL } = await startEmulator({ rules: 'mistral' });
    const looped = withToolLoop(adaptModel(toModel(baseURL)), {
      tools: createLocalTools({ get_weather: getWeather }),
    });
    const parts = await readAll((await looped.doStream({ prompt: begun })).stream);
    expect(ofType(parts, 'error')).toEqual([]);
    expect(
      ofType(parts, 'text-delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toContain('Rome: 18 degrees');
    const { content } = await looped.doGenerate({ prompt: begun });
    expect(content).toContainEqual(
      expect.objectContaining({ type: 'text', text: expect.stringContaining('Rome: 18 degrees') }),
    );
  });
});
