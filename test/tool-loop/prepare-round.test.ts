import { generateText as generateText5, hasToolCall as hasToolCall5, stepCountIs } from 'ai';
import { generateText as generateText6, hasToolCall as hasToolCall6, stepCountIs as stepCountIs6 } from 'ai6';
import { generateText as generateText7, hasToolCall as hasToolCall7, isStepCount } from 'ai7';
import { describe, expect, it } from 'vitest';
import type { ToolLoopStep } from '../../src/tool-loop/durable/steps.js';
import { toolLoopCallOptions } from '../../src/tool-loop/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type {
  PrepareRound,
  StopCondition,
} from '../../src/tool-loop/features/round-control/round-control.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import { createEngine, type StepRecord } from './_engine.js';
import {
  call,
  callRound,
  exchangeOf,
  finishOf,
  generate,
  ofType,
  scriptedModel,
  stream,
  textRound,
} from './_scripted-model.js';
import { declareTool, gate, scriptedTools } from './_tools.js';

const threeRounds = () => [
  callRound(call('1', 'look', { at: 1 })),
  callRound(call('2', 'look', { at: 2 })),
  textRound('Done.'),
];

function loop(options: Omit<ToolLoopOptions, 'tools'>, rounds = threeRounds()) {
  const model = scriptedModel(...rounds);
  const tools = scriptedTools({ look: () => 'seen', pay: () => 'paid' });
  return { model, tools, looping: withToolLoop(model, { tools, ...options }) };
}

const kelivo = (options: Parameters<typeof toolLoopCallOptions>[0]) => ({
  providerOptions: { kelivo: toolLoopCallOptions(options) },
});

