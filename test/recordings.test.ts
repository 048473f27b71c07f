import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APICallError, type LanguageModelV2, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../src/index.js';
import { splitRandomly, toBody } from './_chunking.js';
import { judge, toCalls, type Verdict } from './_judge.js';
import { collect, type Summary, summarize, summarizeContent } from './_parts.js';
import { startEmulator } from './testing/_emulator.js';

const folder = process.env.RESPONSES_RECORDINGS;
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

/** Recordings that their source shortened. Their deltas do not add up to the final text; the streamed text counts. */
const STREAMED_TEXT: Readonly<Record<string, string>> = {
  'vercel-openai/openai-shell-container.1.sse': 'The command ran successfully.',
};

if (folder === undefined) {
  it.skip('replays recordings if RESPONSES_RECORDINGS names a folder', () => {});
} else {
  const recordings = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.sse'))
    .sort();
  describe.each(recordings)('%s', name => {
    const body = readFileSync(join(folder, name), 'utf8');
    const verdict = judge(body);
    const expected: Verdict = { ...verdict, text: STREAMED_TEXT[name] ?? verdict.text };

    it('matches its output items, read in one chunk', async () => {
      expectSummary(await replay([new TextEncoder().encode(body)]), expected);
    });

    it('matches its output items, read in random chunks', async () => {
      expectSummary(await replay(splitRandomly(body, { seed: 7, longest: 300 })), expected);
    });

    it('matches its output items, read from the frames of a WebSocket', async () => {
      const summary = await replayFrames(body);
      expectSummary(summary, expected);
      expect(summary).toEqual(await replay([new TextEncoder().encode(body)]));
    });

    it('is an error without its terminal event', async () => {
      const summary = await replay([new TextEncoder().encode(expected.truncated)]);
      expect(summary?.finishReason ?? 'error').toBe('error');
    });

    // A response that reached its limit of tokens is known to be incomplete, and a shortened recording has no text to compare.
    const isComparable = expected.response?.status === 'completed' && STREAMED_TEXT[name] === undefined;
    if (isComparable) {
      it('finishes with no wrong text if deltas are lost, doubled, swapped or cut off', async () => {
        const wrong: string[] = [];
        for (const [change, changed] of changedDeltas(body)) {
          const summary = await replay([new TextEncoder().encode(changed)]);
          const isRight =
            summary === undefined ||
            summary.finishReason === 'error' ||
            summary.texts.join('') === expected.text;
          if (!isRight) wrong.push(change);
        }
        expect(wrong).toEqual([]);
      });
    }

    const { response } = expected;
    if (response?.status === 'completed' && Array.isArray(response.output) && response.output.length > 0) {
      it('is read equally as a JSON document', async () => {
        const model = createModel([new TextEncoder().encode(JSON.stringify(response))]);
        const { content, usage } = await model.doGenerate({ prompt });
        const { texts, calls } = summarizeContent(content);
        expect(texts.join('')).toBe(verdict.text);
        expect(toCallsOf(calls)).toEqual(verdict.calls);
        expect(usage).toEqual((await replay([new TextEncoder().encode(body)]))?.usage);
      });
    }
  });
}

const MAX_PLACES = 4;

/** Returns the body with its text deltas changed, at some places. */
function* changedDeltas(body: string): Generator<[change: string, body: string]> {
  const frames = body.split(/(?<=\n\r?\n)/);
  const places = frames.flatMap((frame, at) =>
    /"type": ?"response\.output_text\.delta"/.test(frame) ? [at] : [],
  );
  const step = Math.max(1, Math.floor(places.length / MAX_PLACES));
  for (let index = 0; index < places.length; index += step) {
    const [at, next] = [places[index] ?? 0, places[index + 1]];
    const [frame = '', before, after] = [frames[at], frames.slice(0, at), frames.slice(at + 1)];
    yield [`lost ${at}`, [...before, ...after].join('')];
    yield [`doubled ${at}`, [...before, frame, frame, ...after].join('')];
    yield [`cut off ${at}`, before.join('')];
    if (next === undefined) continue;
    const swapped = frames.map((one, place) => (place === at ? frames[next] : place === next ? frame : one));
    yield [`swapped ${at}`, swapped.join('')];
  }
}

function expectSummary(summary: Summary | undefined, expected: Verdict): void {
  if (summary === undefined) {
    expect(expected).toMatchObject({ isBroken: true, text: '', calls: [] });
    return;
  }
  expect(summary.texts.join('')).toBe(expected.text);
  expect(toCallsOf(summary.calls)).toEqual(expected.calls);
  expect(summary.usage).toMatchObject({
    inputTokens: expected.usage.input,
    outputTokens: expected.usage.output,
  });
  expect(summary.finishReason === 'error').toBe(expected.isBroken);
}

const toCallsOf = (calls: Summary['calls']) =>
  toCalls(calls.map(({ name, input }) => ({ type: 'function_call', name, arguments: input })));

const createModel = (chunks: readonly Uint8Array[]) =>
  createKelivoResponsesProvider({
    baseURL: 'http://recording.test/v1',
    fetch: async () => new Response(toBody(chunks)),
  }).responses('recorded-model');

/** Reads a body through the model. Returns undefined if the model rejects before the first content. */
const replay = (chunks: readonly Uint8Array[]): Promise<Summary | undefined> => read(createModel(chunks));

/** Reads the events of a body as the frames of a WebSocket. */
async function replayFrames(body: string): Promise<Summary | undefined> {
  const emulator = await startEmulator({ rules: 'none' });
  emulator.enqueue({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, transport: 'websocket' });
  onTestFinished(() => provider.close());
  const summary = await read(provider.responses('recorded-model'));
  expect(emulator.requests.map(({ method }) => method)).toEqual(['response.create']);
  return summary;
}

async function read(model: LanguageModelV2): Promise<Summary | undefined> {
  let stream: ReadableStream<LanguageModelV2StreamPart>;
  try {
    ({ stream } = await model.doStream({ prompt }));
  } catch (error) {
    if (APICallError.isInstance(error)) return undefined;
    throw error;
  }
  const parts = await collect(stream);
  expect(parts[0]?.type).toBe('stream-start');
  return summarize(parts);
}
