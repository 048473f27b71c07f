import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel, defineModelAdapter, isContinuation } from '../../src/adapters/index.js';
import { generate, scriptedModel, stream, textRound } from '../tool-loop/_scripted-model.js';

const user: LanguageModelV2Message = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const result: LanguageModelV2Message = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: '1', toolName: 'a', output: { type: 'text', value: 'ok' } }],
};
const always = { name: 'mine', appliesTo: () => true };
const textOf = (parts: readonly { type: string; delta?: unknown }[]): string =>
  parts.map(part => (part.type === 'text-delta' ? String(part.delta) : '')).join('');

/** Answers with deltas of one letter each. */
const letters = (text: string): LanguageModelV2 =>
  scriptedModel(
    ...Array.from({ length: 4 }, (): LanguageModelV2StreamPart[] => [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      ...[...text].map(delta => ({ type: 'text-delta' as const, id: '1', delta })),
      { type: 'text-end', id: '1' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      },
    ]),
  );

describe('an adapter of adapt and adaptBack', () => {
  it('changes the options and the parts, as an object and as an instance of a class', async () => {
    class Loud {
      readonly name = 'loud';
      readonly mark = '!';
      readonly calls = { count: 0 };
      appliesTo(): boolean {
        return this.mark === '!';
      }
      async adapt(options: Parameters<NonNullable<Parameters<typeof defineModelAdapter>[0]['adapt']>>[0]) {
        this.calls.count++;
        return { ...options, temperature: 0, seed: this.calls.count };
      }
      adaptBack(part: { type: string; delta?: string }): never {
        return (part.type === 'text-delta' ? { ...part, delta: part.delta + this.mark } : part) as never;
      }
    }
    const inner = scriptedModel(textRound('a'), textRound('b'));
    const model = adaptModel(inner, { adapters: [defineModelAdapter(new Loud())] });
    expect((await generate(model, { prompt: [user] })).content).toMatchObject([{ text: 'a!' }]);
    expect(textOf(await stream(model, { prompt: [user] }))).toBe('b!');
    expect(inner.requests).toMatchObject([
      { temperature: 0, seed: 1 },
      { temperature: 0, seed: 2 },
    ]);
  });

  it('shares a state between both, and with no other call', async () => {
    const states: object[] = [];
    const counting = defineModelAdapter({
      ...always,
      state: () => ({ deltas: 0, seed: 0 }),
      adapt(options, { state, modelId }) {
        expect(modelId).toBe('scripted');
        states.push(state);
        state.seed = states.length;
        return options;
      },
      async adaptBack(part, { state }) {
        await Promise.resolve();
        return part.type === 'text-delta' ? { ...part, delta: `${state.seed}${++state.deltas} ` } : part;
      },
    });
    const model = adaptModel({ ...letters('xyz'), modelId: 'scripted' }, { adapters: [counting] });
    const texts = await Promise.all([1, 2].map(async () => textOf(await stream(model, { prompt: [user] }))));
    expect(texts).toEqual(['11 12 13 ', '21 22 23 ']);
    expect(states[0]).not.toBe(states[1]);
  });

  it('keeps the order of parts whose promises settle in another one', async () => {
    const delays = [3, 0, 2, 1];
    const late = defineModelAdapter({
      ...always,
      async adaptBack(part) {
        for (let turn = delays.shift() ?? 0; turn > 0; turn--) await new Promise(setImmediate);
        return part;
      },
    });
    expect(textOf(await stream(adaptModel(letters('abcd'), { adapters: [late] }), { prompt: [user] }))).toBe(
      'abcd',
    );
  });

  it('leaves fields of the call out that the adapter omits', async () => {
    const inner = scriptedModel(textRound('a'));
    const plain = defineModelAdapter({ ...always, adapt: ({ prompt }) => ({ prompt }) });
    await generate(adaptModel(inner, { adapters: [plain] }), { prompt: [user], temperature: 1 });
    expect(inner.requests[0]).not.toHaveProperty('temperature');
    expect(inner.requests[0]?.prompt).toEqual([user]);
  });

  it('fails the call for options without a prompt, and for errors of the adapter', async () => {
    const ask = (adapt: () => unknown) =>
      generate(
        adaptModel(letters('a'), { adapters: [defineModelAdapter({ ...always, adapt: adapt as never })] }),
      );
    await expect(ask(() => undefined)).rejects.toThrow(
      'Expected `adapt` of the adapter "mine" to return the options of the call, with their `prompt`, got undefined.',
    );
    await expect(ask(() => Promise.reject(new Error('No key.')))).rejects.toThrow('No key.');
  });

  it('delivers the parts before an error of adaptBack', async () => {
    let seen = 0;
    const failing = defineModelAdapter({
      ...always,
      async adaptBack(part) {
        if (part.type === 'text-delta' && ++seen === 3) throw new Error('Out of order.');
        return part;
      },
    });
    const { stream: parts } = await adaptModel(letters('abcd'), { adapters: [failing] }).doStream({
      prompt: [user],
    });
    const texts: string[] = [];
    const read = async () => {
      for await (const part of parts as unknown as AsyncIterable<{ type: string; delta?: string }>)
        if (part.type === 'text-delta') texts.push(part.delta ?? '');
    };
    await expect(read()).rejects.toThrow('Out of order.');
    expect(texts).toEqual(['a', 'b']);
  });

  it('is cancelled while a promise of the adapter is pending', async () => {
    const stuck = defineModelAdapter({
      ...always,
      adaptBack: part => (part.type === 'text-delta' ? new Promise<never>(() => undefined) : part),
    });
    const { stream: parts } = await adaptModel(letters('a'), { adapters: [stuck] }).doStream({
      prompt: [user],
    });
    const reader = parts.getReader();
    await reader.cancel('enough');
    expect((await reader.read()).done).toBe(true);
  });

  it.each<[string, object, string]>([
    [
      'an unknown field',
      { adaptback: () => undefined },
      'Unknown field `adaptback` of the adapter "mine". Did you mean "adaptBack"?',
    ],
    ['no function', {}, 'Expected the adapter "mine" to have `adapt`, `adaptBack` or `middleware`'],
    [
      'a state that is a value',
      { adapt: (x: object) => x, state: {} },
      'Expected `state` of the adapter "mine" to be a function',
    ],
    [
      'options in place of a function',
      { adapt: { temperature: 0 } },
      'Expected `adapt` of the adapter "mine" to be a function',
    ],
    [
      'a prompt of a wrong type',
      { adapt: (x: object) => x, prompt: 1 },
      'Expected `prompt` of the adapter "mine" to be the name',
    ],
  ])('is rejected with %s', (_, fields, message) => {
    expect(() => defineModelAdapter({ ...always, ...fields } as never)).toThrow(message);
  });
});

it.each<[string, LanguageModelV2CallOptions['prompt'], boolean]>([
  ['a tool result', [user, result], true],
  ['a new message after a result', [user, result, user], false],
  ['a new conversation', [user], false],
  ['an answer to a request for approval', [user, { role: 'tool', content: [] }], false],
])('tells a continuation from another request: %s', (_, prompt, expected) => {
  expect(isContinuation({ prompt: prompt as never })).toBe(expected);
});
