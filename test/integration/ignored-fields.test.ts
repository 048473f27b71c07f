import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2Message,
  LanguageModelV2Reasoning,
  LanguageModelV2ToolCall,
} from '@ai-sdk/provider';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { toolLoopCallOptions } from '../../src/tool-loop/index.js';
import { collect, summarize } from '../_parts.js';
import { serve } from '../_server.js';
import { toSse, type WireEvent } from '../_sse.js';
import { sendEvents, serveWebSocket } from '../_websocket-server.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { createEngine } from '../tool-loop/_engine.js';

type Json = Record<string, unknown>;

const modes = ['generate', 'stream'] as const;
type Mode = (typeof modes)[number];
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say hello.' }] }];
const HELLO = [message(['Hello.'])];

/** Adds fields to the response object of each event. */
const withEcho = (events: readonly WireEvent[], echo: Json): WireEvent[] =>
  events.map(event => ({
    ...event,
    ...(event.response !== undefined && { response: { ...(event.response as Json), ...echo } }),
  }));

/** Starts a server that answers each request at once, with the fields that it repeats. */
async function startServer(
  echo: (body: Json) => Json,
  { scripts = HELLO, asDocument = false }: { scripts?: readonly ItemScript[]; asDocument?: boolean } = {},
) {
  return serve((response, { path, body }) => {
    if (path.includes('/responses/')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
      return;
    }
    const isStream = body.stream === true && !asDocument;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(
      isStream
        ? toSse(withEcho(toStream(scripts), echo(body)))
        : JSON.stringify({ ...toResponse(scripts), ...echo(body) }),
    );
  });
}

function createProvider(baseURL: string, settings: KelivoResponsesSettings = {}) {
  const provider = createKelivoResponsesProvider({ baseURL, apiKey: 'sk-test', ...settings });
  onTestFinished(() => provider.close());
  return provider;
}

async function ask(
  provider: ReturnType<typeof createProvider>,
  mode: Mode,
  options: Partial<LanguageModelV2CallOptions> = {},
) {
  const call = { prompt, ...options };
  const model = provider('qwen3');
  if (mode === 'stream') {
    const parts = await collect((await model.doStream(call)).stream);
    const warnings = parts.flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    const { texts, errors, finishReason } = summarize(parts);
    return {
      texts,
      errors,
      finishReason,
      warnings,
      metadata: parts.find(part => part.type === 'finish')?.providerMetadata,
    };
  }
  const { content, finishReason, warnings, providerMetadata: metadata } = await model.doGenerate(call);
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
  return { texts, errors: [], finishReason, warnings, metadata };
}

type AssistantContent = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'];

/** Returns the content of a response as a host keeps it. */
const toHistory = (parts: readonly { readonly type: string }[]): AssistantContent =>
  parts.flatMap((part): Exclude<AssistantContent, string> => {
    const { providerMetadata: providerOptions } = part as LanguageModelV2Reasoning;
    if (part.type === 'tool-call') {
      const { toolCallId, toolName, input } = part as LanguageModelV2ToolCall;
      return [{ type: 'tool-call', toolCallId, toolName, input: JSON.parse(input), providerOptions }];
    }
    if (part.type !== 'reasoning' && part.type !== 'reasoning-end') return [];
    return [{ type: 'reasoning', text: (part as { text?: string }).text ?? '', providerOptions }];
  });

const naming = (warnings: readonly LanguageModelV2CallWarning[], name: string) =>
  warnings.filter(warning => JSON.stringify(warning).includes(name));