describe('prepareRound', () => {
  it.each(['sync', 'async'])('changes the settings of one round (%s)', async kind => {
    const settings = {
      maxOutputTokens: 50,
      temperature: 0.5,
      toolChoice: 'required' as const,
      providerOptions: { openai: { user: 'u' }, kelivo: { reasoningEffort: 'low' } },
      system: 'Be brief.',
    };
    const prepareRound: PrepareRound = ({ round }) => {
      const result = round === 2 ? settings : undefined;
      return kind === 'async' ? Promise.resolve(result) : result;
    };
    const { model, looping } = loop({ prepareRound });
    const first = { role: 'system' as const, content: 'Be long.' };
    const prompt = [first, { role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }];
    const options = { prompt, temperature: 1, providerOptions: { openai: { store: true } } };
    const parts = await stream(looping, options);
    expect(finishOf(parts).finishReason).toBe('stop');
    const [one, two, three] = model.requests;
    expect([one?.temperature, two?.temperature, three?.temperature]).toEqual([1, 0.5, 1]);
    expect([one?.maxOutputTokens, two?.maxOutputTokens, three?.maxOutputTokens]).toEqual([
      undefined,
      50,
      undefined,
    ]);
    expect([one?.toolChoice, two?.toolChoice?.type, three?.toolChoice]).toEqual([
      undefined,
      'required',
      undefined,
    ]);
    expect(two?.providerOptions).toEqual({
      openai: { store: true, user: 'u' },
      kelivo: { reasoningEffort: 'low' },
    });
    expect(three?.providerOptions).toEqual({ openai: { store: true } });
    expect(model.requests.map(({ prompt }) => prompt[0]?.content)).toEqual([
      'Be long.',
      'Be brief.',
      'Be long.',
    ]);
  });

  it('receives the rounds, the messages, the usage and the context', async () => {
    const seen: Parameters<PrepareRound>[0][] = [];
    const { looping } = loop({ prepareRound: round => void seen.push(round) });
    await stream(looping, kelivo({ context: { user: 7 }, turnId: 't' }));
    expect(seen.map(({ round }) => round)).toEqual([1, 2, 3]);
    expect(seen.map(({ rounds }) => rounds.length)).toEqual([0, 1, 2]);
    expect(seen.map(({ usage }) => usage.totalTokens)).toEqual([undefined, 15, 30]);
    expect(seen[2]?.context).toEqual({ user: 7 });
    expect(seen[2]?.turnId).toBe('t');
    expect(seen[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(seen[2]?.rounds[1]).toMatchObject({
      round: 2,
      text: '',
      finishReason: 'tool-calls',
      toolCalls: [{ toolCallId: '2', toolName: 'look', input: { at: 2 } }],
      toolResults: [{ toolCallId: '2', output: 'seen' }],
    });
  });

  it('is replaced by the function of the call', async () => {
    const { model, looping } = loop({ prepareRound: () => ({ temperature: 0.1 }) });
    await stream(looping, kelivo({ prepareRound: () => ({ temperature: 0.9 }) }));
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([0.9, 0.9, 0.9]);
  });

  it('offers and runs only active tools, those of the host included', async () => {
    const rounds = [callRound(call('1', 'pay'), call('2', 'ask'), call('3', 'look')), textRound('Refused.')];
    const { model, tools, looping } = loop({ prepareRound: () => ({ activeTools: ['look'] }) }, rounds);
    const parts = await stream(looping, { tools: [declareTool('ask')] });
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['look'], ['look']]);
    expect(tools.calls.map(({ toolName }) => toolName)).toEqual(['look']);
    const { outputs } = exchangeOf(model.requests[1]);
    const refusal = (name: string) => `The tool "${name}" is not allowed in this call. Allowed tools: look.`;
    expect(outputs).toEqual([
      ['1', refusal('pay')],
      ['2', refusal('ask')],
      ['3', 'seen'],
    ]);
    // No call reached the host.
    expect(ofType(parts, 'tool-call').filter(part => part.providerExecuted !== true)).toEqual([]);
  });

  it('restricts the tools of one round only', async () => {
    const { model, looping } = loop({
      prepareRound: ({ round }) => (round === 1 ? { activeTools: ['look'] } : undefined),
    });
    await stream(looping);
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 2, 2]);
  });

  it('changes the messages of this and the later rounds, each with calls and outputs in pairs', async () => {
    const { model, looping } = loop({
      prepareRound({ round, messages }) {
        if (round === 2) return { messages: messages.filter(({ role }) => role !== 'assistant') };
        if (round === 3) return { messages: [...messages, { role: 'user', content: 'Hurry.' }] };
        return undefined;
      },
    });
    await stream(looping);
    // The call of the first round is gone with its output.
    expect(exchangeOf(model.requests[1])).toEqual({ calls: [], inputs: [], outputs: [] });
    expect(exchangeOf(model.requests[2])).toMatchObject({ calls: ['2'], outputs: [['2', 'seen']] });
    expect(model.requests[2]?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Hurry.' }],
    });
  });

  it('reads images, files and texts of messages', async () => {
    const url = 'https://example.com/a.png';
    const { model, looping } = loop(
      {
        prepareRound: ({ messages }) => ({
          messages: [
            ...messages,
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Look.' },
                { type: 'image', image: 'data:image/gif;base64,R0lG' },
                { type: 'image', image: new URL(url) },
                { type: 'file', data: new Uint8Array([1]), mediaType: 'application/pdf' },
              ],
            },
          ],
        }),
      },
      [textRound('Seen.')],
    );
    await stream(looping);
    expect(model.requests[0]?.prompt.at(-1)?.content).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType: 'image/gif', data: 'R0lG' },
      { type: 'file', mediaType: 'image/*', data: new URL(url) },
      { type: 'file', mediaType: 'application/pdf', data: new Uint8Array([1]) },
    ]);
  });

  it('cannot allow calls where a limit forbids them', async () => {
    const { model, looping } = loop({ maxRounds: 2, prepareRound: () => ({ toolChoice: 'required' }) }, [
      callRound(call('1', 'look')),
      textRound('Done.'),
    ]);
    await stream(looping);
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'none']);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('No.')), /^No\.$/],
    ['returns an unknown setting', () => ({ model: 'gpt' }) as never, /Unknown setting `model`/],
  ])('ends the turn with the error if it %s', async (_, prepare, message) => {
    const { tools, looping } = loop({
      prepareRound: ({ round }) => (round === 1 ? undefined : prepare()),
    });
    const parts = await stream(looping);
    expect(ofType(parts, 'error').map(({ error }) => (error as Error).message)).toEqual([
      expect.stringMatching(message),
    ]);
    expect(tools.calls).toHaveLength(1);
    expect(finishOf(parts).finishReason).toBe('error');
  });

  it('counts its `maxOutputTokens` as the limit of the round', async () => {
    const { tools, looping } = loop({ prepareRound: () => ({ maxOutputTokens: 5 }) });
    const { finishReason } = await generate(looping);
    expect(finishReason).toBe('length');
    expect(tools.calls).toEqual([]);
  });
});

