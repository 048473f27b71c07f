import { getEventListeners } from 'node:events';
import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { everyNth } from '../_products.js';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import type { ResponsesProviderOptions } from '../../src/responses/request/options.js';
import type { ResponsesEmulator, ScriptedItem, ScriptedResponse } from '../../src/testing/index.js';
import { checkParts, collect, summarize, summarizeContent } from '../_parts.js';
import { serve } from '../_server.js';
import { toSse, type WireEvent } from '../_sse.js';
import { startEmulator } from '../testing/_emulator.js';
import { message, toStream } from './stream/_fixtures/wire-events.js';

const output: readonly ScriptedItem[] = [
  { reasoning: ['First I think', 'then I act'] },
  { text: 'one two three four' },
  { call: 'save', arguments: { text: 'a long text of several tokens' }, callId: 'call_1' },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' },
];

const background = { pollInterval: 1 };

function callOf(options: ResponsesProviderOptions): LanguageModelV2CallOptions {
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    tools: [{ type: 'function', name: 'save', inputSchema: { type: 'object', properties: { text: {} } } }],
    includeRawChunks: true,
    providerOptions: { kelivo: options as never },
  };
}

const modelAt = ({ baseURL }: ResponsesEmulator, settings: KelivoResponsesSettings = {}) =>
  createKelivoResponsesProvider({ baseURL, apiKey: 'sk-test', ...settings }).responses('gpt-5');

async function streamOf(
  emulator: ResponsesEmulator,
  options: ResponsesProviderOptions = { background },
): Promise<LanguageModelV2StreamPart[]> {
  const { stream } = await modelAt(emulator).doStream(callOf(options));
  const parts = await collect(stream);
  checkParts(parts);
  return parts;
}

async function start(...responses: ScriptedResponse[]) {
  const emulator = await startEmulator();
  emulator.enqueue(...responses);
  return emulator;
}

/** Replaces the ids of one response, which are random, by their position. */
function normalize(value: unknown): unknown {
  const ids: string[] = [];
  const json = JSON.stringify(value).replace(/\b(?:resp|msg|rs|fc)_[0-9a-f]{20,}|gAAAAA[\w-]+/g, id => {
    if (!ids.includes(id)) ids.push(id);
    return `id-${ids.indexOf(id)}`;
  });
  return JSON.parse(
    json
      .replace(/"timestamp":"[^"]*"/g, '"timestamp":0')
      .replace(/"(created_at|completed_at|completedAt)":\d+/g, '"$1":0'),
  );
}

const rawEvents = (parts: readonly LanguageModelV2StreamPart[]) =>
  parts.flatMap(part => (part.type === 'raw' ? [part.rawValue as { sequence_number: number }] : []));
const numbersOf = (parts: readonly LanguageModelV2StreamPart[]) =>
  rawEvents(parts).map(event => event.sequence_number);
const sequenceNumberOf = (part: LanguageModelV2StreamPart) =>
  'providerMetadata' in part
    ? (part.providerMetadata as { kelivo?: { sequenceNumber?: number } } | undefined)?.kelivo?.sequenceNumber
    : undefined;
const responseIdOf = (parts: readonly LanguageModelV2StreamPart[]) => {
  const metadata = parts.find(part => part.type === 'response-metadata');
  return metadata?.type === 'response-metadata' ? String(metadata.id) : '';
};

const reference = await (async () => {
  const { startResponsesEmulator } = await import('../../src/testing/index.js');
  const emulator = await startResponsesEmulator();
  emulator.enqueue(output);
  const parts = await streamOf(emulator);
  await emulator.close();
  return parts;
})();
const EVENTS = rawEvents(reference).length;

