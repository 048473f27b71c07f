import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../src/core/tool-calls/index.js';
import type { CallOutcome } from '../../src/tool-loop/calls/calls.js';
import type { FeatureContext } from '../../src/tool-loop/features/feature.js';
import { createRepeatedCalls } from '../../src/tool-loop/features/repeated-calls/repeated-calls.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
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
import { type Execute, flushCallbacks, scriptedTools } from './_tools.js';

const notice = (times: string) =>
  `Not run: this call returned the same output ${times} in a row. Use that output or change the arguments.`;
const warning = (times: string) =>
  `A call of the tool "read" was not run: the same call returned the same output ${times} in a row.`;

type Input = object | string;

interface Turn {
  /** The inputs of the calls of each round. */
  readonly rounds: readonly (readonly Input[])[];
  readonly read?: Execute;
  readonly options?: Omit<ToolLoopOptions, 'tools'>;
}

/** Runs a turn whose rounds call `read`, or `other` for the input `other`. */
async function run({ rounds, read = () => 'same', options = {} }: Turn) {
  const events: ToolLoopEvent[] = [];
  const source = scriptedTools({ read: { execute: read }, other: () => 'other' });
  let count = 0;
  const toCall = (input: Input) =>
    input === 'other' ? call(`c${count++}`, 'other') : call(`c${count++}`, 'read', input);
  const model = scriptedModel(
    ...rounds.map(inputs => callRound(...inputs.map(toCall))),
    textRound('Enough.'),
  );
  const onEvent = (event: ToolLoopEvent) => void events.push(event);
  const parts = await stream(
    withToolLoop(model, { tools: source, onEvent, execution: 'parallel', ...options }),
  );
  const outputs = exchangeOf(model.requests.at(-1)).outputs.map(([, output]) => output);
  const warnings = events.flatMap(event => (event.type === 'warning' ? [event.message] : []));
  return { parts, outputs, warnings, events, model, runs: source.calls.length };
}

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('a successful call that is repeated with the same output', () => {
  it('runs five times in a row, then the model receives a notice, and the host a warning', async () => {
    const { outputs, runs, warnings, parts, model } = await run({ rounds: times(6, [{ a: 1 }]) });
    expect(outputs).toEqual([...times(5, 'same'), notice('5 times')]);
    expect(runs).toBe(5);
    expect(warnings).toEqual([warning('5 times')]);
    expect(finishOf(parts).providerMetadata?.kelivo).toMatchObject({ warnings });
    expect(finishOf(parts).providerMetadata?.kelivo).not.toHaveProperty('stoppedBy');
    expect(ofType(parts, 'tool-result').at(-1)).not.toMatchObject({ isError: true });
    expect(model.requests.at(-1)?.toolChoice).toBeUndefined();
  });

  it('has a configurable limit', async () => {
    const { outputs, warnings } = await run({ rounds: times(2, [{}]), options: { maxRepeatedCalls: 1 } });
    expect(outputs).toEqual(['same', notice('1 time')]);
    expect(warnings).toEqual([warning('1 time')]);
  });

  it('is recognized by its arguments, not by their text', async () => {
    const rounds = [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }], ['{ "a": 1, "b": 2 }']];
    const { outputs } = await run({ rounds, options: { maxRepeatedCalls: 2 } });
    expect(outputs).toEqual(['same', 'same', notice('2 times')]);
  });

  it.each(['auto', 'sequential'] as const)(
    'counts the calls of one round, with execution "%s"',
    async execution => {
      const read: Execute = async () => {
        await flushCallbacks();
        return 'same';
      };
      const { outputs, runs } = await run({ rounds: [times(8, {})], read, options: { execution } });
      expect(outputs).toEqual([...times(5, 'same'), ...times(3, notice('5 times'))]);
      expect(runs).toBe(5);
    },
  );

  it('runs with calls in sequence and incomplete arguments before it', async () => {
    const { outputs } = await run({
      rounds: [['{"a":"x"', { a: 'x' }, { a: 'x' }]],
      options: { execution: 'sequential', maxRepeatedCalls: 1 },
    });
    expect(outputs).toEqual(['same', notice('1 time'), notice('1 time')]);
  });

  it.each<[string, Turn['rounds'], number]>([
    ['another call comes between', [...times(5, [{}]), ['other'], ...times(5, [{}])], 11],
    ['another call of the same round comes between', [[...times(3, {}), 'other', ...times(3, {})]], 7],
    ['the arguments change', [...times(5, [{ a: 1 }]), [{ a: 2 }], [{ a: 1 }]], 7],
  ])('runs again after %s', async (_, rounds, expected) => {
    const { runs, warnings } = await run({ rounds });
    expect({ runs, warnings }).toEqual({ runs: expected, warnings: [] });
  });

  it.each([
    ['over several rounds', times(10, [{}])],
    ['in one round', [times(10, {})]],
  ])('does not include a tool whose output changes, %s', async (_, rounds) => {
    let count = 0;
    const read = () => `state ${Math.floor(count++ / 4)}`;
    const { runs, warnings } = await run({ rounds, read });
    expect({ runs, warnings }).toEqual({ runs: 10, warnings: [] });
  });

  it('counts from the last change of the output', async () => {
    let count = 0;
    const read = () => (count++ < 3 ? `state ${count}` : 'same');
    const { outputs } = await run({ rounds: times(9, [{}]), read });
    expect(outputs).toEqual(['state 1', 'state 2', 'state 3', ...times(5, 'same'), notice('5 times')]);
  });

  it('does not include failures, which have their own limit', async () => {
    let count = 0;
    const read: Execute = () => ({ type: 'error-text', value: `failure ${count++}` });
    expect(await run({ rounds: times(8, [{}]), read })).toMatchObject({ runs: 8, warnings: [] });
  });

  it('ends the calling after three notices', async () => {
    const { outputs, runs, warnings, model, parts } = await run({ rounds: times(8, [{}]) });
    expect(outputs).toEqual([...times(5, 'same'), ...times(3, notice('5 times'))]);
    expect(runs).toBe(5);
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      ...times(8, undefined),
      'none',
    ]);
    const ended =
      'The calling of tools ended: the same call was repeated although its output did not change.';
    expect(warnings).toEqual([...times(3, warning('5 times')), ended]);
    expect(finishOf(parts).providerMetadata?.kelivo).toMatchObject({
      stoppedBy: 'repeated-calls',
      warnings: [warning('5 times'), ended],
    });
  });

  it('adds the warning to a generated result', async () => {
    const rounds = times(2, callRound(call('c', 'echo')));
    const model = scriptedModel(...rounds, textRound('Enough.'));
    const tools = scriptedTools({ echo: () => 'same' });
    const result = await generate(withToolLoop(model, { tools, maxRepeatedCalls: 1 }));
    expect(result.warnings).toEqual([
      { type: 'other', message: expect.stringContaining('A call of the tool "echo" was not run') },
    ]);
  });
});

it('calls of a response that is repeated do not end a row', () => {
  const context = { warn: () => {} } as unknown as FeatureContext;
  const feature = createRepeatedCalls(context, { maxRepeatedCalls: 2 });
  const add = (city: string) => {
    const made = { toolCallId: city, toolName: 'weather', input: JSON.stringify({ city }) };
    const one = {
      made,
      tool: undefined,
      arguments: parseToolArguments(made.input),
      outcome: undefined as CallOutcome | undefined,
    };
    return { one, admission: feature?.admit?.(one, 1) };
  };
  for (const { one, admission } of [add('Rome'), add('Rome')]) {
    expect(admission?.decide()).toBe('run');
    const output = { type: 'text' as const, value: 'sunny' };
    one.outcome = { call: one.made, tool: undefined, output, duration: 1 };
  }
  for (const { admission } of [add('Oslo'), add('Bern')].toReversed()) admission?.drop();
  expect(add('Rome').admission?.decide()).toEqual({
    type: 'text',
    value: expect.stringContaining('same output 2 times'),
  });
});
