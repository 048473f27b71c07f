import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKelivoResponsesProvider } from '../src/index.js';
import { createMcpTools } from '../src/tools/mcp/index.js';
import { withFallback } from '../src/models/fallback.js';
import { inform } from '../src/core/shared/inform.js';
import { toHostTools } from '../src/tools/host-tools.js';
import { withToolLoop } from '../src/tool-loop/tool-loop.js';
import { serveBody } from './_server.js';
import { toSse } from './_sse.js';
import { observers } from './structure.js';
import { call, callRound, scriptedModel, stream, textRound } from './tool-loop/_scripted-model.js';
import { scriptedTools } from './tool-loop/_tools.js';

/** An MCP server that logs, writes to its standard error and reports progress during a call. */
const LOGGING_SERVER = `
let call;
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params = {} } = JSON.parse(line);
  const send = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  if (id === undefined) return;
  // The answer to the ping: the SDK drops progress that it reads together with the result.
  if (method === undefined) return send({ id: call, result: { content: [{ type: 'text', text: 'logged' }] } });
  if (method === 'initialize')
    return send({ id, result: { protocolVersion: params.protocolVersion, serverInfo: { name: 'x', version: '1' },
      capabilities: { tools: {}, logging: {} } } });
  if (method === 'tools/list')
    return send({ id, result: { tools: [{ name: 'log', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'unknown' } });
  process.stderr.write('a line\\n');
  send({ method: 'notifications/message', params: { level: 'error', data: 'a message' } });
  send({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1 } });
  call = id;
  send({ id: 'ping', method: 'ping' });
});`;

const OUTPUT = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi.' }],
};
const COMPLETED = [
  { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 1 } },
  { type: 'response.output_item.added', output_index: 0, item: { ...OUTPUT, content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hi.' },
  { type: 'response.output_item.done', output_index: 0, item: OUTPUT },
  { type: 'response.completed', response: { id: 'resp_1', output: [OUTPUT] } },
];

const textOf = (parts: readonly { type: string; delta?: unknown }[]): string =>
  parts.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta] : [])).join('');

type Observer = (...args: unknown[]) => never;

/** Observes a use of the package, and returns its result. */
type Use = (observer: Observer) => Promise<unknown>;

async function callMcp(options: object): Promise<unknown> {
  const tools = createMcpTools(
    { server: { command: process.execPath, args: ['-e', LOGGING_SERVER] } },
    options,
  );
  onTestFinished(() => tools.close());
  await tools.listTools();
  return tools.callTool(
    { toolCallId: 'c1', toolName: 'log', input: {} },
    { signal: new AbortController().signal },
  );
}

const failing = () =>
  scriptedModel(() => {
    throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
  });

const progressing = scriptedTools({
  slow: {
    execute: (_input, { onProgress }) => {
      onProgress?.({ progress: 1 });
      return 'done';
    },
  },
});

/** A use of each observer, and the result that it has without one. */
const USES: Readonly<Record<string, readonly [use: Use, result: unknown]>> = {
  onEvent: [
    async onEvent =>
      textOf(
        await stream(
          withToolLoop(scriptedModel(callRound(call('c1', 'echo')), textRound('Done.')), {
            tools: scriptedTools({ echo: () => 'ran' }),
            onEvent,
          }),
        ),
      ),
    'Done.',
  ],
  onFallback: [
    async onFallback =>
      textOf(await stream(withFallback([failing(), scriptedModel(textRound('Second.'))], { onFallback }))),
    'Second.',
  ],
  logger: [
    async logger => {
      const { url } = await serveBody(toSse(COMPLETED));
      const provider = createKelivoResponsesProvider({ baseURL: url, logger });
      return textOf(await stream(provider('m')));
    },
    'Hi.',
  ],
  onProgress: [
    async onProgress => {
      const { tools } = await progressing.listTools();
      const host = toHostTools(progressing, tools, { onProgress });
      const execute = host.slow?.execute as (...args: unknown[]) => unknown;
      return await execute({}, { toolCallId: 'c1', messages: [] });
    },
    'done',
  ],
  onWarning: [
    async onWarning => {
      const tools = createMcpTools({ missing: { command: '/nonexistent' } });
      onTestFinished(() => tools.close());
      return Object.keys(await tools.tools({ onWarning }));
    },
    [],
  ],
  ...Object.fromEntries(
    ['onLog', 'onMessage', 'onStderr', 'onStateChange', 'requestMeta'].map(name => [
      name,
      [(observer: Observer) => callMcp({ [name]: observer }), { type: 'text', value: 'logged' }] as const,
    ]),
  ),
};
/** The type of `logger`. */
const ALIASES = ['RequestLogger'];

const error = new Error('The observer failed.');

/** The ways to fail that every observer is tested with. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw error;
  },
  rejects: () => Promise.reject(error),
};

/** Further ways to fail. */
const ODD_FAILURES: Readonly<Record<string, () => unknown>> = {
  'rejects a thenable': () => ({
    then: (_resolve: unknown, reject: (error: unknown) => void) => reject(error),
  }),
  'returns an object that throws': () => ({
    get then() {
      throw error;
    },
  }),
  'throws something without a text': () => {
    throw Object.create(null);
  },
};

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
  vi.restoreAllMocks();
});

describe('observers', () => {
  it('all have a row', () => {
    expect(Object.keys(USES).concat(ALIASES).sort()).toEqual(observers());
  });

  describe.each(Object.entries(USES))('%s', (_name, [use, result]) => {
    it.each(Object.entries(FAILURES))(
      'changes nothing if it %s, and is reported once',
      async (_kind, fail) => {
        const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
        let calls = 0;
        const found = await use(() => {
          calls++;
          return fail() as never;
        });
        await setImmediate();
        expect(found).toEqual(result);
        expect(calls).toBeGreaterThan(0);
        expect(unhandled).toEqual([]);
        expect(warn).toHaveBeenCalledTimes(1);
      },
    );
  });
});

describe('inform', () => {
  it.each(Object.entries(ODD_FAILURES))('ignores a function that %s', async (_kind, fail) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    inform(fail);
    inform(fail);
    await setImmediate();
    expect(unhandled).toEqual([]);
    expect(warn.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('returns the value of the function', () => {
    expect(inform((a: number, b: number) => a + b, 1, 2)).toBe(3);
    expect(inform(undefined)).toBeUndefined();
  });

  it('names the function in its report', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const options = {
      onEvent() {
        throw error;
      },
    };
    inform(options.onEvent);
    inform(options.onEvent);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^kelivo-responses: The callback `onEvent` failed: The observer failed\. /)],
    ]);
  });
});
