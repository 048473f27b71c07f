import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import {
  callRound,
  call,
  exchangeOf,
  finishOf,
  ofType,
  textRound,
  scriptedModel,
  stream,
} from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

/** Returns what the model reads of one call with these arguments. */
async function outputOf(
  input: string | object,
  {
    tools = scriptedTools({ echo: given => ({ type: 'json', value: given }) }),
    ...options
  }: Partial<ToolLoopOptions> = {},
) {
  const model = scriptedModel(callRound(call('c1', 'echo', input)), textRound('I see.'));
  const parts = await stream(withToolLoop(model, { tools, ...options }));
  const [result] = ofType(parts, 'tool-result');
  const { inputs, outputs } = exchangeOf(model.requests[1]);
  expect(finishOf(parts).finishReason).toBe('stop');
  return { output: outputs[0]?.[1], isError: result?.isError === true, replayed: inputs[0] };
}

describe('a call', () => {
  it.each([
    ['', {}],
    ['  \n', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":[1]', { a: [1] }],
    ['null', {}],
    ["{'a': 1,}", { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
  ])('with the arguments %j runs with %j', async (input, expected) => {
    const { output, isError, replayed } = await outputOf(input);
    expect(output).toEqual(expected);
    expect(replayed).toEqual(expected);
    expect(isError).toBe(false);
  });

  it.each(['nonsense', '[1,2]', '"text"', '42'])(
    'with the arguments %j does not run, and the error names what was expected',
    async input => {
      const tools = scriptedTools({ echo: () => 'ran' });
      const { output, isError, replayed } = await outputOf(input, { tools });
      expect(output).toBe(`Invalid arguments for tool "echo": expected a JSON object, got ${input}.`);
      expect(isError).toBe(true);
      expect(replayed).toEqual({});
      expect(tools.calls).toEqual([]);
    },
  );

  it('reports only the beginning of long invalid arguments', async () => {
    const { output } = await outputOf('x'.repeat(5000));
    expect(output).toBe(
      `Invalid arguments for tool "echo": expected a JSON object, got ${'x'.repeat(100)}….`,
    );
  });

  it('does not run if its arguments do not match the schema, and the error names the argument', async () => {
    let runs = 0;
    const tools = createLocalTools({
      echo: { inputSchema: z.object({ city: z.string() }), execute: () => runs++ },
    });
    const { output, isError } = await outputOf({ city: true }, { tools });
    expect(output).toMatch(/^Invalid arguments for tool "echo": .*city/s);
    expect(isError).toBe(true);
    expect(runs).toBe(0);
  });

  it.each([
    [new Error('The disk is full.'), 'The disk is full.'],
    ['a text', 'a text'],
  ])('fails with the message if its tool throws %s', async (thrown, message) => {
    const tools = scriptedTools({
      echo() {
        throw thrown;
      },
    });
    expect(await outputOf({}, { tools })).toMatchObject({ output: message, isError: true });
  });

  it('fails after the time limit of tools with its signal aborted, and the turn continues', async () => {
    let reason: unknown;
    const tools = scriptedTools({
      echo: (_, { signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return new Promise(() => {});
      },
    });
    const { output, isError } = await outputOf({}, { tools, timeouts: { tool: 20 } });
    expect(output).toBe('The tool "echo" exceeded its limit of 20 ms. It may or may not have taken effect.');
    expect(isError).toBe(true);
    expect(reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a tool that fails', () => {
  it('does not prevent other calls from running', async () => {
    const tools = scriptedTools({
      echo: () => 'fine',
      fail: () => ({ type: 'error-text', value: 'no such file' }),
    });
    const model = scriptedModel(callRound(call('c1', 'fail'), call('c2', 'echo')), textRound('One failed.'));
    await stream(withToolLoop(model, { tools }));
    expect(exchangeOf(model.requests[1]).outputs).toEqual([
      ['c1', 'no such file'],
      ['c2', 'fine'],
    ]);
  });
});