describe.each(modes)('a server without background mode: %s', mode => {
  const submit = { kelivo: { background: { submit: true } } };

  it.each<[string, Json, boolean]>([
    ['nothing', {}, false],
    ['false', { background: false }, false],
    ['that nothing is stored', { background: true, store: false }, false],
    ['nothing, in a document', {}, true],
  ])('returns its answer, if it repeats %s', async (_name, echo, asDocument) => {
    const { url, requests } = await startServer(() => echo, { asDocument });
    const { texts, errors, finishReason, warnings } = await ask(createProvider(url), mode, {
      providerOptions: submit,
    });
    expect({ texts, errors, finishReason }).toEqual({ texts: ['Hello.'], errors: [], finishReason: 'stop' });
    expect(naming(warnings, 'background')).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it('is left at once if it has one whose first event is not of the response', async () => {
    const events = withEcho(toStream(HELLO), { background: true });
    const { url, requests } = await serve(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(toSse([{ type: 'keepalive', sequence_number: 0 }, ...events]));
    });
    const { texts, finishReason, warnings } = await ask(createProvider(url), mode, {
      providerOptions: submit,
    });
    expect({ texts, finishReason, warnings }).toEqual({ texts: [], finishReason: 'other', warnings: [] });
    expect(requests).toHaveLength(1);
  });

  it('is left at once if it has one', async () => {
    const { url } = await startServer(() => ({ background: true, store: true }));
    const { texts, finishReason, warnings } = await ask(createProvider(url), mode, {
      providerOptions: submit,
    });
    expect({ texts, finishReason, warnings }).toEqual({ texts: [], finishReason: 'other', warnings: [] });
  });

  it('answers each round of a durable turn once', async () => {
    const { url, requests } = await startServer(() => ({ background: false }));
    const { step } = createEngine([]);
    const result = await ask(createProvider(url, { tools: {} }), mode, {
      providerOptions: { kelivo: { background: true, turnId: 'turn-1', ...toolLoopCallOptions({ step }) } },
    });
    expect(result.texts).toEqual(['Hello.']);
    expect(requests).toHaveLength(1);
  });
});

const schema = { type: 'object', properties: {}, additionalProperties: false } as const;
const lookup = { type: 'function', name: 'lookup', inputSchema: schema } as const;

interface IgnoredField {
  readonly options: Partial<LanguageModelV2CallOptions>;
  /** What the warning contains. */
  readonly named: string;
  /** True if only the second response of a stream proves it. @default false */
  readonly isKnownLater?: boolean;
  /** What servers repeat that ignore the field. */
  readonly ignoring: readonly Json[];
  /** What servers repeat that follow it. */
  readonly following: readonly Json[];
}

const openai = (options: Json): Partial<LanguageModelV2CallOptions> => ({
  providerOptions: { openai: options as Record<string, string> },
});

/** Fields that servers ignore. */
const IGNORED: Readonly<Record<string, IgnoredField>> = {
  background: {
    options: { providerOptions: { kelivo: { background: { submit: true } } } },
    named: '"background"',
    ignoring: [{}, { background: false }, { background: true, store: false }],
    following: [{ background: true }, { background: true, store: true }],
  },
  store: {
    options: openai({ store: true }),
    named: '"store"',
    ignoring: [{ store: false }],
    following: [{}, { store: true }],
  },
  previous_response_id: {
    options: openai({ previousResponseId: 'resp_0' }),
    named: '"previousResponseId"',
    ignoring: [{}, { previous_response_id: null }, { previous_response_id: 'resp_9' }],
    following: [{ previous_response_id: 'resp_0' }],
  },
  conversation: {
    options: openai({ conversation: 'conv_1' }),
    named: '"conversation"',
    ignoring: [{}, { conversation: null }, { conversation: { id: 'conv_2' } }],
    following: [{ conversation: { id: 'conv_1' } }, { conversation: 'conv_1' }],
  },
  tools: {
    options: { tools: [lookup] },
    named: '"tools"',
    isKnownLater: true,
    ignoring: [{ tools: [] }],
    following: [{}, { tools: [{ type: 'function', name: 'lookup' }, { type: 'web_search' }] }],
  },
  parallel_tool_calls: {
    options: { tools: [lookup], ...openai({ parallelToolCalls: false }) },
    named: '"parallelToolCalls"',
    ignoring: [{ parallel_tool_calls: true }],
    following: [{}, { parallel_tool_calls: false }],
  },
  max_output_tokens: {
    options: { maxOutputTokens: 100 },
    named: '"maxOutputTokens"',
    ignoring: [{ max_output_tokens: null }, { max_output_tokens: 4096 }],
    following: [{}, { max_output_tokens: 100 }],
  },
  'text.format': {
    options: { responseFormat: { type: 'json', schema } },
    named: '"responseFormat"',
    ignoring: [{ text: { format: { type: 'text' } } }],
    following: [{}, { text: { format: { type: 'json_schema' } } }],
  },
  model: {
    options: {},
    named: 'The model \\"qwen4.3\\" answered in place of \\"qwen3\\".',
    ignoring: [{ model: 'qwen4.3' }],
    following: [{}, { model: 'qwen3' }, { model: 'Qwen/Qwen3-2507' }, { model: 'own-name' }],
  },
};

describe.each(
  modes.flatMap(mode => (['http', 'websocket'] as const).map(transport => ({ mode, transport }))),
)('a field that the server ignores: $mode over $transport', ({ mode, transport }) => {
  async function answerWith(
    echo: Json,
    { options, isKnownLater = false }: Pick<IgnoredField, 'options' | 'isKnownLater'>,
  ) {
    const text = options.responseFormat === undefined ? 'Hello.' : '{}';
    const scripts = [message([text])];
    const events = withEcho(toStream(scripts), echo);
    const server =
      transport === 'http'
        ? { baseURL: (await startServer(() => echo, { scripts })).url, frames: [] }
        : await serveWebSocket({
            respond: ({ socket }) => sendEvents(socket, events),
            // A response in background mode is always requested over HTTP.
            overHttp: events,
          });
    const provider = createProvider(server.baseURL, { transport });
    const { texts, errors, warnings } = await ask(provider, mode, options);
    const frames = server.frames.length;
    const later = isKnownLater ? (await ask(provider, mode, options)).warnings : [];
    return { answer: [texts.join(''), text], errors, warnings: [...warnings, ...later], frames };
  }

  it.each(Object.entries(IGNORED))('%s', async (field, row) => {
    const { named, ignoring, following } = row;
    const isInBackground = field === 'background';
    for (const echo of ignoring) {
      const { answer, errors, warnings, frames } = await answerWith(echo, row);
      expect({ echo, answer: answer[0], errors }).toEqual({ echo, answer: answer[1], errors: [] });
      expect(naming(warnings, named), JSON.stringify(echo)).toHaveLength(1);
      expect(frames).toBe(transport === 'websocket' && !isInBackground ? 1 : 0);
    }
    for (const echo of following) {
      const { answer, errors, warnings } = await answerWith(echo, row);
      // A response in background mode is left at once.
      expect({ echo, answer: answer[0], errors }).toEqual({
        echo,
        answer: isInBackground ? '' : answer[1],
        errors: [],
      });
      expect(naming(warnings, named), JSON.stringify(echo)).toEqual([]);
    }
  });
});

describe.each(modes)('a response that begins with its content: %s', mode => {
  it('of each user continues no other one', async () => {
    const { url } = await startServer(() => ({}));
    const provider = createProvider(url);
    for (const option of ['previousResponseId', 'conversation']) {
      for (const user of ['ada', 'ben']) {
        const providerOptions = { openai: { [option]: `of_${user}` } };
        const { warnings } = await ask(provider, mode, { providerOptions });
        expect(naming(warnings, option)).toHaveLength(1);
      }
    }
  });

  it('continues no other one', async () => {
    const { url } = await serve((response, { body }) => {
      const isStream = body.stream === true;
      const events = toStream(HELLO).filter(({ type }) => !/created|in_progress/.test(type));
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? toSse(events) : JSON.stringify({ output: [HELLO[0]?.item] }));
    });
    const { texts, warnings } = await ask(createProvider(url), mode, {
      providerOptions: { openai: { previousResponseId: 'resp_0' } },
    });
    expect(texts).toEqual(['Hello.']);
    expect(naming(warnings, 'previousResponseId')).toHaveLength(1);
  });
});

