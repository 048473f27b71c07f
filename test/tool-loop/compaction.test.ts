import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { withOpen } from '../../src/core/source.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import { createEngine, type StepRecord, withStep } from './_engine.js';
import {
  call,
  finishOf,
  generate,
  scriptedModel as createScriptedModel,
  type ScriptedRound,
  start,
  stream,
  textRound,
} from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 });

const end = (finishReason: 'stop' | 'tool-calls', inputTokens: number): LanguageModelV2StreamPart => ({
  type: 'finish',
  finishReason,
  usage: usage(inputTokens),
});

const carrier: LanguageModelV2StreamPart[] = [
  {
    type: 'reasoning-start',
    id: 'compaction',
    providerMetadata: {
      kelivo: { item: { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' } },
    },
  },
  { type: 'reasoning-end', id: 'compaction' },
];

const calls = (id: string, inputTokens: number, more: LanguageModelV2StreamPart[] = []): ScriptedRound => [
  start,
  ...more,
  ...call(id, 'echo', { id }),
  end('tool-calls', inputTokens),
];
const compaction: ScriptedRound = [start, ...carrier, end('stop', 900)];
const answer = textRound('Done.');

const tools = () => scriptedTools({ echo: () => 'ran' });

/** Creates a scripted model that also records which requests have to compact the conversation. */
function scriptedModel(...rounds: ScriptedRound[]) {
  const scripted = createScriptedModel(...rounds);
  const core = fromLanguageModel(scripted);
  const triggers: boolean[] = [];
  const recording = withOpen(core, received => {
    triggers.push(received.turn?.isCompaction === true);
    return core.open(received);
  });
  return Object.assign(toLanguageModel(recording, 'v2'), { requests: scripted.requests, triggers });
}

const triggersOf = ({ triggers }: ReturnType<typeof scriptedModel>) => triggers;
const options = { compactThreshold: 500 };
const warningsOf = (parts: readonly LanguageModelV2StreamPart[]) =>
  finishOf(parts).providerMetadata?.kelivo?.warnings;

describe('the compaction between rounds', () => {
  it.each([
    ['stream', async (model: LanguageModelV2) => finishOf(await stream(model))],
    ['generate', (model: LanguageModelV2) => generate(model)],
  ] as const)('is requested once the threshold is exceeded, and carried on: %s', async (_mode, run) => {
    const model = scriptedModel(calls('c1', 400), calls('c2', 800), compaction, calls('c3', 100), answer);
    const events: ToolLoopEvent[] = [];
    const onEvent = (event: ToolLoopEvent) => void events.push(event);
    const {
      finishReason,
      usage: total,
      providerMetadata,
    } = await run(withToolLoop(model, { tools: tools(), ...options, onEvent }));
    expect(finishReason).toBe('stop');
    expect(triggersOf(model)).toEqual([false, false, true, false, false]);
    const [, , trigger, next] = model.requests;
    expect(next?.prompt.slice(0, -1)).toEqual(trigger?.prompt);
    expect(next?.prompt.at(-1)).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: { kelivo: { item: { type: 'compaction' } } } },
      ],
    });
    const ends = events.flatMap(event =>
      event.type === 'round-end' ? [`${event.round}${event.isCompaction ? ' compaction' : ''}`] : [],
    );
    expect(ends).toEqual(['1', '2', '3 compaction', '3', '4']);
    expect(providerMetadata?.kelivo?.rounds).toMatchObject([{}, {}, { isCompaction: true }, {}, {}]);
    expect(total.inputTokens).toBeGreaterThanOrEqual(400 + 800 + 900 + 100);
  });

  it('is an ordinary round if the model ignores it or goes on, and counts as one', async () => {
    const ignoring = scriptedModel(calls('c1', 800), calls('c2', 900), answer);
    const parts = await stream(withToolLoop(ignoring, { tools: tools(), ...options }));
    expect(triggersOf(ignoring)).toEqual([false, true, false]);
    expect(warningsOf(parts)).toEqual([
      'The conversation is not compacted: the model does not support it. Set `compaction` of the tool loop to "model", so that it writes a summary.',
    ]);
    const continuing = scriptedModel(calls('c1', 800), calls('c2', 100, carrier), answer);
    const done = await stream(withToolLoop(continuing, { tools: tools(), ...options, maxRounds: 3 }));
    expect(triggersOf(continuing)).toEqual([false, true, false]);
    expect(finishOf(done).providerMetadata?.kelivo).toMatchObject({ rounds: [{}, {}, {}] });
    expect(warningsOf(done)).toMatchObject([expect.stringContaining('limit of 3 rounds')]);
  });

  it('ends with a warning if its request fails, and the turn goes on', async () => {
    const model = scriptedModel(
      calls('c1', 800),
      () => {
        throw new Error('Unknown item.');
      },
      calls('c2', 900),
      answer,
    );
    const parts = await stream(withToolLoop(model, { tools: tools(), ...options }));
    expect(finishOf(parts).finishReason).toBe('stop');
    expect(triggersOf(model)).toEqual([false, true, false, false]);
    expect(warningsOf(parts)).toEqual(['The conversation is not compacted: Unknown item.']);
  });

  it('ends with a warning if it does not help', async () => {
    const model = scriptedModel(calls('c1', 800), compaction, calls('c2', 900), calls('c3', 900), answer);
    const parts = await stream(withToolLoop(model, { tools: tools(), ...options }));
    expect(triggersOf(model)).toEqual([false, true, false, false, false]);
    expect(warningsOf(parts)).toMatchObject([expect.stringContaining('even after a compaction')]);
  });

  it('is a step of a durable turn', async () => {
    const records: (StepRecord | undefined)[] = [];
    const script = [calls('c1', 800), compaction, answer];
    const first = createEngine(records);
    await stream(
      withToolLoop(scriptedModel(...script), { tools: tools(), ...options }),
      withStep(first.step),
    );
    expect(first.names.filter(name => /round|compaction/.test(name))).toEqual([
      'round 1',
      'compaction 2',
      'round 2',
    ]);
    const silent = scriptedModel();
    const replay = createEngine(records);
    const parts = await stream(withToolLoop(silent, { tools: tools(), ...options }), withStep(replay.step));
    expect(silent.requests).toEqual([]);
    expect(finishOf(parts).finishReason).toBe('stop');
    expect(replay.names).toEqual(first.names);
  });
});

