import { describe, expect, it } from 'vitest';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  exchangeOf,
  finish,
  finishOf,
  ofType,
  readAll,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
  typesOf,
  user,
} from './_scripted-model.js';
import { declareTool, type Execute, gate, scriptedTools, flushCallbacks } from './_tools.js';

/** Runs the calls `a`, `b` … of one round with tools that wait until all calls that may start have started. */
async function run(
  toolNames: readonly string[],
  options: Omit<ToolLoopOptions, 'tools'> = {},
): Promise<{ groups: string[]; outputs: unknown }> {
  const groups: string[] = [];
  let group: string[] = [];
  const execute: Execute = async (_, { toolCallId }) => {
    group.push(toolCallId);
    const mine = group;
    await flushCallbacks();
    if (group === mine) {
      groups.push(mine.join(' '));
      group = [];
    }
    return toolCallId;
  };
  const tools = scriptedTools({
    write: execute,
    read: { execute, readOnly: true },
    contradictory: { execute, readOnly: true, destructive: true },
  });
  const calls = toolNames.map((name, index) => call(String.fromCharCode(97 + index), name));
  const model = scriptedModel(callRound(...calls), textRound('Done.'));
  await stream(withToolLoop(model, { tools, startEarly: true, ...options }));
  return { groups, outputs: exchangeOf(model.requests[1]).outputs };
}

