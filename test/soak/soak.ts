/**
 * Runs many parallel turns against a failing endpoint: with unknown tools, approvals, truncated arguments and repeated
 * calls. Each must end with a response or a clear error, no tool may run twice for one call or without its approval, and
 * no resources may leak.
 *
 *     npm run soak -- --turns 2000 --at-once 50 --faults 0.1 --seed 1
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { streamText, tool } from 'ai';
import { z } from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { createKelivoResponsesProvider as createProviderV3 } from '../../src/v3.js';
import { startEmulator } from '../../src/testing/emulator.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { createRandom } from '../_chunking.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { decisionOf, type Kind, kindOf, scriptTurns } from './_conversations.js';
import { answerApproval, FORGED_TURN, type TurnEnd } from './_host-approvals.js';

export interface SoakOptions {
  readonly turns: number;
  readonly atOnce: number;
  /** Share of requests that fail, from 0 to 1. */
  readonly faults: number;
  readonly seed: number;
}

export interface SoakResult {
  readonly responses: number;
  /** Clear errors, by message. */
  readonly errors: Readonly<Record<string, number>>;
  /** Turns without a response or a clear error. */
  readonly unclear: readonly string[];
  /** Calls without exactly one output, and calls that ran more often than they may. */
  readonly violations: readonly string[];
  readonly toolRuns: number;
  readonly callIds: number;
  /** Heap growth in bytes after garbage collection, from the first tenth to the end. Requires `--expose-gc`. */
  readonly heapGrowth: number | undefined;
  /** Resources that keep the process alive after everything is closed. */
  readonly handles: readonly string[];
}

const FAULTS: readonly ScriptedResponse[] = [
  { fault: 'cut', after: 0 },
  { fault: 'cut', after: 2 },
  { fault: 'cut', after: 6 },
  { fault: 'early-end' },
  { fault: 'stall', after: 4 },
  { fault: 'malformed', after: 4 },
  { fault: 'error-event' },
  { fault: 'failed', after: 6 },
  { fault: 'empty' },
  { status: 429, retryAfter: 0 },
  { status: 500 },
  { status: 503 },
];

