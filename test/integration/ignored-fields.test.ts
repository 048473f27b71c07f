import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { toolLoopCallOptions } from '../../src/tool-loop/options.js';
import { collect, summarize } from '../_parts.js';
import { serve } from '../_server.js';
import { toSse, type WireEvent } from '../_sse.js';
import { sendEvents, serveWebSocket } from '../_websocket-server.js';
import {
  functionCall,
  type ItemScript,
  message,
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

describe.each(modes)('the option `previousResponseId`: %s', mode => {
  const providerOptions = { openai: { previousResponseId: 'resp_0' } };

  it.each<[Json, number]>([
    [{}, 1],
    [{ previous_response_id: null }, 1],
    [{ previous_response_id: 'resp_9' }, 1],
    [{ previous_response_id: 'resp_0' }, 0],
  ])('gives a warning if the server does not repeat it: %j', async (echo, count) => {
    const { url } = await startServer(() => echo);
    const { texts, warnings } = await ask(createProvider(url), mode, { providerOptions });
    expect(texts).toEqual(['Hello.']);
    expect(naming(warnings, 'previousResponseId')).toHaveLength(count);
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
