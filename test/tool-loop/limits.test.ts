import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/with-tool-loop.js';
import {
  ask,
  call,
  finishOf,
  generate,
  ofType,
  say,
  scriptedModel,
  start,
  stream,
  text,
} from './_scripted-model.js';
import { declared, scriptedTools } from './_tools.js';

const tools = () => scriptedTools({ echo: () => 'ran' });
const again = (number: number) => ask(call(`c${number}`, 'echo'));

describe('the limit of rounds', () => {
  it('is told to the model with the last request, and the turn ends with its answer', async () => {
    const model = scriptedModel(again(1), again(2), say('Enough.'));
    const parts = await stream(withToolLoop(model, { tools: tools(), maxRounds: 3 }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined, 'none']);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('is 20 where nothing else is said', async () => {
    const model = scriptedModel(...Array.from({ length: 19 }, (_, index) => again(index)), say('Enough.'));
    await stream(withToolLoop(model, { tools: tools() }));
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type).lastIndexOf('none')).toBe(19);
  });

  it('keeps the tools in the last request, for the calls in the history', async () => {
    const model = scriptedModel(again(1), say('Enough.'));
    await stream(withToolLoop(model, { tools: tools(), maxRounds: 2 }));
    expect(model.requests[1]?.tools).toHaveLength(1);
  });

  it.each([1, 2])(
    'holds: calls that come in round %i of as many do not run and are told why',
    async maxRounds => {
      const source = tools();
      const model = scriptedModel(...[again(1), again(2)].slice(0, maxRounds));
      const parts = await stream(withToolLoop(model, { tools: source, maxRounds }), {
        tools: [declared('echo')],
      });
      expect(source.calls).toHaveLength(maxRounds - 1);
      expect(ofType(parts, 'tool-result').at(-1)).toMatchObject({
        toolCallId: `c${maxRounds}`,
        result: `Not run: the limit of ${maxRounds} rounds is reached.`,
        isError: true,
      });
      expect(finishOf(parts).finishReason).toBe('other');
    },
  );
});

describe('the time limit of a turn', () => {
  const message = 'The turn exceeded its limit of 30 ms (timeouts.total).';

  it('ends a running tool: every call has an outcome, then an error and the finish', async () => {
    const source = scriptedTools({ endless: () => new Promise(() => {}) });
    const model = scriptedModel(ask(call('c1', 'endless'), call('c2', 'endless')));
    const parts = await stream(withToolLoop(model, { tools: source, timeouts: { total: 30 } }));
    expect(source.calls).toHaveLength(1);
    expect(ofType(parts, 'tool-result').map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['c1', true],
      ['c2', true],
    ]);
    expect(ofType(parts, 'error')).toMatchObject([{ error: { name: 'TimeoutError', message } }]);
    expect(finishOf(parts)).toMatchObject({ finishReason: 'error', usage: { totalTokens: 15 } });
  });

  it('ends an answer in the middle, with its blocks closed', async () => {
    const model = scriptedModel(async function* () {
      yield* [start, ...text('The beginning').slice(0, 2)];
      await new Promise(() => {});
    });
    const parts = await stream(withToolLoop(model, { tools: tools(), timeouts: { total: 30 } }));
    expect(ofType(parts, 'error')).toMatchObject([{ error: { message } }]);
    expect(ofType(parts, 'text-end')).toHaveLength(1);
    expect(finishOf(parts).finishReason).toBe('error');
  });

  it('ends a turn that is not streamed', async () => {
    const source = scriptedTools({ endless: () => new Promise(() => {}) });
    const model = scriptedModel(ask(call('c1', 'endless')));
    const turn = generate(withToolLoop(model, { tools: source, timeouts: { total: 30 } }));
    await expect(turn).rejects.toMatchObject({ name: 'TimeoutError', message });
  });

  it('counts the listing of the tools, too', async () => {
    const source = { ...tools(), listTools: () => new Promise<never>(() => {}) };
    const turn = stream(withToolLoop(scriptedModel(), { tools: source, timeouts: { total: 30 } }));
    await expect(turn).rejects.toMatchObject({ message });
  });
});