describe.each([
  ['stream', async (model: LanguageModelV2) => finishOf(await stream(model))],
  ['generate', (model: LanguageModelV2) => generate(model)],
] as const)('a compaction that fails after its response has begun: %s', (_mode, run) => {
  const failure = { type: 'error' as const, error: new Error('It broke.') };
  const failed = { type: 'finish' as const, finishReason: 'error' as const, usage: usage(10) };
  it.each<[string, LanguageModelV2StreamPart[], string]>([
    ['with an error', [start, failure, failed], 'It broke'],
    ['with an error after its item', [start, ...carrier, failure, failed], 'It broke'],
    ['by its length', [start, { ...failed, finishReason: 'length' }], 'the reason "length"'],
    ['by a filter', [start, { ...failed, finishReason: 'content-filter' }], 'the reason "content-filter"'],
  ])('leaves the turn as it is: %s', async (_how, response, reason) => {
    const model = scriptedModel(calls('c1', 800), response, answer);
    const { finishReason, providerMetadata } = await run(
      withToolLoop(model, { tools: tools(), ...options, retry: { streamRetries: 0 } }),
    );
    expect(finishReason).toBe('stop');
    expect(providerMetadata?.kelivo?.warnings).toEqual([expect.stringContaining(reason)]);
    expect(triggersOf(model)).toEqual([false, true, false]);
    expect(JSON.stringify(model.requests[2]?.prompt)).not.toContain('cmp_1');
  });
});

it.each([
  ['server', compaction],
  ['model', [start, ...textRound('The summary.').slice(1, 4), end('stop', 900)]],
] as const)(
  'the request of a compaction counts for the limit of tokens before the next round: %s',
  async (by, made) => {
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Old question.' }] },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Old answer.' }] },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] },
    ];
    const model = scriptedModel(calls('c1', 600), made, calls('c2', 100), answer);
    const looping = withToolLoop(model, { tools: tools(), ...options, compaction: by, maxTokens: 1000 });
    const { providerMetadata } = finishOf(await stream(looping, { prompt }));
    expect(model.requests.at(-1)?.toolChoice).toEqual({ type: 'none' });
    expect(model.requests).toHaveLength(3);
    expect(providerMetadata?.kelivo?.stoppedBy).toBe('max-tokens');
  },
);
