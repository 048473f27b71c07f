import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMcpTools } from '../../src/mcp/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { fixtureServer } from '../mcp/_fixture-server.js';
import { call, callRound, exchangeOf, ofType, scriptedModel, stream, textRound } from './_scripted-model.js';

interface LocalCallOptions {
  readonly abortSignal?: AbortSignal;
}

/** A tool that ignores its signal and ends after a second, and one that ends at once. */
function createTools(timeout?: number) {
  const aborted: string[] = [];
  const inputSchema = { type: 'object', properties: {} } as const;
  const slow = (name: string) => ({
    inputSchema: toSchema(inputSchema),
    readOnly: true,
    execute: async (_: unknown, { abortSignal }: LocalCallOptions) => {
      abortSignal?.addEventListener('abort', () => aborted.push(name));
      await new Promise(resolve => setTimeout(resolve, 1000));
      return `${name} is late`;
    },
  });
  const tools = createLocalTools({
    slow: { ...slow('slow'), ...(timeout !== undefined && { timeout }) },
    other: slow('other'),
  });
  return { tools, aborted };
}

const toSchema = (schema: object) => ({
  [Symbol.for('vercel.ai.schema')]: true,
  jsonSchema: schema,
  validate: (value: unknown) => ({ success: true as const, value }),
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const cases: [string, number | undefined, ToolLoopOptions['timeouts'], { slow: string; other: string }][] = [
  ['`timeouts.tools`', undefined, { tools: { slow: 100 } }, { slow: '100 ms', other: 'late' }],
  [
    '`timeouts.tools` before the others',
    50,
    { tool: 70, tools: { slow: 100 } },
    { slow: '100 ms', other: '70 ms' },
  ],
  ['`timeout` of a local tool', 100, undefined, { slow: '100 ms', other: 'late' }],
  ['`timeout` of a local tool before `timeouts.tool`', 100, { tool: 70 }, { slow: '100 ms', other: '70 ms' }],
  [
    '`timeouts.tools` that is longer',
    undefined,
    { tool: 70, tools: { slow: 5000 } },
    { slow: 'late', other: '70 ms' },
  ],
];

it.each(cases)('a call ends after %s, and others go on', async (_, timeout, timeouts, expected) => {
  const { tools, aborted } = createTools(timeout);
  const model = scriptedModel(callRound(call('c1', 'slow'), call('c2', 'other')), textRound('I see.'));
  const turn = stream(withToolLoop(model, { tools, ...(timeouts && { timeouts }) }));
  await vi.advanceTimersByTimeAsync(3000);
  const parts = await turn;
  const outputs =
    model.requests[1] && exchangeOf(model.requests[1]).outputs.map(([, output]) => String(output));
  expect(outputs).toEqual([expect.stringContaining(expected.slow), expect.stringContaining(expected.other)]);
  // A late result adds nothing.
  const results = ofType(parts, 'tool-result');
  expect(results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['c1', 'c2']);
  const stopped = Object.entries(expected).filter(([, text]) => text !== 'late');
  expect(results.filter(({ isError }) => isError)).toHaveLength(stopped.length);
  expect(aborted.toSorted()).toEqual(stopped.map(([name]) => name).toSorted());
});

it('`timeouts.tools` cancels a call of an MCP server, whose other calls go on', async () => {
  vi.useRealTimers();
  const { config, journal } = await fixtureServer();
  const tools = createMcpTools({ fixture: config });
  const model = scriptedModel(
    callRound(call('c1', 'silent'), call('c2', 'echo', { text: 'hi' })),
    textRound('I see.'),
  );
  await stream(withToolLoop(model, { tools, timeouts: { tools: { silent: 200 } } }));
  const outputs = model.requests[1] && exchangeOf(model.requests[1]).outputs.map(([, output]) => output);
  expect(outputs).toEqual([expect.stringContaining('exceeded its limit of 200 ms'), 'echo hi']);
  await vi.waitFor(async () =>
    expect((await journal()).some(entry => entry.startsWith('cancel'))).toBe(true),
  );
  await tools.close();
});
