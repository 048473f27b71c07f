import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { mistralMiddleware, type MistralOptions } from '../../src/adapters/families/mistral.js';
import { wrapModel } from '../_core.js';
import { validateMistral } from '../_emulators/mistral-rules.js';
import fc from '../_property.js';
import { assistant, called, result, system, text, tool, user } from './_mistral-messages.js';

// Few ids, some of them valid, so that calls and results match, miss each other and repeat.
const id = fc.constantFrom('call_1', 'call_2', 'toolu_01', 'abcdefghi', 'bcdefghij', '');
const words = fc.constantFrom('Hi', 'Sun.', '', ' \n');
const message: fc.Arbitrary<LanguageModelV2Message> = fc.oneof(
  words.map(system),
  words.map(word => user(word || 'Hi')),
  fc
    .array(
      fc.oneof(
        words.map(text),
        id.map(called),
        id.map(one => ({ ...called(one), providerExecuted: true })),
        id.map(result),
        words.map(reasoning => ({ type: 'reasoning' as const, text: reasoning })),
      ),
      { maxLength: 5 },
    )
    .map(parts => assistant(...parts)),
  fc.array(id, { minLength: 1, maxLength: 3 }).map(ids => tool(...ids)),
);

/** Returns the messages that are sent for a prompt. */
async function sentFor(
  prompt: LanguageModelV2Prompt,
  options: MistralOptions,
): Promise<Record<string, unknown>[]> {
  let sent: Record<string, unknown>[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent = JSON.parse(String(init?.body)).messages;
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Ok' }, finish_reason: 'stop' }];
    return Response.json({ id: 'x', object: 'chat.completion', created: 0, model: 'm', choices });
  };
  const server = createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1', fetch });
  await wrapModel(server('mistral-small'), [mistralMiddleware(options)]).doGenerate({ prompt });
  return sent;
}

/** Returns the texts of the user, in a prompt or on the wire. */
const userTexts = (messages: readonly { role?: unknown; content?: unknown }[]): string[] =>
  messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : Object(content)))
    .map((part: string | { text: string }) => (typeof part === 'string' ? part : part.text))
    .filter(one => one !== 'Continue.');

it.each([
  ['mistral', {}],
  ['mistral-v3', { splitTextFromCalls: true }],
] as const)('sends messages that follow the rules of %s for any history', async (rules, options) => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), async prompt => {
      // Nothing would be left of empty assistant messages alone.
      fc.pre(prompt.some(({ role }) => role !== 'assistant'));
      const before = structuredClone(prompt);
      const sent = await sentFor(prompt, options);
      expect(validateMistral(sent, { rules })).toBeUndefined();
      expect(userTexts(sent)).toEqual(userTexts(prompt));
      expect(prompt).toEqual(before);
    }),
    { seed: 5, numRuns: 500 },
  );
});
