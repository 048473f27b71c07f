import { jsonSchema } from 'ai';
import { expect, it } from 'vitest';
import { toWellFormedJson } from '../../src/core/shared/json.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { serve } from '../_server.js';
import {
  call,
  callRound,
  finishOf,
  scriptedModel,
  stream,
  textRound,
  user,
} from '../tool-loop/_scripted-model.js';

const inputSchema = jsonSchema({ type: 'object', properties: {} });

const run = async (execute: () => unknown, onWarning: (message: string) => void = () => {}) =>
  createLocalTools({ run: { inputSchema, execute } }).callTool(
    { toolCallId: 'c1', toolName: 'run', input: {} },
    { signal: new AbortController().signal, onWarning },
  );

const cycle: Record<string, unknown> = { name: 'cycle' };
cycle.self = cycle;
let deep: unknown = 'end';
for (let level = 0; level < 10_000; level++) deep = { deep };

it.each<[string, () => unknown, unknown, string?]>([
  ['a BigInt', () => ({ amount: 10n ** 20n }), { amount: '100000000000000000000' }, 'BigInt'],
  ['a cycle', () => cycle, { name: 'cycle', self: '[circular reference]' }, 'circular reference'],
  ['a Map', () => new Map([['a', 1]]), { a: 1 }, 'Map'],
  ['a Map with other keys', () => new Map([[1, 'a']]), [[1, 'a']], 'Map'],
  ['a Set', () => ({ set: new Set([1, 2]) }), { set: [1, 2] }, 'Set'],
  [
    'an Error',
    () => ({ error: new RangeError('Late.') }),
    { error: { name: 'RangeError', message: 'Late.' } },
    'RangeError',
  ],
  ['a Response', () => Response.json({ ok: true }), { ok: true }, 'Response'],
  ['a Response in it', () => ({ sent: Response.json({}) }), { sent: '[response 200]' }, 'response 200'],
  ['bytes', () => ({ file: new Uint8Array(3) }), { file: '[3 bytes]' }, '3 bytes'],
  [
    'a generator',
    function* () {
      yield 1;
      yield 2;
    },
    [1, 2],
    'iterator',
  ],
  ['an iterator in it', () => ({ keys: [1].keys() }), { keys: '[iterator]' }, 'iterator'],
  ['half a surrogate pair', () => ({ text: 'a\ud83d' }), { text: 'a\ufffd' }, 'half a surrogate pair'],
  ['half of one in a name', () => ({ 'a\ud83d': 1 }), { 'a\ufffd': 1 }, 'half a surrogate pair'],
  ['several of them', () => [1n, new Set([2n])], ['1', ['2']], 'BigInt, Set'],
  ['nothing', () => undefined, null],
  ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
  [
    'a getter that throws',
    () => ({
      get broken() {
        throw new Error('No.');
      },
    }),
    '[unreadable: No.]',
    'unreadable: No.',
  ],
])(
  'a result with %s is the output of a successful call, with a warning',
  async (_, execute, value, kinds) => {
    const warnings: string[] = [];
    expect(await run(execute, warning => warnings.push(warning))).toEqual({ type: 'json', value });
    expect(warnings).toEqual(
      kinds === undefined ? [] : [`The result of the tool "run" was changed, because JSON lacks: ${kinds}.`],
    );
  },
);

it('a text with half a surrogate pair is a text without it', async () => {
  const warnings: string[] = [];
  const output = await run(
    () => 'a\ud83d',
    warning => warnings.push(warning),
  );
  expect(output).toEqual({ type: 'text', value: 'a\ufffd' });
  expect(warnings).toEqual([expect.stringContaining('half a surrogate pair')]);
});

it.each(['doGenerate', 'doStream'] as const)('a turn reports the warning once: %s', async method => {
  const events: ToolLoopEvent[] = [];
  const model = withToolLoop(
    scriptedModel(callRound(call('1', 'run')), callRound(call('2', 'run')), textRound('Done.')),
    {
      tools: createLocalTools({ run: { inputSchema, execute: () => ({ amount: 1n }) } }),
      onEvent: event => events.push(event),
    },
  );
  const options = { prompt: user('Run it.') };
  const { providerMetadata } =
    method === 'doGenerate' ? await model.doGenerate(options) : finishOf(await stream(model, options));
  const message = expect.stringMatching(/"run".*: BigInt\./);
  expect(providerMetadata?.kelivo?.warnings).toEqual([message]);
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
    { round: 1, message },
    { round: 2, message },
  ]);
});

it('a result of 10,000 levels is the output of a successful call, without the deepest levels', async () => {
  const output = await run(() => deep);
  expect(output.type).toBe('json');
  expect(JSON.stringify(output)).toContain('[more levels]');
});

it('a result that cannot be read says that the call succeeded', async () => {
  const response = new Response('text');
  await response.text();
  expect(await run(() => response)).toEqual({
    type: 'text',
    value: expect.stringContaining('The call succeeded, but its result cannot be read'),
  });
});

it('replaces halves of surrogate pairs in JSON, and no text that looks like their escapes', () => {
  const values = ['\ud83d', 'a\udc00b', '😀', '\\ud83d', '\\\\ud83d', '\\\ud83d'];
  const read = (value: string): unknown => JSON.parse(toWellFormedJson(JSON.stringify(value)));
  expect(values.map(read)).toEqual(['\ufffd', 'a\ufffdb', '😀', '\\ud83d', '\\\\ud83d', '\\\ufffd']);
});

it('sends the error of a tool as JSON, and no half of a surrogate pair', async () => {
  const { url, requests } = await serve((response, { body }) => {
    const hasOutput = JSON.stringify(body.input).includes('function_call_output');
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'fail', arguments: '{}' };
    const content = [{ type: 'output_text', text: 'It failed.', annotations: [] }];
    const message = { type: 'message', id: 'msg_1', role: 'assistant', content };
    const output = [hasOutput ? message : call];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'resp_1', status: 'completed', output }));
  });
  const provider = createKelivoResponsesProvider({
    baseURL: `${url}/v1`,
    apiKey: 'test-key',
    tools: {
      fail: {
        inputSchema,
        execute: () => {
          throw new Error('boom');
        },
      },
    },
  });
  await provider('gpt-5').doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Fail \ud83d' }] }],
  });
  const input = requests[1]?.body.input;
  expect(input).toContainEqual(expect.objectContaining({ output: '{"error":"boom"}' }));
  expect(JSON.stringify(input)).toContain('Fail \ufffd');
});
