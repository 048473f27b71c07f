/**
 * Sends broken streams to the model and checks rules that hold for any input: the stream closes, no rejection stays
 * unhandled, blocks are balanced, and a truncated stream never finishes with `stop`.
 *
 *     npm run fuzz -- --runs 200000 --seed 1
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { splitRandomly, toBody } from '../_chunking.js';
import { checkParts } from '../_parts.js';
import { toSse } from '../_sse.js';
import { RESPONSE_FIXTURES } from '../responses/stream/_fixtures/responses.js';
import { createMutator, type Random } from './stream-mutations.js';

export interface FuzzResult {
  readonly runs: number;
  /** Number of streams by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The failures, each with the seed that reproduces it. */
  readonly failures: readonly { seed: number; reason: string; body: string }[];
}

/** Time after which a stream counts as hanging, in milliseconds. */
const STREAM_TIMEOUT = 60_000;

export async function fuzzStreams({ runs, seed }: { runs: number; seed: number }): Promise<FuzzResult> {
  const outcomes: Record<string, number> = {};
  const failures: { seed: number; reason: string; body: string }[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  const bodies = RESPONSE_FIXTURES.map(({ events }) => toSse(events));

  for (let run = 0; run < runs && failures.length < 10; run++) {
    const runSeed = seed + run;
    const mutate = createMutator(runSeed);
    const body = mutate.stream(bodies[run % bodies.length] ?? '');
    const outcome = await readOnce(body, mutate.random);
    outcomes[outcome.kind] = (outcomes[outcome.kind] ?? 0) + 1;
    // Lets unhandled rejections surface.
    if (run % 50 === 0) await new Promise(resolve => setImmediate(resolve));
    const reason =
      unhandled.length > 0 ? `unhandled rejection: ${String(unhandled.splice(0)[0])}` : judge(outcome, body);
    if (reason !== undefined) failures.push({ seed: runSeed, reason, body: new TextDecoder().decode(body) });
  }
  process.off('unhandledRejection', onUnhandled);
  return { runs, outcomes, failures };
}

type Outcome =
  | { kind: 'rejected'; error: unknown }
  | { kind: 'errored'; error: unknown }
  | { kind: 'hung' }
  | { kind: string; parts: readonly LanguageModelV2StreamPart[] };

async function readOnce(body: Uint8Array, random: Random): Promise<Outcome> {
  const longest = 1 + Math.floor(random() ** 4 * 4000);
  const chunks = splitRandomly(body, { seed: Math.floor(random() * 1e9), longest });
  const provider = createKelivoResponsesProvider({
    apiKey: 'test',
    baseURL: 'http://server.test/v1',
    fetch: async () => new Response(toBody(chunks), { headers: { 'content-type': 'text/event-stream' } }),
  });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Outcome>(resolve => {
    timer = setTimeout(() => resolve({ kind: 'hung' }), STREAM_TIMEOUT);
  });
  try {
    return await Promise.race([readParts(provider.responses('gpt-5')), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function readParts(
  model: ReturnType<ReturnType<typeof createKelivoResponsesProvider>['responses']>,
): Promise<Outcome> {
  let stream: ReadableStream<LanguageModelV2StreamPart>;
  try {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
    stream = (await model.doStream({ prompt })).stream;
  } catch (error) {
    return { kind: 'rejected', error };
  }
  const parts: LanguageModelV2StreamPart[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    return { kind: 'errored', error };
  }
  const finish = parts.find(part => part.type === 'finish');
  return { kind: finish?.type === 'finish' ? finish.finishReason : 'no finish', parts };
}

/** Returns the reason why an outcome is wrong, or undefined. */
function judge(outcome: Outcome, body: Uint8Array): string | undefined {
  if (outcome.kind === 'hung') return 'the stream did not close';
  if ('error' in outcome) {
    if (outcome.kind === 'errored') return `the stream errored: ${String(outcome.error)}`;
    return outcome.error instanceof Error ? undefined : `rejected with ${String(outcome.error)}`;
  }
  if (!('parts' in outcome)) return 'no parts';
  try {
    checkParts(outcome.parts);
  } catch (error) {
    return String(error);
  }
  const isEnded = hasTerminalEvent(new TextDecoder().decode(body));
  if (!isEnded && outcome.kind !== 'error') return `finish "${outcome.kind}" although no terminal event came`;
  if (({} as Record<string, unknown>).polluted !== undefined) return 'Object.prototype was changed';
  return undefined;
}

/** Returns true if any line could mean the end of a response. Much more permissive than the package. */
const hasTerminalEvent = (text: string): boolean =>
  /response\.(completed|incomplete|failed|done|cancelled)/.test(text) ||
  /"status"\s*:\s*"(completed|incomplete)"/.test(text);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' } },
  });
  const startedAt = performance.now();
  const result = await fuzzStreams({ runs: Number(values.runs), seed: Number(values.seed) });
  for (const failure of result.failures) {
    console.error(`seed ${failure.seed}: ${failure.reason}\n${JSON.stringify(failure.body)}`);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${result.runs} streams in ${seconds} s, ${result.failures.length} failures`, result.outcomes);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
