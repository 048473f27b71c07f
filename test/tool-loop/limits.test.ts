import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import {
  callRound,
  call,
  exchangeOf,
  finish,
  finishOf,
  generate,
  ofType,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
} from './_scripted-model.js';
import { declareTool, flushCallbacks, scriptedTools } from './_tools.js';

const tools = () => scriptedTools({ echo: () => 'ran' });
const again = (number: number) => callRound(call(`c${number}`, 'echo', { number }));

describe('the limit of rounds', () => {
  it('forbids calls in the last request, and the turn ends with its response', async () => {
    const model = scriptedModel(again(1), again(2), textRound('Enough.'));
    const parts = await stream(withToolLoop(model, { tools: tools(), maxRounds: 3 }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined, 'none']);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('defaults to 20', async () => {
    const model = scriptedModel(
      ...Array.from({ length: 19 }, (_, index) => again(index)),
      textRound('Enough.'),
    );
    await stream(withToolLoop(model, { tools: tools() }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type).lastIndexOf('none')).toBe(19);
  });

  it('keeps the tools of the last request, because the history contains their calls', async () => {
    const model = scriptedModel(again(1), textRound('Enough.'));
    await stream(withToolLoop(model, { tools: tools(), maxRounds: 2 }));
    expect(model.requests[1]?.tools).toHaveLength(1);
  });

  it.each([1, 2])('refuses calls in round %i of as many, and reports the reason', async maxRounds => {
    const source = tools();
    const model = scriptedModel(...[again(1), again(2)].slice(0, maxRounds));
    const parts = await stream(withToolLoop(model, { tools: source, maxRounds }), {
      tools: [declareTool('echo')],
    });
    expect(source.calls).toHaveLength(maxRounds - 1);
    expect(ofType(parts, 'tool-result').at(-1)).toMatchObject({
      toolCallId: `c${maxRounds}`,
      result: `Not run: the limit of ${maxRounds === 1 ? '1 round' : '2 rounds'} is reached.`,
      isError: true,
    });
    expect(finishOf(parts).finishReason).toBe('other');
  });
});

describe('the limit of tool calls', () => {
  const calls = (...ids: string[]) => callRound(...ids.map(id => call(id, 'echo')));
  const refused = 'Not run: the limit of 2 tool calls is reached.';

  it('refuses further calls in the order of the model, and the next request forbids calls', async () => {
    const source = tools();
    const model = scriptedModel(calls('c1', 'c2', 'c3'), textRound('Enough.'));
    const parts = await stream(withToolLoop(model, { tools: source, maxToolCalls: 2 }));
    expect(source.calls.map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    expect(exchangeOf(model.requests[1]).outputs).toEqual([
      ['c1', 'ran'],
      ['c2', 'ran'],
      ['c3', refused],
    ]);
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, 'none']);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('counts the calls of all rounds, and forbids calls as soon as it is reached', async () => {
    const model = scriptedModel(calls('c1'), calls('c2'), textRound('Enough.'));
    await stream(withToolLoop(model, { tools: tools(), maxToolCalls: 2 }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined, 'none']);
  });

  it('applies to a model that calls although calls are forbidden', async () => {
    const source = tools();
    const model = scriptedModel(calls('c1', 'c2'), calls('c3'));
    const parts = await stream(withToolLoop(model, { tools: source, maxToolCalls: 2 }));
    expect(source.calls).toHaveLength(2);
    expect(ofType(parts, 'tool-result').at(-1)).toMatchObject({ toolCallId: 'c3', result: refused });
    expect(finishOf(parts).finishReason).toBe('other');
  });
});

describe('a call that fails three times', () => {
  const failing = () => scriptedTools({ echo: () => ({ type: 'error-text', value: 'no such file' }) });
  const choices = async (inputs: object[], source = failing()) => {
    const rounds = inputs.map((input, index) => callRound(call(`c${index}`, 'echo', input)));
    const model = scriptedModel(...rounds, textRound('I give up.'));
    const parts = await stream(withToolLoop(model, { tools: source }));
    expect(finishOf(parts).finishReason).toBe('stop');
    return model.requests.slice(1).map(({ toolChoice }) => toolChoice?.type);
  };

  it('forbids calls in the next request if the failures are identical', async () => {
    expect(await choices([{ a: 1 }, { a: 1 }, { a: 1 }])).toEqual([undefined, undefined, 'none']);
  });

  it('may be repeated with other arguments', async () => {
    expect(await choices([{ a: 1 }, { a: 2 }, { a: 1 }])).toEqual([undefined, undefined, undefined]);
  });

  it('may be repeated if the failures differ', async () => {
    let count = 0;
    const source = scriptedTools({ echo: () => ({ type: 'error-text', value: `failure ${count++}` }) });
    expect(await choices([{}, {}, {}], source)).toEqual([undefined, undefined, undefined]);
  });

  it('counts once in a round, because the model has not seen the failure', async () => {
    const equal = ['c1', 'c2', 'c3'].map(id => call(id, 'echo', { a: 1 }));
    const model = scriptedModel(callRound(...equal), textRound('I go on.'));
    await stream(withToolLoop(model, { tools: failing() }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined]);
  });

  it('is another call if its unreadable arguments differ', async () => {
    const unreadable = (at: number) => call(`c${at}`, 'echo', `{"k":${at}${' '.repeat(400)}`);
    const model = scriptedModel(...[1, 2, 3].map(at => callRound(unreadable(at))), textRound('I give up.'));
    await stream(withToolLoop(model, { tools: tools() }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(Array(4).fill(undefined));
  });

  it('does not count successful calls', async () => {
    expect(await choices([{}, {}, {}], tools())).toEqual([undefined, undefined, undefined]);
  });
});

describe('calls of tools that do not exist', () => {
  it('forbid calls after three rounds, regardless of their names and number', async () => {
    const events: ToolLoopEvent[] = [];
    const onEvent = (event: ToolLoopEvent) => void events.push(event);
    const unknown = (round: number) =>
      callRound(
        call(`a${round}`, `guess${round}`),
        call(`b${round}`, 'guess'),
        call(`c${round}`, 'echo', { round }),
      );
    const model = scriptedModel(unknown(1), unknown(2), unknown(3), textRound('I give up.'));
    const parts = await stream(withToolLoop(model, { tools: tools(), onEvent }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      undefined,
      undefined,
      undefined,
      'none',
    ]);
    expect(finishOf(parts).providerMetadata?.kelivo?.stoppedBy).toBe('repeated-failures');
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { message: 'The calling of tools ended: tools that do not exist were called in 3 rounds.' },
    ]);
  });
});

describe('the time limit of a turn', () => {
  const message = 'The turn exceeded its limit of 30 ms (timeouts.total).';

  // Loading the modules of a turn takes real time.
  beforeAll(async () => {
    await stream(withToolLoop(scriptedModel(again(1), textRound('Done.')), { tools: tools() }));
  });
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Lets the turn run as far as it can, and then reaches its time limit. */
  async function exceedLimit<Result>(turn: PromiseLike<Result>): Promise<Result> {
    const result = Promise.resolve(turn);
    result.catch(() => {});
    await flushCallbacks();
    vi.advanceTimersByTime(30);
    return result;
  }

  it('ends a running tool: every call has a result, followed by an error and the finish', async () => {
    const source = scriptedTools({ endless: () => new Promise(() => {}) });
    const model = scriptedModel(callRound(call('c1', 'endless'), call('c2', 'endless')));
    const parts = await exceedLimit(stream(withToolLoop(model, { tools: source, timeouts: { total: 30 } })));
    expect(source.calls).toHaveLength(1);
    expect(ofType(parts, 'tool-result').map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['c1', true],
      ['c2', true],
    ]);
    expect(ofType(parts, 'error')).toMatchObject([{ error: { name: 'TimeoutError', message } }]);
    expect(finishOf(parts)).toMatchObject({ finishReason: 'error', usage: { totalTokens: 15 } });
    expect(finishOf(parts).providerMetadata?.kelivo).toMatchObject({
      stoppedBy: 'total-timeout',
      warnings: ['The calling of tools ended: the limit of 30 ms for the turn is reached (timeouts.total).'],
    });
  });

  it('ends a response that is streaming, and closes its blocks', async () => {
    const model = scriptedModel(async function* () {
      yield* [start, ...text('The beginning').slice(0, 2)];
      await new Promise(() => {});
    });
    const parts = await exceedLimit(stream(withToolLoop(model, { tools: tools(), timeouts: { total: 30 } })));
    expect(ofType(parts, 'error')).toMatchObject([{ error: { message } }]);
    expect(ofType(parts, 'text-end')).toHaveLength(1);
    expect(finishOf(parts).finishReason).toBe('error');
  });

  it('ends a generated turn', async () => {
    const source = scriptedTools({ endless: () => new Promise(() => {}) });
    const model = scriptedModel(callRound(call('c1', 'endless')));
    const turn = generate(withToolLoop(model, { tools: source, timeouts: { total: 30 } }));
    await expect(exceedLimit(turn)).rejects.toMatchObject({ name: 'TimeoutError', message });
  });

  it('includes the listing of the tools', async () => {
    const source = { ...tools(), listTools: () => new Promise<never>(() => {}) };
    const turn = stream(withToolLoop(scriptedModel(), { tools: source, timeouts: { total: 30 } }));
    await expect(exceedLimit(turn)).rejects.toMatchObject({ message });
  });
});

describe('a limit that ended the calling of tools', () => {
  const failing = () => scriptedTools({ echo: () => ({ type: 'error-text', value: 'no such file' }) });
  const reasons = {
    'max-rounds': 'the limit of 3 rounds is reached.',
    'max-tool-calls': 'the limit of 2 tool calls is reached.',
    'repeated-failures': 'the same call failed 3 times in the same way.',
    'repeated-calls': 'the same call was repeated although its output did not change.',
  };
  const cases: [keyof typeof reasons, Omit<ToolLoopOptions, 'tools'>, number, () => ToolSource][] = [
    ['max-rounds', { maxRounds: 3 }, 2, tools],
    ['max-tool-calls', { maxToolCalls: 2 }, 2, tools],
    ['repeated-failures', {}, 3, failing],
    ['repeated-calls', { maxRepeatedCalls: 1 }, 4, tools],
  ];
  const same = (count: number) =>
    Array.from({ length: count }, (_, index) => callRound(call(`c${index}`, 'echo')));
  const isEnd = ({ message }: { message: string }) => message.startsWith('The calling of tools ended: ');
  const textsOf = (parts: Awaited<ReturnType<typeof stream>>) =>
    ofType(parts, 'text-delta').map(({ delta }) => delta);

  it.each(cases)('is in the metadata, and a warning event: %s', async (stoppedBy, options, count, source) => {
    const events: ToolLoopEvent[] = [];
    const onEvent = (event: ToolLoopEvent) => void events.push(event);
    const model = scriptedModel(...same(count), textRound('Enough.'));
    const parts = await stream(withToolLoop(model, { tools: source(), onEvent, ...options }));
    expect(finishOf(parts).providerMetadata?.kelivo?.stoppedBy).toBe(stoppedBy);
    const warnings = events.filter(event => event.type === 'warning').filter(isEnd);
    expect(warnings).toMatchObject([
      { round: count, message: `The calling of tools ended: ${reasons[stoppedBy]}` },
    ]);
    expect(textsOf(parts)).toEqual(['Enough.']);
  });

  it.each(cases)('is a warning of a generated result: %s', async (stoppedBy, options, count, source) => {
    const model = scriptedModel(...same(count), textRound('Enough.'));
    const result = await generate(withToolLoop(model, { tools: source(), ...options }));
    expect(result.providerMetadata?.kelivo?.stoppedBy).toBe(stoppedBy);
    const warnings = result.warnings.flatMap(entry => (entry.type === 'other' ? [entry] : []));
    expect(warnings.filter(isEnd)).toEqual([
      { type: 'other', message: `The calling of tools ended: ${reasons[stoppedBy]}` },
    ]);
  });

  it.each(cases)(
    'is explained to the user if the model gives no answer: %s',
    async (limit, options, count, source) => {
      const silent = [start, ...text('  '), finish()];
      const stubborn = callRound(call('last', 'echo', { a: 1 }));
      for (const last of [silent, stubborn]) {
        const model = () =>
          withToolLoop(scriptedModel(...same(count), last), { tools: source(), ...options });
        const explanation = `The model gave no answer: ${reasons[limit]}`;
        const parts = await stream(model());
        expect(textsOf(parts).at(-1)).toBe(explanation);
        const blocks = [...ofType(parts, 'text-start'), ...ofType(parts, 'text-end')].map(({ id }) => id);
        expect(blocks).toHaveLength(new Set(blocks).size * 2);
        const { content } = await generate(model());
        expect(content.at(-1)).toMatchObject({ type: 'text', text: explanation });
      }
    },
  );

  it('is not explained after a truncated answer or before a call of the host', async () => {
    const hostCall = [start, ...call('h1', 'host'), finish('tool-calls')];
    for (const last of [[start, finish('length')], hostCall]) {
      const model = scriptedModel(again(1), last);
      const parts = await stream(withToolLoop(model, { tools: tools(), maxRounds: 2 }), {
        tools: [declareTool('host')],
      });
      expect(textsOf(parts)).toEqual([]);
      expect(finishOf(parts).providerMetadata?.kelivo?.stoppedBy).toBe('max-rounds');
    }
  });

  it('is not reported for a turn of one round that calls no tool', async () => {
    const result = await generate(
      withToolLoop(scriptedModel(textRound('Hello.')), { tools: tools(), maxRounds: 1 }),
    );
    expect(result.warnings).toEqual([]);
    expect(result.providerMetadata?.kelivo).not.toHaveProperty('stoppedBy');
    const called = await generate(withToolLoop(scriptedModel(again(1)), { tools: tools(), maxRounds: 1 }));
    expect(called.providerMetadata?.kelivo?.stoppedBy).toBe('max-rounds');
    expect(called.content).toMatchObject([
      { type: 'text', text: 'The model gave no answer: the limit of 1 round is reached.' },
    ]);
  });
});
