import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';
import { whilePassing } from '../_passing-time.js';
import { startEmulator } from '../testing/_emulator.js';
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
  const parts = await whilePassing(turn);
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

it.each(cases)('a call that the host runs ends after %s', async (_, timeout, timeouts, expected) => {
  const { tools, aborted } = createTools(timeout);
  const provider = createKelivoResponsesProvider({ apiKey: 'test', tools, timeouts: timeouts ?? {} });
  const byHost = await provider.tools({ runBy: 'host' });
  const byAgent = (await provider.agentSettings()).tools;
  const runs = [byHost, byAgent].flatMap(({ slow, other }) =>
    [slow, other].map(async tool => tool?.execute({}, { toolCallId: 'c1', messages: [] })),
  );
  const texts = (await whilePassing(Promise.allSettled(runs))).map(end =>
    String(end.status === 'fulfilled' ? JSON.stringify(end.value) : end.reason),
  );
  const each = [expect.stringContaining(expected.slow), expect.stringContaining(expected.other)];
  expect(texts).toEqual([...each, ...each]);
  const stopped = Object.entries(expected).filter(([, text]) => text !== 'late');
  expect(new Set(aborted)).toEqual(new Set(stopped.map(([name]) => name)));
});

it.each(cases)('a call in the loop of the provider ends after %s', async (_, timeout, timeouts, expected) => {
  vi.useRealTimers();
  const { tools } = createTools(timeout);
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'slow' }, { call: 'other' }], [{ text: 'I see.' }]);
  const { baseURL } = emulator;
  const provider = createKelivoResponsesProvider({
    apiKey: 'test',
    baseURL,
    tools,
    timeouts: timeouts ?? {},
  });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }];
  await provider('gpt-5').doGenerate({ prompt });
  const items = emulator.requests[1]?.body.input as { type: string; output?: string }[];
  const outputs = items.filter(({ type }) => type === 'function_call_output').map(({ output }) => output);
  expect(outputs).toEqual([expect.stringContaining(expected.slow), expect.stringContaining(expected.other)]);
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
  await expect.poll(journal).toContainEqual(expect.stringMatching(/^cancel/));
  await tools.close();
});