it('names another model of the family once', async () => {
  const { url } = await startServer(() => ({ model: 'qwen4.3' }));
  const provider = createProvider(url);
  const first = await ask(provider, 'generate');
  expect(first.warnings).toEqual([
    { type: 'other', message: 'The model "qwen4.3" answered in place of "qwen3".' },
  ]);
  expect((await ask(provider, 'stream')).warnings).toEqual([]);
});

describe.each(modes)('a server that stores nothing: %s', mode => {
  const providerOptions = { openai: { store: true } };
  const program = { type: 'program', id: 'prog_1', call_id: 'call_p1', code: '1', fingerprint: 'f' };
  const scripts = [
    reasoning({ id: 'rs_1', text: 'Plain.' }),
    { begun: program, item: program, deltas: [] },
    functionCall('lookup', '{}', { callId: 'call_1', id: 'fc_1' }),
  ];

  it('receives the content of the response, in another process, too', async () => {
    const { url, requests } = await startServer(() => ({ store: false }), { scripts });
    const model = createProvider(url)('qwen3');
    const call = { prompt, providerOptions, tools: [lookup] };
    const parts =
      mode === 'generate'
        ? (await model.doGenerate(call)).content
        : await collect((await model.doStream(call)).stream);
    const content = toHistory(parts);
    const output = { type: 'text' as const, value: 'found' };
    const result = { type: 'tool-result' as const, toolCallId: 'call_1', toolName: 'lookup', output };
    await createProvider(url)('qwen3').doGenerate({
      ...call,
      prompt: [...prompt, { role: 'assistant', content }, { role: 'tool', content: [result] }],
    });
    const input = requests.at(-1)?.body.input as Json[];
    expect(input.map(({ type, id }) => [type, id])).toEqual([
      ['message', undefined],
      ['program', 'prog_1'],
      ['function_call', undefined],
      ['function_call_output', undefined],
    ]);
  });

  it('is asked for encrypted reasoning from then on, in this conversation alone', async () => {
    const { url, requests } = await startServer(() => ({ store: false }), {
      scripts: [reasoning({ id: 'rs_1', text: 'Plain.' }), ...HELLO],
    });
    const provider = createProvider(url);
    const send = async (messages: LanguageModelV2Message[]) => {
      const model = provider('gpt-5');
      const call = { prompt: [...messages, ...prompt], providerOptions };
      return mode === 'generate'
        ? (await model.doGenerate(call)).content
        : collect((await model.doStream(call)).stream);
    };
    const content = toHistory(await send([]));
    await send([...prompt, { role: 'assistant', content }]);
    await send([]);
    expect(requests.map(({ body }) => [body.store, body.include])).toEqual([
      [true, undefined],
      [true, ['reasoning.encrypted_content']],
      [true, undefined],
    ]);
  });

  it('changes nothing in the conversation of another user, whose responses are stored', async () => {
    const { url, requests } = await startServer(({ user }) => ({ store: user !== 'ada' }));
    const provider = createProvider(url);
    const ofItem = (itemId: string) => ({ providerOptions: { openai: { itemId } } });
    const history: LanguageModelV2Message[] = [
      ...prompt,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', ...ofItem('rs_9') },
          { type: 'text', text: 'Hello.', ...ofItem('msg_9') },
        ],
      },
      ...prompt,
    ];
    for (const user of ['ben', 'ada', 'ben'])
      await ask(provider, mode, { prompt: history, providerOptions: { openai: { store: true, user } } });
    const [before, , after] = requests.map(({ body }) => body);
    expect(JSON.stringify(before?.input)).toContain('rs_9');
    expect(after).toEqual(before);
  });
});

