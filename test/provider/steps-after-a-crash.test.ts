import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4StreamPart } from 'provider4';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { combine, everyValue } from '../_products.js';
import { temporaryFolder } from '../tools/mcp/_fixture-server.js';
import { createServer, deathsAt, dyingStore, LINES } from './_crashes.js';
import type { Json } from './_forms.js';

/*
 * Durable turns that a host takes in steps, whose process dies at a record. The host has kept the steps before, and repeats the
 * one that has not ended in another process, or goes on with what it has seen of it.
 */

/** A point at which the process dies: the number of a record, before or after it was written. */
interface Death {
  readonly record: number;
  readonly isWritten: boolean;
}

interface Scenario {
  readonly mode: 'generate' | 'stream';
  /** The line that needs an approval. */
  readonly asked: string;
  readonly isApproved: boolean;
  /** The turn after an approval has an id of its own. */
  readonly hasOwnId: boolean;
  /** Each step has a process of its own. */
  readonly movesOn: boolean;
  /** What the host keeps of a step that has not ended. */
  readonly keeps: 'nothing' | 'parts';
}

interface Run {
  readonly deaths: number;
  readonly problems: readonly string[];
}

/** What a host keeps of the parts of a step. */
const toMessage = (parts: readonly Json[]): Json[] =>
  parts.flatMap(({ type, providerMetadata, input, result, isError, ...part }): Json[] => {
    const facts = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
    if (type === 'tool-call') return [{ type, ...part, input: JSON.parse(String(input)) as Json, ...facts }];
    if (type !== 'tool-result') return [];
    return [{ type, ...part, output: { type: isError === true ? 'error-text' : 'text', value: result } }];
  });

async function runUntilEnd(
  { mode, asked, isApproved, hasOwnId, movesOn, keeps }: Scenario,
  death: Death | undefined,
  file: string,
): Promise<Run> {
  const id = crypto.randomUUID();
  const { requests, fetch } = createServer();
  const store = createSqliteStore({ path: ':memory:' });
  let records = 0;
  const isDeath = (): boolean => ++records === death?.record;
  const burials: (() => void)[] = [];
  const closing: PromiseLike<unknown>[] = [];

  const start = () => {
    const process = dyingStore(store, isDeath, death?.isWritten === true);
    burials.push(process.bury);
    const provider = createKelivoResponsesProvider({
      baseURL: 'http://127.0.0.1:9/v1',
      apiKey: 'key',
      fetch: fetch as typeof globalThis.fetch,
      tools: {
        write: {
          inputSchema: z.object({ line: z.string() }),
          async execute({ line }: { line: string }) {
            await appendFile(file, `${id} ${line}\n`);
            return `wrote ${line}`;
          },
        },
      },
      toolLoop: {
        approve: 'host',
        approvals: ({ input }) => (input as Json).line === asked,
        journal: createJournal({ store: process.store }),
      },
    });
    return { provider, process };
  };
  let current = start();
  const replace = (): void => {
    closing.push(current.provider.close().then(undefined, () => {}));
    current = start();
  };

  let prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }];
  let turnId = 'turn-1';
  let finish: string | undefined;
  const problems: string[] = [];
  /** Results by the ids of their calls, as the host shows them. */
  const shown = new Map<string, unknown[]>();
  let text = '';
  let deaths = 0;

  for (let steps = 0; finish !== 'stop'; steps++) {
    if (steps > 12) {
      problems.push('the turn does not end');
      break;
    }
    const { provider, process } = current;
    const settings = await provider.agentSettings({ runBy: 'provider', turnId });
    const options = {
      prompt,
      tools: Object.entries(settings.tools).map(([name, { type, id: of, args }]) => ({
        type,
        id: of,
        args,
        name,
      })),
      providerOptions: settings.providerOptions,
    } as unknown as LanguageModelV4CallOptions;
    const seen: Json[] = [];
    const taking = take(provider('gpt-5') as never, { mode, options, seen });
    taking.catch(() => {});
    const isOver = await Promise.race([taking.then(() => true), process.died.then(() => false)]).catch(
      error => {
        problems.push(`failed: ${String(error)}`);
        return undefined;
      },
    );
    if (isOver === undefined) break;
    const parts = [...seen];
    const kept = toMessage(parts);
    const hasKept = isOver || (keeps === 'parts' && kept.some(({ type }) => type === 'tool-call'));
    if (hasKept)
      for (const { type, toolCallId, result } of parts)
        if (type === 'tool-result')
          shown.set(String(toolCallId), [...(shown.get(String(toolCallId)) ?? []), result]);
    if (hasKept)
      prompt = JSON.parse(JSON.stringify([...prompt, { role: 'assistant', content: kept }])) as never;
    if (!isOver) {
      deaths++;
      replace();
      continue;
    }
    finish = (parts.find(({ type }) => type === 'finish')?.finishReason as Json | undefined)
      ?.unified as string;
    for (const { type, error } of parts) if (type === 'error') problems.push(`error: ${String(error)}`);
    text += parts.map(({ type, delta = '' }) => (type === 'text-delta' ? String(delta) : '')).join('');
    const questions = parts.filter(({ type }) => type === 'tool-approval-request');
    if (questions.length > 0) {
      prompt = [
        ...prompt,
        {
          role: 'tool',
          content: questions.map(({ approvalId }) => ({
            type: 'tool-approval-response',
            approvalId: String(approvalId),
            approved: isApproved,
          })),
        },
      ];
      if (hasOwnId) turnId = 'turn-2';
    } else if (finish !== 'stop' && finish !== 'tool-calls') {
      problems.push(`ended with ${String(finish)}`);
      break;
    }
    if (movesOn) replace();
  }

  burials.forEach(bury => bury());
  closing.push(current.provider.close().then(undefined, () => {}));
  await Promise.all(closing);
  const effects = (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter(line => line.startsWith(id))
    .map(line => line.slice(id.length + 1));
  const calls = (requests.at(-1) ?? []).filter(({ type }) => type === 'function_call');
  const outputs = new Map(
    (requests.at(-1) ?? [])
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id, output }) => [call_id, String(output)]),
  );
  if (!text.endsWith('Done.')) problems.push(`text: ${text}`);
  if (calls.length !== outputs.size) problems.push(`${calls.length} calls with ${outputs.size} outputs`);
  for (const line of LINES) {
    const times = effects.filter(effect => effect === line).length;
    const isDenied = line === asked && !isApproved;
    const call = calls.find(({ arguments: given }) => String(given).includes(`"${line}"`));
    const output = outputs.get(call?.call_id) ?? '';
    const isUnknown = /outcome of this call is unknown|Its outcome is unknown here/.test(output);
    const isInterrupted = output.includes('the call was interrupted');
    if (times > 1) problems.push(`${line} ran ${times} times`);
    if (isDenied && times > 0) problems.push(`${line} ran without an approval`);
    // A process that dies between the start of a call and its outcome leaves it unknown.
    const isReported =
      (isUnknown && death !== undefined) || (isInterrupted && keeps === 'parts' && times === 0);
    if (!isDenied && !isReported && (times !== 1 || output !== `wrote ${line}`))
      problems.push(`${line} ran ${times} times, and its output is "${output}"`);
    if (isDenied) continue;
    const results = shown.get(String(call?.call_id)) ?? [];
    if (new Set(results).size !== 1)
      problems.push(`${line} has ${results.length} results: ${results.join(' | ')}`);
    else if (!output.includes(String(results[0])))
      problems.push(`${line} shows ${String(results[0])}, and its output is "${output}"`);
  }
  await store.close();
  return { deaths, problems };
}