describe('a streamed response in the background', () => {
  it('is stored, and has the number of its event in each part', async () => {
    const emulator = await start(output);
    const parts = await streamOf(emulator);
    expect(emulator.requests[0]?.body).toMatchObject({ background: true, store: true, stream: true });
    expect(emulator.requests).toHaveLength(1);
    expect(numbersOf(parts)).toEqual(Array.from({ length: EVENTS }, (_, index) => index));
    const numbers = parts.flatMap(part => sequenceNumberOf(part) ?? []);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(parts.filter(({ type }) => type === 'text-delta').map(sequenceNumberOf)).not.toContain(undefined);
    const delta = parts.find(({ type }) => type === 'text-delta');
    expect(delta).toMatchObject({
      providerMetadata: {
        openai: { itemId: expect.stringMatching(/^msg_/) },
        kelivo: { responseId: responseIdOf(parts) },
      },
    });
  });

  it('gives its id before it has content', async () => {
    const emulator = await start({ output, background: { polls: Infinity } });
    const { stream } = await modelAt(emulator).doStream(callOf({ background }));
    const reader = stream.getReader();
    const types = [(await reader.read()).value?.type, (await reader.read()).value?.type];
    expect(types).toEqual(['stream-start', 'raw']);
    expect((await reader.read()).value).toMatchObject({ type: 'response-metadata', id: expect.any(String) });
    await reader.cancel();
  });

  // After 0 events the id of the response is not known.
  it.each(
    everyNth(
      Array.from({ length: EVENTS - 1 }, (_, index) => index + 1),
      3,
    ),
  )('continues without a difference when the connection is cut after %i events', async after => {
    const emulator = await start({ fault: 'cut', after, output });
    const parts = await streamOf(emulator);
    expect(normalize(parts)).toEqual(normalize(reference));
    const [, resumed] = emulator.requests;
    expect(resumed?.path).toMatch(
      new RegExp(`/responses/resp_\\w+\\?.*stream=true&starting_after=${after - 1}$`),
    );
  });

  it.each([1, 2, 5])('continues when every connection is cut after %i events', async cutAfter => {
    const emulator = await start({ output, background: { cutAfter } });
    expect(normalize(await streamOf(emulator))).toEqual(normalize(reference));
    expect(emulator.requests.length).toBeGreaterThanOrEqual(EVENTS / cutAfter);
  });

  it('continues when the body ends early, and when it stalls', async () => {
    const early = await start({ fault: 'early-end', after: 7, output });
    expect(normalize(await streamOf(early))).toEqual(normalize(reference));
    const stalled = await start({ fault: 'stall', after: 7, output });
    const { stream } = await modelAt(stalled, { timeouts: { idle: 300 } }).doStream(callOf({ background }));
    expect(normalize(await collect(stream))).toEqual(normalize(reference));
  });

  it('is completed by its state if the server does not stream it again', async () => {
    const emulator = await start({ fault: 'cut', after: 9, output });
    const original = fetch;
    const model = modelAt(emulator, {
      fetch: async (input, init) =>
        String(input).includes('stream=true')
          ? Response.json({ error: { message: 'Streams cannot be resumed.' } }, { status: 400 })
          : original(input, init),
    });
    const parts = await collect((await model.doStream(callOf({ background }))).stream);
    checkParts(parts);
    expect(summarize(parts)).toEqual(summarize(reference));
  });

  it('rejects with a retryable error if its id is not known', async () => {
    const emulator = await start({ fault: 'cut', after: 0, output });
    await expect(streamOf(emulator)).rejects.toMatchObject({ isRetryable: true });
  });
});

describe('a generated response in the background', () => {
  it.each([0, 1, 3])('is complete after %i unfinished states, also if requests are cut', async polls => {
    for (const cutPolls of [false, true]) {
      const emulator = await start({ output, background: { polls, cutPolls } });
      const result = await modelAt(emulator).doGenerate(callOf({ background }));
      const { texts, reasoning, calls } = summarize(reference);
      expect(summarizeContent(result.content)).toMatchObject({ texts, reasoning, calls });
      expect(result.finishReason).toBe('tool-calls');
      expect(emulator.requests[0]?.body).not.toHaveProperty('stream');
      const states = emulator.requests.slice(1);
      expect(states).toHaveLength((polls + 1) * (cutPolls ? 2 : 1));
      expect(states[0]?.path).toContain('include%5B%5D=reasoning.encrypted_content');
    }
  });

  it('waits longer before each request for the state', async () => {
    const emulator = await start({ output, background: { polls: 3 } });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await modelAt(emulator).doGenerate(callOf({ background: { pollInterval: 40 } }));
    const expected = [40, 60, 90, 135];
    // Others have timers at the same time.
    const delays = timers.mock.calls.flatMap(([, delay = 0]) => (expected.includes(delay) ? [delay] : []));
    timers.mockRestore();
    expect(delays).toEqual(expected);
  });
});