export async function soak({ turns, atOnce, faults, seed }: SoakOptions): Promise<SoakResult> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const random = createRandom(seed);
  const before = handles();
  const violations: string[] = [];
  const emulator = await startEmulator(
    {},
    { routes: [scriptTurns(violation => void violations.push(violation))] },
  );
  const ids: string[] = [];
  const runs = new Map<number, number>();
  const recordTool = (name: string) =>
    tool({
      description: `${name}s a record`,
      inputSchema: z.object({ turn: z.number(), note: z.string().optional() }),
      execute: ({ turn }, { toolCallId }) => {
        ids.push(`${turn} ${toolCallId}`);
        runs.set(turn, (runs.get(turn) ?? 0) + 1);
        return `${name}d ${turn}`;
      },
    });
  const shared: KelivoResponsesSettings = {
    baseURL: emulator.baseURL,
    apiKey: 'sk-soak',
    timeouts: { idle: 500 },
    fetch: (input, init) => {
      // The next POST request of any turn gets the fault.
      if (random() < faults)
        emulator.enqueue(FAULTS[Math.floor(random() * FAULTS.length)] ?? { status: 500 });
      return fetch(input, init);
    },
  };
  const approvingProvider = createProviderV3({
    ...shared,
    tools: { remove: recordTool('remove') },
    toolLoop: { approve: 'host', retry: { initialDelay: 1, streamRetries: 0 } },
  });
  const provider = createKelivoResponsesProvider({
    ...shared,
    mcpServers: { everything: everythingOverStdio() },
    tools: {
      'word-count': tool({
        description: 'Counts the words of a text',
        inputSchema: z.object({ text: z.string() }),
        execute: ({ text }, { toolCallId }) => {
          ids.push(toolCallId);
          return { words: text.split(' ').length };
        },
      }),
      save: recordTool('save'),
      remove: recordTool('remove'),
    },
    toolLoop: {
      retry: { initialDelay: 1, streamRetries: 0 },
      async approve({ toolName, input }) {
        await new Promise(resolve => setImmediate(resolve));
        const decision = toolName === 'remove' ? decisionOf(Number(input.turn)) : 'approve';
        if (decision === 'throw') throw new Error('The dialog is gone.');
        return decision === 'approve';
      },
    },
  });

  const result = { violations, responses: 0, errors: {} as Record<string, number>, unclear: [] as string[] };
  let begun = 0;
  let ended = 0;
  let heapAtStart: number | undefined;

  async function runTurns(): Promise<void> {
    while (begun < turns) {
      const number = begun++;
      await runTurn(number);
      if (++ended === Math.ceil(turns / 10)) heapAtStart = collectedHeap();
    }
  }

  async function readTurn(number: number, kind: Kind): Promise<TurnEnd> {
    const prompt = kind.prompt(number);
    if (kind.answer !== undefined) {
      return answerApproval(approvingProvider('gpt-5'), { prompt, answer: kind.answer(number) });
    }
    const errors: unknown[] = [];
    const { fullStream } = streamText({
      model: provider('gpt-5'),
      prompt,
      maxOutputTokens: kind.maxOutputTokens,
      onError: () => {},
    });
    let text = '';
    let finishReason: string | undefined;
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'error') errors.push(part.error);
      if (part.type === 'finish') finishReason = part.finishReason;
    }
    return { text, finishReason, errors };
  }

  async function runTurn(number: number): Promise<void> {
    const kind = kindOf(number);
    const end = kind.end(number);
    const { text, finishReason, errors } = await readTurn(number, kind);
    const [error] = errors;
    const isComplete = error === undefined && finishReason === end.finishReason && text.includes(end.text);
    const count = runs.get(number) ?? 0;
    const allowed = kind.runs(number);
    // A turn that ends with an error may end before its calls.
    if (isComplete ? count !== allowed : count > allowed) {
      violations.push(`turn ${number}: ${count} runs instead of ${allowed}`);
    }
    if (isComplete) result.responses++;
    else if (error instanceof Error && error.message.length > 20) {
      const message = error.message.replaceAll(/127\.0\.0\.1:\d+|\d+ ms/g, '…').slice(0, 90);
      result.errors[message] = (result.errors[message] ?? 0) + 1;
    } else
      result.unclear.push(
        `turn ${number}: finish ${finishReason}, ${JSON.stringify(text)}, ${String(error)}`,
      );
    // The recorded requests of the emulator are not part of the measurement.
    (emulator.requests as unknown[]).length = 0;
  }

  await Promise.all(Array.from({ length: atOnce }, runTurns));
  if (runs.has(FORGED_TURN)) violations.push('a call ran with arguments that were not asked about');
  await Promise.all([provider.close(), approvingProvider.close()]);
  await emulator.close();
  const heapAtEnd = collectedHeap();
  // Recently closed sockets are still listed for a short time.
  await new Promise(resolve => setTimeout(resolve, 200));
  const left = handles();
  for (const handle of before) if (left.includes(handle)) left.splice(left.indexOf(handle), 1);
  return {
    ...result,
    toolRuns: ids.length,
    callIds: new Set(ids).size,
    heapGrowth: heapAtStart === undefined || heapAtEnd === undefined ? undefined : heapAtEnd - heapAtStart,
    handles: left,
  };
}

function collectedHeap(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const handles = (): string[] => process.getActiveResourcesInfo().filter(name => name !== 'Timeout');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '2000' },
      'at-once': { type: 'string', default: '50' },
      faults: { type: 'string', default: '0.1' },
      seed: { type: 'string', default: '1' },
    },
  });
  const startedAt = performance.now();
  const turns = Number(values.turns);
  const {
    responses,
    errors,
    unclear,
    violations,
    toolRuns,
    callIds,
    heapGrowth,
    handles: left,
  } = await soak({
    turns,
    atOnce: Number(values['at-once']),
    faults: Number(values.faults),
    seed: Number(values.seed),
  });
  console.log(`${turns} turns in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  console.log(
    `${responses} responses, ${Object.values(errors).reduce((sum, count) => sum + count, 0)} clear errors`,
    errors,
  );
  console.log(`${toolRuns} tool runs for ${callIds} call ids`);
  console.log(
    `heap growth after gc: ${heapGrowth === undefined ? 'not measured' : `${(heapGrowth / 2 ** 20).toFixed(1)} MB`}`,
  );
  console.log('handles left:', left.length === 0 ? 'none' : left.join(', '));
  for (const problem of [...unclear, ...violations]) console.error(problem);
  const isGood =
    unclear.length === 0 &&
    violations.length === 0 &&
    toolRuns === callIds &&
    left.length === 0 &&
    (heapGrowth ?? 0) < 10 * 2 ** 20;
  process.exitCode = isGood ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