describe.each(modes.flatMap(mode => [false, true].map(multiplex => ({ mode, multiplex }))))(
  'a WebSocket whose server continues no response: $mode, multiplex $multiplex',
  ({ mode, multiplex }) => {
    it('receives the complete input, and nothing of the wrong answer reaches the host', async () => {
      let count = 0;
      const { baseURL, frames } = await serveWebSocket({
        respond({ socket, body }) {
          const input = body.input as Json[];
          const outputs = input.filter(({ type }) => type === 'function_call_output').length;
          const isWhole = input.some(({ role }) => role === 'user');
          const callId = `call_${outputs + 1}`;
          const scripts = !isWhole
            ? [message(['About nothing.'])]
            : outputs < 3
              ? [functionCall('count', '{}', { callId, id: `fc_${callId}` })]
              : [message(['Done.'])];
          const lane = body.stream_id === undefined ? {} : { stream_id: body.stream_id };
          const own = { id: `resp_${++count}`, ...(count % 2 === 0 && { previous_response_id: null }) };
          sendEvents(socket, [
            { type: 'server.limits', ...lane },
            ...withEcho(toStream(scripts), own).map(event => ({ ...event, ...lane })),
          ]);
        },
      });
      let runs = 0;
      const execute = async () => `count ${++runs}`;
      const provider = createProvider(baseURL, {
        transport: 'websocket',
        webSocket: { multiplex },
        tools: { count: tool({ inputSchema: z.object({}), execute }) },
      });
      const { texts, errors, finishReason } = await ask(provider, mode);
      expect({ texts, errors, finishReason, runs }).toEqual({
        texts: ['Done.'],
        errors: [],
        finishReason: 'stop',
        runs: 3,
      });
      // The second round is sent twice, and no later one continues a response.
      expect(frames.map(({ body }) => body.previous_response_id)).toEqual([
        undefined,
        'resp_1',
        undefined,
        undefined,
        undefined,
      ]);
      expect(frames.map(({ connection }) => connection)).toEqual([1, 1, 2, 2, 2]);
    });
  },
);