describe('an abort', () => {
  it.each(['stream', 'generate', 'cancelled stream'] as const)(
    'cancels the response on the server: %s',
    async mode => {
      const emulator = await start({ output, background: { polls: Infinity } });
      const controller = new AbortController();
      const call = { ...callOf({ background }), abortSignal: controller.signal };
      const model = modelAt(emulator);
      const isCancelled = () => emulator.requests.some(({ path }) => path.endsWith('/cancel'));
      if (mode === 'generate') {
        const result = Promise.resolve(model.doGenerate(call));
        result.catch(() => {});
        await expect.poll(() => emulator.requests.length).toBeGreaterThan(2);
        controller.abort(new Error('Stop.'));
        await expect(result).rejects.toThrow('Stop.');
      } else {
        const { stream } = await model.doStream(call);
        if (mode === 'stream') {
          controller.abort(new Error('Stop.'));
          await expect(collect(stream)).rejects.toThrow('Stop.');
        } else {
          await stream.cancel();
        }
      }
      await expect.poll(isCancelled).toBe(true);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    },
  );

  it('after the end of the response cancels nothing', async () => {
    const emulator = await start(output);
    await streamOf(emulator);
    expect(emulator.requests).toHaveLength(1);
  });
});

describe('a response that another process continues', () => {
  it('is submitted without its content, and read later', async () => {
    for (const mode of ['doStream', 'doGenerate'] as const) {
      const emulator = await start({ output, background: { cutAfter: 10 } });
      const submitted = await modelAt(emulator).doGenerate(callOf({ background: { submit: true } }));
      expect(submitted).toMatchObject({ content: [], finishReason: 'other' });
      const responseId = String(submitted.providerMetadata?.kelivo?.responseId);
      const call = callOf({ background, resume: { responseId } });
      if (mode === 'doStream') {
        const parts = await collect((await modelAt(emulator).doStream(call)).stream);
        expect(normalize(parts)).toEqual(normalize(reference));
      } else {
        const { content } = await modelAt(emulator).doGenerate(call);
        expect(summarizeContent(content).texts).toEqual(summarize(reference).texts);
      }
      expect(emulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }
  });

  it.each([
    '',
    '..',
    '../models',
    'resp_1/cancel',
    'resp_1?stream=true',
    'resp 1',
    'resp_1#',
    'a'.repeat(1001),
  ])('is not requested by "%s", which is no id', async responseId => {
    const emulator = await start();
    await expect(streamOf(emulator, { resume: { responseId } })).rejects.toThrow('the id of a response');
    expect(emulator.requests).toEqual([]);
  });

  it('is read at once if it is complete', async () => {
    const emulator = await start(output);
    const responseId = responseIdOf(await streamOf(emulator));
    const parts = await streamOf(emulator, { resume: { responseId } });
    const { texts, calls, reasoning, finishReason } = summarize(reference);
    expect(summarize(parts)).toMatchObject({ texts, calls, reasoning, finishReason });
    expect(emulator.requests).toHaveLength(2);
  });

  it('continues after every part, without a part twice', async () => {
    const emulator = await start(output);
    const all = await streamOf(emulator);
    const responseId = responseIdOf(all);
    const deltasOf = (parts: readonly LanguageModelV2StreamPart[]) =>
      parts.flatMap(part => ('delta' in part ? [`${part.type} ${part.id} ${part.delta}`] : []));
    const callsOf = (parts: readonly LanguageModelV2StreamPart[]) =>
      parts.filter(({ type }) => type === 'tool-call');
    for (let sequenceNumber = 0; sequenceNumber < EVENTS; sequenceNumber++) {
      const received = all.filter(
        part => (sequenceNumberOf(part) ?? -1) <= sequenceNumber && part.type !== 'finish',
      );
      const rest = await streamOf(emulator, { resume: { responseId, sequenceNumber } });
      expect([...deltasOf(received), ...deltasOf(rest)]).toEqual(deltasOf(all));
      expect([...callsOf(received), ...callsOf(rest)]).toEqual(callsOf(all));
      expect(rest.at(-1)).toEqual(all.at(-1));
    }
  });
});

describe('the errors of a response in the background', () => {
  it('report an id that the server does not know', async () => {
    const emulator = await startEmulator();
    for (const resume of [{ responseId: 'resp_old' }, { responseId: 'resp_old', sequenceNumber: 3 }]) {
      const error: unknown = await streamOf(emulator, { resume }).catch((reason: unknown) => reason);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        statusCode: 404,
        isRetryable: false,
        message: expect.stringMatching(/"resp_old".*expired.*without `resume`/s),
      });
    }
  });

  it('refuse a call that stores nothing', async () => {
    const emulator = await startEmulator();
    await expect(streamOf(emulator, { background, store: false })).rejects.toThrow('`store` not to be false');
    expect(emulator.requests).toEqual([]);
  });

  it('name the state of a response that exceeds the time limit, and cancel it', async () => {
    const emulator = await start({ output, background: { polls: Infinity } });
    const model = modelAt(emulator, { timeouts: { total: 1000 } });
    await expect(model.doGenerate(callOf({ background }))).rejects.toThrow(
      /timeouts\.total\), but the response "resp_\w+" was "queued"/,
    );
    await expect.poll(() => emulator.requests.some(({ path }) => path.endsWith('/cancel'))).toBe(true);
  });
});