describe('the calls of a round', () => {
  it('run together if their tools are read-only, otherwise one after another', async () => {
    const { groups } = await run(['write', 'read', 'write', 'read']);
    expect(groups).toEqual(['a b d', 'c']);
  });

  it('run one after another if their tools are read-only and destructive, which cannot both be true', async () => {
    const { groups } = await run(['contradictory', 'contradictory', 'read']);
    expect(groups).toEqual(['a c', 'b']);
  });

  it('run one after another with execution "sequential"', async () => {
    const { groups } = await run(['read', 'write', 'read'], { execution: 'sequential' });
    expect(groups).toEqual(['a', 'b', 'c']);
  });

  it('run together with execution "parallel"', async () => {
    const { groups } = await run(['write', 'write', 'read'], { execution: 'parallel' });
    expect(groups).toEqual(['a b c']);
  });

  it('run at most eight at a time', async () => {
    let running = 0;
    const counts: number[] = [];
    const execute: Execute = async () => {
      counts.push(++running);
      await new Promise(resolve => setTimeout(resolve, 20));
      running--;
      return 'ran';
    };
    const calls = Array.from({ length: 20 }, (_, index) => call(`c${index}`, 'read', { index }));
    const model = scriptedModel(callRound(...calls), textRound('Done.'));
    await stream(withToolLoop(model, { tools: scriptedTools({ read: { execute, readOnly: true } }) }));
    expect(counts).toHaveLength(20);
    expect(Math.max(...counts)).toBe(8);
  });

  it('are sent to the model in their own order even if they finish in another', async () => {
    const first = gate();
    const tools = scriptedTools({
      slow: { readOnly: true, execute: () => first.opened.then(() => 'slow') },
      fast: { readOnly: true, execute: () => 'fast' },
    });
    const model = scriptedModel(callRound(call('c1', 'slow'), call('c2', 'fast')), textRound('Done.'));
    const { stream: parts } = await withToolLoop(model, { tools }).doStream({ prompt: user('Go.') });
    const shown: unknown[] = [];
    for await (const part of parts) {
      if (part.type !== 'tool-result') continue;
      shown.push(part.toolCallId);
      first.open();
    }
    expect(shown).toEqual(['c2', 'c1']);
    expect(exchangeOf(model.requests[1])).toMatchObject({
      calls: ['c1', 'c2'],
      outputs: [
        ['c1', 'slow'],
        ['c2', 'fast'],
      ],
    });
  });

  it('start while the model still streams', async () => {
    const ran = gate();
    const model = scriptedModel(async function* () {
      yield* [start, ...call('c1', 'early')];
      await ran.opened;
      yield* [...text('And also:'), finish('tool-calls')];
    }, textRound('Done.'));
    const tools = scriptedTools({ early: () => ran.open() ?? 'ran' });
    const parts = await stream(withToolLoop(model, { tools, startEarly: true }));
    const types = typesOf(parts);
    expect(types.indexOf('tool-result')).toBeLessThan(types.indexOf('text-start'));
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('wait for the end of the round with `startEarly: false`', async () => {
    const order: string[] = [];
    const model = scriptedModel(async function* () {
      yield* [start, ...call('c1', 'late')];
      await flushCallbacks();
      order.push('round over');
      yield finish('tool-calls');
    }, textRound('Done.'));
    const tools = scriptedTools({ late: () => order.push('tool') && 'ran' });
    await stream(withToolLoop(model, { tools, startEarly: false }));
    expect(order).toEqual(['round over', 'tool']);
  });

  it('do not start after the response turned out to be truncated', async () => {
    const model = scriptedModel([start, ...call('c1', 'write'), ...call('c2', 'write'), finish('length')]);
    const tools = scriptedTools({
      write: (_, { signal }) => new Promise((_, fail) => signal.addEventListener('abort', fail)),
    });
    const parts = await stream(withToolLoop(model, { tools, startEarly: true }));
    expect(tools.calls.map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
    expect(ofType(parts, 'tool-result').map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['c1', true],
      ['c2', true],
    ]);
    expect(finishOf(parts).finishReason).toBe('length');
  });

  it('stop when the host cancels the stream', async () => {
    const started = gate();
    const aborted = gate<unknown>();
    const tools = scriptedTools({
      endless: (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.open(signal.reason));
        started.open();
        return new Promise(() => {});
      },
    });
    const model = scriptedModel(callRound(call('c1', 'endless'), call('c2', 'endless')));
    const { stream: parts } = await withToolLoop(model, { tools }).doStream({ prompt: user('Go.') });
    const reader = parts.getReader();
    // No call starts for a host that reads nothing.
    const reading = (async () => {
      while (!(await reader.read()).done);
    })();
    await started.opened;
    await reader.cancel('enough');
    await reading;
    expect(await aborted.opened).toBe('enough');
    await flushCallbacks();
    expect(tools.calls).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });
});

describe('a round with calls of the host', () => {
  const mixed = callRound(call('c1', 'echo'), call('h1', 'of_the_host'), call('c2', 'echo'));

  it('runs the calls of the loop and leaves the others to the host', async () => {
    const model = scriptedModel(mixed);
    const tools = scriptedTools({ echo: (_, { toolCallId }) => toolCallId });
    const parts = await stream(withToolLoop(model, { tools }), { tools: [declareTool('of_the_host')] });
    expect(ofType(parts, 'tool-call')).toMatchObject([
      { type: 'tool-call', toolCallId: 'h1', toolName: 'of_the_host', input: '{}' },
    ]);
    expect(ofType(parts, 'tool-result').map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    expect(finishOf(parts).finishReason).toBe('tool-calls');
    expect(model.requests).toHaveLength(1);
  });

  it('continues in the next step, which contains the result of the host', async () => {
    const model = scriptedModel(mixed, textRound('Done.'));
    const tools = scriptedTools({ echo: (_, { toolCallId }) => toolCallId });
    const looped = withToolLoop(model, { tools });
    const { stream: first } = await looped.doStream({
      prompt: user('Go.'),
      tools: [declareTool('of_the_host')],
    });
    const results = ofType(await readAll(first), 'tool-result');
    await stream(looped, {
      prompt: [
        ...user('Go.'),
        {
          role: 'assistant',
          content: [
            ...results.flatMap(({ toolCallId, toolName, result }) => [
              { type: 'tool-call' as const, toolCallId, toolName, input: {}, providerExecuted: true },
              {
                type: 'tool-result' as const,
                toolCallId,
                toolName,
                output: { type: 'text' as const, value: String(result) },
              },
            ]),
            { type: 'tool-call', toolCallId: 'h1', toolName: 'of_the_host', input: {} },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'h1',
              toolName: 'of_the_host',
              output: { type: 'text', value: 'h1' },
            },
          ],
        },
      ],
    });
    const { calls, outputs } = exchangeOf(model.requests[1]);
    expect(calls.toSorted()).toEqual(['c1', 'c2', 'h1']);
    expect(outputs.toSorted()).toEqual([
      ['c1', 'c1'],
      ['c2', 'c2'],
      ['h1', 'h1'],
    ]);
  });
});