/** Takes a step, and adds its parts as they arrive. */
async function take(
  model: {
    doStream(
      options: LanguageModelV4CallOptions,
    ): PromiseLike<{ stream: ReadableStream<LanguageModelV4StreamPart> }>;
    doGenerate(options: LanguageModelV4CallOptions): PromiseLike<{ content: Json[]; finishReason: Json }>;
  },
  { mode, options, seen }: Pick<Scenario, 'mode'> & { options: LanguageModelV4CallOptions; seen: Json[] },
): Promise<void> {
  if (mode === 'stream') {
    const { stream } = await model.doStream(options);
    for await (const part of stream) seen.push(part as unknown as Json);
    return;
  }
  const { content, finishReason } = await model.doGenerate(options);
  seen.push(...content, { type: 'finish', finishReason });
  for (const { type, text } of content) if (type === 'text') seen.push({ type: 'text-delta', delta: text });
}

const scenarios = everyValue(
  combine({
    mode: ['generate', 'stream'],
    asked: ['none', 'a', 'b', 'd'],
    isApproved: [true, false],
    hasOwnId: [true, false],
    movesOn: [true, false],
    keeps: ['nothing', 'parts'],
  }),
);

it.each(scenarios.map((scenario, number) => ({ ...scenario, number })))(
  'turns in mode $mode that ask for $asked (approved: $isApproved, own id: $hasOwnId, moving: $movesOn, keeping $keeps) lose nothing',
  async ({ number, ...scenario }) => {
    const file = path.join(await temporaryFolder(), 'effects.txt');
    const problems: string[] = [];
    const whole = await runUntilEnd(scenario, undefined, file);
    problems.push(...whole.problems.map(problem => `alive: ${problem}`));
    let record = 0;
    for (let hasDied = true; hasDied;) {
      record++;
      for (const isWritten of deathsAt(record, number)) {
        const run = await runUntilEnd(scenario, { record, isWritten }, file);
        hasDied = run.deaths > 0;
        problems.push(
          ...run.problems.map(one => `${isWritten ? 'after' : 'before'} record ${record}: ${one}`),
        );
      }
    }
    expect(problems).toEqual([]);
    // The turn, its tools, its rounds, and the starts and outcomes of calls.
    expect(record).toBeGreaterThan(8);
  },
);