describe('a server without background mode', () => {
  it('rejects the request, which is not sent without it', async () => {
    const message = "Unknown parameter: 'background'.";
    const emulator = await start({ status: 400, body: { error: { message, param: 'background' } } }, output);
    await expect(streamOf(emulator)).rejects.toThrow(message);
    expect(emulator.requests).toHaveLength(1);
  });

  it('responds as usual if it ignores the field', async () => {
    const emulator = await startEmulator();
    const ignoring = (input: RequestInfo | URL, init?: RequestInit) =>
      fetch(input, { ...init, body: String(init?.body).replace('"background":true,', '') });
    for (const stream of [true, false]) {
      emulator.enqueue(output);
      const model = modelAt(emulator, { fetch: ignoring });
      const { texts } = stream
        ? summarize(await collect((await model.doStream(callOf({ background }))).stream))
        : summarizeContent((await model.doGenerate(callOf({ background }))).content);
      expect(texts).toEqual(summarize(reference).texts);
    }
    expect(emulator.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });
});

it.each([0, 1, 2, 4])(
  'continues by its first id if a server changes the id, cut after %i events',
  async cut => {
    const [created, ...rest] = toStream([message(['one ', 'two'])]);
    const events = [created, ...rest].map((event, number) => {
      const { response } = event as { response?: object };
      const id = number === 0 ? 'resp_first' : 'resp_other';
      return {
        ...event,
        ...(response && { response: { ...response, id, background: true } }),
        sequence_number: number,
      };
    }) as WireEvent[];
    const { url, requests } = await serve((response, { path }) => {
      const after = new URL(path, 'http://localhost').searchParams.get('starting_after');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (after !== null || cut === 0) return void response.end(toSse(events.slice(Number(after ?? -1) + 1)));
      response.write(toSse(events.slice(0, cut)));
      setTimeout(() => response.destroy(), 20);
    });
    const model = createKelivoResponsesProvider({ baseURL: url, apiKey: 'k' }).responses('gpt-5');
    const parts = await collect((await model.doStream(callOf({ background }))).stream);
    expect(summarize(parts)).toMatchObject({ texts: ['one two'], errors: [], finishReason: 'stop' });
    expect(responseIdOf(parts)).toBe('resp_first');
    expect(requests.slice(1).every(({ path }) => path.includes('/resp_first?'))).toBe(true);
  },
);
