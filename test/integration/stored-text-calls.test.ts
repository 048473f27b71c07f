import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyValue } from '../_products.js';
import { z } from 'zod';
import { type Host, hosts, type Mode, modes } from '../host-matrix/_host.js';
import type { ToolCallFormat } from '../_emulators/text-tool-calls.js';
import type { Prompt } from '../../src/core/prompt.js';
import { toNewMessages } from '../../src/responses/request/input.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { collect } from '../_parts.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { sendEvents, serveWebSocket } from '../_websocket-server.js';
import {
  functionCall,
  type ItemScript,
  message,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { startEmulator } from '../testing/_emulator.js';

type Item = Readonly<Record<string, unknown>>;

const MODELS: Readonly<Partial<Record<ToolCallFormat, string>>> = {
  'qwen-xml': 'qwen3-coder',
  hermes: 'Qwen2.5-7B-Instruct',
  mistral: 'mistral-small',
  'mistral-args': 'mistral-small-3.2',
  glm: 'glm-4.6',
  deepseek: 'deepseek-v3.1',
  'deepseek-dsml': 'deepseek-v3.2',
  kimi: 'kimi-k2',
  minimax: 'minimax-m2',
  'seed-oss': 'seed-oss-36b',
  llama: 'llama-3.1-8b',
};
const formats = Object.keys(MODELS) as ToolCallFormat[];

interface Row {
  readonly host: Host;
  readonly mode: Mode;
  readonly format: ToolCallFormat;
  readonly owner: 'loop' | 'host';
}

async function start({ host, mode, format, owner }: Row) {
  const emulator = await startEmulator({ toolCallFormat: format });
  let runs = 0;
  const get_sum = tool({
    description: 'Get the sum of two numbers',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => {
      runs++;
      return `The sum is ${a + b}.`;
    },
  });
  const provider = host.createProvider({
    baseURL: emulator.baseURL,
    ...(owner === 'loop' && { tools: { get_sum } }),
  });
  onTestFinished(() => provider.close());
  const { sdk } = host;
  const ask = async (openai: Record<string, string | boolean>, prompt: string) => {
    const options = {
      model: provider(MODELS[format] ?? ''),
      ...(owner === 'host' && { tools: { get_sum }, stopWhen: sdk.stepCountIs(3) }),
      prompt,
      maxRetries: 0,
      providerOptions: { openai },
    };
    if (mode === 'generate') {
      const { text, response } = await sdk.generateText(options);
      return { text, responseId: response.id };
    }
    const errors: unknown[] = [];
    const result = sdk.streamText({ ...options, onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(errors).toEqual([]);
    return { text: await result.text, responseId: (await result.response).id };
  };
  const bodies = () => emulator.requests.map(({ body }) => body as Item & { input: Item[] });
  return { ask, bodies, runs: () => runs };
}

// The server has stored the text of the call. It rejects an output whose call it does not have.
async function expectValid(row: Row) {
  const { ask, bodies, runs } = await start(row);
  const { responseId } = await ask({ store: true }, 'Say hello.');
  const { text, responseId: last } = await ask(
    { store: true, previousResponseId: responseId },
    'Get the sum of 2 and 3',
  );
  expect(text).toContain('The sum is 5.');
  expect(runs()).toBe(1);
  const body = bodies().at(-1);
  const { input = [] } = body ?? {};
  // The response from before the turn, and everything since.
  expect(body?.previous_response_id).toBe(responseId);
  expect(input.map(({ type, role }) => role ?? type)).toEqual([
    'user',
    'function_call',
    'function_call_output',
  ]);
  const next = await ask({ store: true, previousResponseId: last }, 'Say hello.');
  expect(next.text).not.toBe('');
  expect(bodies().at(-1)?.input).toHaveLength(1);
}

it('is sent with its output, and without the message of the user, in a stored conversation of its own', () => {
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'get_sum', input: {} } as const;
  const output = { type: 'text', value: '5' } as const;
  const prompt: Prompt = [
    { role: 'user', content: [{ type: 'text', text: 'Sum?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I add.' },
        { ...call, own: { responseId: 'resp_1', ofText: true } },
        { ...call, toolCallId: 'call_2' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'get_sum', output }] },
  ];
  for (const option of [{ conversation: 'conv_1' }, { previousResponseId: 'resp_1' }]) {
    const sent = toNewMessages(prompt, option);
    expect(sent.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(sent[0]?.content).toMatchObject([{ toolCallId: 'call_1' }]);
  }
});

const [host7] = hosts.slice(-1);

describe.each(everyValue(formats.flatMap(format => modes.map(mode => ({ format, mode })))))(
  'a call as text in a stored conversation: $format, $mode',
  ({ format, mode }) => {
    it('is sent with its output', async () => {
      if (host7 !== undefined) await expectValid({ host: host7, mode, format, owner: 'loop' });
    });
  },
);

describe.each(
  hosts.flatMap(host =>
    modes.flatMap(mode => (['loop', 'host'] as const).map(owner => ({ name: host.name, host, mode, owner }))),
  ),
)('a call as text in a stored conversation: $name, $mode, tool of the $owner', row => {
  it('is sent with its output', async () => {
    await expectValid({ ...row, format: 'qwen-xml' });
  });
});

const written = message(['<tool_call>{"name": "get_sum", "arguments": {"a": 2, "b": 3}}</tool_call>']);
const native = functionCall('get_sum', '{"a": 2, "b": 3}', { callId: 'call_native' });

/**
 * Answers requests as a server that stores responses and conversations. It rejects outputs whose call it does not have, and
 * calls that it has already.
 */
function createStore(firstRound: readonly ItemScript[]) {
  const stored = new Map<string, readonly Item[]>([['resp_before', []]]);
  let count = 0;
  return (body: Item & { input?: Item[] }) => {
    const { conversation, previous_response_id: previousId, input = [] } = body;
    const key = typeof conversation === 'string' ? conversation : previousId;
    const known = typeof key === 'string' ? stored.get(key) : [];
    const items = [...(known ?? []), ...input];
    const callsOf = (type: string) => items.filter(item => item.type === type).map(item => item.call_id);
    const calls = callsOf('function_call');
    const isValid =
      (known !== undefined || key === conversation) &&
      new Set(calls).size === calls.length &&
      callsOf('function_call_output').every(id => calls.includes(id)) &&
      items.filter(({ role }) => role === 'user').length === 1;
    if (!isValid) return { error: `Invalid request: ${JSON.stringify(items)}`, scripts: [], fields: {} };
    const hasOutput = items.some(({ type }) => type === 'function_call_output');
    const scripts = hasOutput ? [message(['It is 5.'], { id: 'msg_end' })] : firstRound;
    const id = `resp_${++count}`;
    const output = scripts.map(({ item }) => item);
    stored.set(id, [...items, ...output]);
    if (typeof conversation === 'string') stored.set(conversation, [...items, ...output]);
    const fields = { id, store: true, previous_response_id: previousId ?? null };
    return {
      scripts,
      fields: { ...fields, ...(conversation !== undefined && { conversation: { id: conversation } }) },
    };
  };
}

const transportRows = (['http', 'websocket'] as const).flatMap(transport =>
  modes.flatMap(mode =>
    (['conversation', 'previousResponseId'] as const).flatMap(option =>
      [false, true].map(hasNative => ({ transport, mode, option, hasNative })),
    ),
  ),
);

describe.each(transportRows)(
  'a call as text with `$option` over $transport, $mode, beside an equal native call: $hasNative',
  ({ transport, mode, option, hasNative }) => {
    it('runs once, and its output is accepted', async () => {
      const store = createStore(hasNative ? [written, native] : [written]);
      const inputs: Item[][] = [];
      const answer = (body: Item & { input?: Item[] }) => {
        inputs.push(body.input ?? []);
        const { error, scripts, fields } = store(body);
        return { error, events: toStream(scripts, fields), json: toResponse(scripts, fields), fields };
      };
      const withFields = (events: ReturnType<typeof toStream>, fields: object) =>
        events.map(event =>
          'response' in event ? { ...event, response: { ...(event.response as Item), ...fields } } : event,
        );
      const server =
        transport === 'http'
          ? await serve((response, { body }) => {
              const { error, events, json, fields } = answer(body);
              const isStream = body.stream === true && error === undefined;
              const status = error === undefined ? 200 : 400;
              response.writeHead(status, {
                'content-type': isStream ? 'text/event-stream' : 'application/json',
              });
              if (error !== undefined) response.end(JSON.stringify({ error: { message: error } }));
              else response.end(isStream ? toSse(withFields(events, fields)) : JSON.stringify(json));
            })
          : undefined;
      const socketServer =
        server === undefined
          ? await serveWebSocket({
              respond({ socket, body }) {
                const { error, events, fields } = answer(body);
                if (error === undefined) return sendEvents(socket, withFields(events, fields));
                sendEvents(socket, [{ type: 'error', status: 400, error: { message: error } }]);
              },
            })
          : undefined;
      let runs = 0;
      const get_sum = tool({
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: ({ a, b }) => {
          runs++;
          return String(a + b);
        },
      });
      const provider = createKelivoResponsesProvider({
        baseURL: server?.url ?? socketServer?.baseURL ?? '',
        transport,
        tools: { get_sum },
      });
      onTestFinished(() => provider.close());
      const value = option === 'conversation' ? 'conv_1' : 'resp_before';
      const call = {
        prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Sum of 2 and 3?' }] }],
        providerOptions: { openai: { store: true, [option]: value } },
      };
      const model = provider('Qwen2.5-7B-Instruct');
      const parts =
        mode === 'generate'
          ? (await model.doGenerate(call)).content
          : await collect((await model.doStream(call)).stream);
      expect(parts.filter(part => part.type === 'error')).toEqual([]);
      expect(JSON.stringify(parts)).toContain('5.');
      expect(runs).toBe(1);
      const outputs = inputs.at(-1)?.filter(({ type }) => type === 'function_call_output') ?? [];
      expect(outputs).toHaveLength(1);
      if (hasNative) expect(outputs[0]?.call_id).toBe('call_native');
    });
  },
);