describe('stopWhen', () => {
  it('ends the turn after the calls of a round, with their outputs', async () => {
    const seen: number[] = [];
    const stopWhen: StopCondition = ({ rounds }) => {
      seen.push(rounds.length);
      return rounds.at(-1)?.toolResults.some(({ input }) => (input as { at: number }).at === 2) === true;
    };
    const { model, tools, looping } = loop({ stopWhen: [() => false, stopWhen] });
    const parts = await stream(looping);
    expect(seen).toEqual([1, 2]);
    expect(tools.calls).toHaveLength(2);
    expect(model.requests).toHaveLength(2);
    const end = finishOf(parts);
    expect(end.finishReason).toBe('tool-calls');
    expect(end.providerMetadata?.kelivo?.stoppedBy).toBe('stop-when');
    expect(ofType(parts, 'tool-result').map(({ result }) => result)).toEqual(['seen', 'seen']);
  });

  it('ends the turn with the error of a condition', async () => {
    const { looping } = loop({
      stopWhen() {
        throw new Error('No.');
      },
    });
    const parts = await stream(looping);
    expect(ofType(parts, 'error')).toMatchObject([{ error: { message: 'No.' } }]);
  });

  const conditions: [string, StopCondition, StopCondition][] = [
    ['ai 5', stepCountIs(2), hasToolCall5('look')],
    ['ai 6', stepCountIs6(2), hasToolCall6('look')],
    ['ai 7', isStepCount(2), hasToolCall7('pay', 'look')],
  ];
  it.each(conditions)('accepts the conditions of %s', async (_, count, named) => {
    const counted = loop({ stopWhen: count });
    await stream(counted.looping);
    expect(counted.model.requests).toHaveLength(2);
    const called = loop({});
    await stream(called.looping, kelivo({ stopWhen: [named] }));
    expect(called.model.requests).toHaveLength(1);
  });

  it.each([
    ['ai 5', generateText5, 'v2'],
    ['ai 6', generateText6, 'v3'],
    ['ai 7', generateText7, 'v4'],
  ] as const)(
    'reaches the rounds through the options of one call of %s',
    async (_, generateText, version) => {
      const { model, looping } = loop({});
      const shown = toLanguageModel(fromLanguageModel(looping), version);
      const result = await (generateText as typeof generateText5)({
        model: shown as never,
        prompt: 'Go.',
        ...kelivo({
          stopWhen: ({ rounds }) => rounds.length === 2,
          prepareRound: ({ round }) => ({ temperature: round / 10 }),
        }),
      });
      expect(model.requests.map(({ temperature }) => temperature)).toEqual([0.1, 0.2]);
      expect(result.providerMetadata?.kelivo?.stoppedBy).toBe('stop-when');
    },
  );

  it('rejects other values', async () => {
    const { looping } = loop({});
    await expect(stream(looping, kelivo({ stopWhen: 3 as never }))).rejects.toThrow(/stopWhen/);
    await expect(stream(looping, kelivo({ prepareRound: 'x' as never }))).rejects.toThrow(/prepareRound/);
  });
});

describe('a durable turn', () => {
  it('records the changes and the decisions', async () => {
    const records: StepRecord[] = [];
    const run = async (temperature: number, step: ToolLoopStep) => {
      const { model, looping } = loop({ prepareRound: () => ({ temperature }) });
      const parts = await stream(looping, kelivo({ step, stopWhen: ({ rounds }) => rounds.length === 2 }));
      return { model, parts };
    };
    const first = await run(0.1, createEngine(records).step);
    expect(records.map(({ name }) => name)).toEqual(expect.arrayContaining(['prepare 2', 'stop 2']));
    const second = await run(0.9, createEngine(records).step);
    expect(second.model.requests).toEqual([]);
    expect(finishOf(second.parts).providerMetadata?.kelivo?.stoppedBy).toBe('stop-when');
    expect(first.model.requests).toHaveLength(2);
  });
});

describe.each(['prepareRound', 'stopWhen'] as const)('a %s that does not answer', name => {
  it.each(['stream', 'generate'] as const)('does not keep an aborted turn from ending (%s)', async mode => {
    const { opened: asked, open } = gate();
    const never = (): Promise<never> => (open(), new Promise(() => {}));
    const { looping } = loop({ [name]: never });
    const controller = new AbortController();
    const run = mode === 'stream' ? stream : (generate as unknown as typeof stream);
    const ended = expect(run(looping, { abortSignal: controller.signal })).rejects.toThrow('Stop.');
    await asked;
    controller.abort(new Error('Stop.'));
    await ended;
  });
});
