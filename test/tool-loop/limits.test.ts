import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  exchangeOf,
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
const again = (number: number) => callRound(call(`c${number}`, 'echo'));

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
      result: `Not run: the limit of ${maxRounds} rounds is reached.`,
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

  it('does not count successful calls', async () => {
    expect(await choices([{}, {}, {}], tools())).toEqual([undefined, undefined, undefined]);
  });
});

describe('the time limit of a turn', () => {
  const message = 'The turn exceeded its limit of 30 ms (timeouts.total).';

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
