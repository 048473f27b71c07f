import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  finishOf,
  ofType,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
  text,
  textRound,
  user,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { declareTool, gate, scriptedTools } from './_tools.js';

const retry = { initialDelay: 0 };

const broken = (parts: LanguageModelV2StreamPart[]): ScriptedRound =>
  async function* () {
    yield* parts;
    throw serverError();
  };

const toolsOf = () => scriptedTools({ pay: () => 'paid', look: { execute: () => 'seen', readOnly: true } });

const ran = (tools: ReturnType<typeof scriptedTools>, name: string) =>
  tools.calls.filter(({ toolName }) => toolName === name).length;

describe('a round that breaks', () => {
  const rounds = [
    [
      start,
      ...text('Looking.', 'a'),
      ...call('r1', 'look'),
      ...call('p1', 'pay', { of: 1 }),
      finish('tool-calls'),
    ],
    [start, ...text('Paying.', 'b'), ...call('p2', 'pay', { of: 2 }), finish('tool-calls')],
    [start, ...text('All is done.', 'c'), finish()],
  ];
  const cuts = rounds.flatMap((round, index) => round.slice(1).map((_, at) => [index, at + 1] as const));

  it.each(cuts)('is repeated, and each paid call runs once: round %i, part %i', async (index, at) => {
    const script: ScriptedRound[] = [...rounds];
    script.splice(index, 0, broken(rounds[index]?.slice(0, at) ?? []));
    const model = scriptedModel(...script);
    const tools = toolsOf();
    const parts = await stream(withToolLoop(model, { tools, retry }));
    expect(ofType(parts, 'error')).toEqual([]);
    expect(finishOf(parts).finishReason).toBe('stop');
    expect(ran(tools, 'pay')).toBe(2);
    expect(model.requests).toHaveLength(4);
    const deltas = ofType(parts, 'text-delta').map(({ delta }) => delta);
    expect(deltas.at(-1)).toBe('All is done.');
    // Each block and each input has an end, and each call an output.
    expect(ofType(parts, 'text-end')).toHaveLength(ofType(parts, 'text-start').length);
    expect(ofType(parts, 'tool-input-end')).toHaveLength(ofType(parts, 'tool-input-start').length);
    const { calls, outputs } = exchangeOf(model.requests[3]);
    expect(outputs.map(([id]) => id)).toEqual(calls);
    expect(JSON.stringify(model.requests[3]?.prompt).match(/"paid"/g)).toHaveLength(2);
  });

  it('continues the text that was shown, reports the repetition, and sends the same request', async () => {
    const events: ToolLoopEvent[] = [];
    const model = scriptedModel(
      broken([start, ...text('The beginn').slice(0, 2)]),
      textRound('The beginning.'),
    );
    const looped = withToolLoop(model, { tools: toolsOf(), retry, onEvent: event => events.push(event) });
    const parts = await stream(looped);
    expect(ofType(parts, 'text-delta').map(({ delta }) => delta)).toEqual(['The beginn', 'ing.']);
    expect(ofType(parts, 'text-end')).toEqual([{ type: 'text-end', id: '0' }]);
    expect(events.filter(({ type }) => type === 'round-retry')).toMatchObject([
      { round: 1, attempt: 2, cause: 'The server had an error.' },
    ]);
    expect(events.filter(({ type }) => type === 'round-start')).toHaveLength(1);
    expect(ofType(parts, 'stream-start')).toHaveLength(1);
    expect(model.requests[1]?.prompt).toEqual(model.requests[0]?.prompt);
    expect(finishOf(parts).providerMetadata?.kelivo?.rounds).toMatchObject([{ attempts: 2 }]);
  });

  it('is left out of later turns as far as it is marked', async () => {
    const model = scriptedModel(textRound('Yes.'));
    await stream(withToolLoop(model, { tools: toolsOf() }), {
      prompt: [
        ...user('Go.'),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'The beginn', providerOptions: { kelivo: { broken: true } } },
            { type: 'text', text: 'The beginning.' },
          ],
        },
        ...user('Is that all?'),
      ],
    });
    expect(model.requests[0]?.prompt[1]).toMatchObject({ content: [{ text: 'The beginning.' }] });
  });

  it.each([
    [undefined, 3],
    [1, 2],
    [0, 1],
  ])('is repeated up to the limit: %s', async (streamRetries, requests) => {
    const model = scriptedModel(...Array.from({ length: 5 }, () => broken([start, ...text('So')])));
    const options = { ...retry, ...(streamRetries !== undefined && { streamRetries }) };
    const parts = await stream(withToolLoop(model, { tools: toolsOf(), retry: options }));
    expect(model.requests).toHaveLength(requests);
    expect(ofType(parts, 'error')).toHaveLength(1);
    expect(finishOf(parts).finishReason).toBe('error');
  });

  it.each([
    ['a response that is too long', [start, ...text('So'), finish('length')]],
    ['a refusal', [start, ...text('So'), finish('content-filter')]],
    [
      'an error that a repetition cannot resolve',
      [
        start,
        ...text('So'),
        { type: 'error' as const, error: serverError({ statusCode: 400 }) },
        finish('error'),
      ],
    ],
  ])('is not %s', async (_, round) => {
    const model = scriptedModel(round, textRound('Again.'));
    await stream(withToolLoop(model, { tools: toolsOf(), retry }));
    expect(model.requests).toHaveLength(1);
  });

  it('is not repeated after an abort during the delay', async () => {
    const abort = new AbortController();
    const model = scriptedModel(broken([start, ...text('So')]), textRound('Again.'));
    const looped = withToolLoop(model, {
      tools: toolsOf(),
      retry: { initialDelay: 10_000 },
      onEvent: ({ type }) => type === 'round-retry' && setTimeout(() => abort.abort(), 10),
    });
    await expect(stream(looped, { abortSignal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(model.requests).toHaveLength(1);
  });

  it('waits for the time that the server asks for', async () => {
    const model = scriptedModel(
      [
        start,
        ...text('So'),
        {
          type: 'error',
          error: serverError({ statusCode: 429, responseHeaders: { 'retry-after-ms': '50' } }),
        },
        finish('error'),
      ],
      textRound('Again.'),
    );
    const startedAt = performance.now();
    await stream(withToolLoop(model, { tools: toolsOf(), retry }));
    expect(performance.now() - startedAt).toBeGreaterThan(40);
  });
});

describe('a call of a broken response', () => {
  it('that had started does not run again: the repeated request contains it with its output', async () => {
    const started = gate();
    const over = gate();
    const tools = scriptedTools({ pay: () => (started.open(), over.opened.then(() => 'paid')) });
    const model = scriptedModel(async function* () {
      yield* [start, ...text('I pay.'), ...call('p1', 'pay', { of: 1 }), ...call('p2', 'pay', { of: 2 })];
      await started.opened;
      setTimeout(over.open, 20);
      throw serverError();
    }, textRound('Done.'));
    const parts = await stream(withToolLoop(model, { tools, retry, startEarly: true }));
    expect(tools.calls.map(({ input }) => input)).toEqual([{ of: 1 }]);
    expect(exchangeOf(model.requests[1])).toMatchObject({ calls: ['p1'], outputs: [['p1', 'paid']] });
    expect(JSON.stringify(model.requests[1]?.prompt)).not.toContain('I pay.');
    expect(ofType(parts, 'error')).toEqual([]);
    expect(finishOf(parts).providerMetadata?.kelivo?.rounds).toMatchObject([
      { attempts: 2, toolCalls: [{ toolCallId: 'p1' }] },
    ]);
  });

  it('does not count for `maxToolCalls` if it never ran', async () => {
    const paying = call('p1', 'pay', { of: 1 });
    const tools = toolsOf();
    const model = scriptedModel(broken([start, ...paying]), callRound(paying), textRound('Done.'));
    await stream(withToolLoop(model, { tools, retry, maxToolCalls: 1 }));
    expect(ran(tools, 'pay')).toBe(1);
  });

  it('ends the turn if it is a call of the host, which may have run it', async () => {
    const model = scriptedModel(broken([start, ...call('h1', 'of_the_host')]), textRound('Again.'));
    const parts = await stream(withToolLoop(model, { tools: toolsOf(), retry }), {
      tools: [declareTool('of_the_host')],
    });
    expect(model.requests).toHaveLength(1);
    expect(ofType(parts, 'error')).toHaveLength(1);
  });
});

describe('calls that start before their response has ended', () => {
  it.each([
    [undefined, ['look']],
    [true, ['pay', 'look']],
    [false, []],
  ])(
    'with `startEarly: %s` do not include others, which a truncated response does not run',
    async (startEarly, early) => {
      const tools = toolsOf();
      const model = scriptedModel([start, ...call('p1', 'pay'), ...call('r1', 'look'), finish('length')]);
      await stream(withToolLoop(model, { tools, ...(startEarly !== undefined && { startEarly }) }));
      expect(tools.calls.map(({ toolName }) => toolName)).toEqual(early);
    },
  );
});
