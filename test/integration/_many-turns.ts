// Runs many conversations at once with one provider: to the end of their first step, on from there, or completely. Needs
// `--expose-gc`. Prints a report as JSON.
import { appendFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ModelMessage } from 'ai';
import * as z from 'zod';
import { hosts, type Mode } from '../host-matrix/_host.js';

export interface ManyTurns {
  readonly baseURL: string;
  readonly host: string;
  readonly mode: Mode;
  /** Declares the provider's tool with `provider.tools()`. */
  readonly declared: boolean;
  readonly step: 'first' | 'next' | 'all';
  readonly count: number;
  readonly atOnce: number;
  /** Size of the image in the result of the first call. */
  readonly imageBytes: number;
  /** Directory with the file of the tools' effects and the messages of each conversation. */
  readonly folder: string;
}

export interface ManyTurnsReport {
  /** The last text of each conversation. */
  readonly texts: Readonly<Record<string, string>>;
  readonly errors: readonly string[];
  /** Calls that ran in the context of another conversation. */
  readonly leaks: readonly string[];
  /** Heap growth in bytes after garbage collection, from the end of the warm-up to the end. */
  readonly heapGrowth: number;
}

globalThis.AI_SDK_LOG_WARNINGS = false;
const options = JSON.parse(process.argv[2] ?? '{}') as ManyTurns;
const { baseURL, mode, declared, step, count, atOnce, imageBytes, folder } = options;
const host = hosts.find(({ name }) => name === options.host);
if (host === undefined)
  throw new Error(`Expected one of ${hosts.map(({ name }) => name)}, got ${options.host}.`);
const { sdk } = host;

const effects = path.join(folder, 'effects.txt');
const errors: string[] = [];
const leaks: string[] = [];
const provider = host.createProvider({
  baseURL,
  // The processes share what their histories are signed with, as those of an application do.
  apiKey: 'sk-many-turns',
  mcpServers: {
    recording: {
      command: process.execPath,
      args: [fileURLToPath(new URL('_recording-server.mjs', import.meta.url))],
      env: { EFFECTS: effects, IMAGE_BYTES: String(imageBytes) },
    },
  },
  toolLoop: {
    onEvent(event) {
      if (event.type !== 'tool-start') return;
      const { key } = JSON.parse(event.input) as { key: string };
      const owner = (event.context as { key?: string } | undefined)?.key;
      if (owner !== key) leaks.push(`a call of ${key} ran in the context of ${owner}`);
    },
  },
});
const note = sdk.tool({
  inputSchema: z.object({ key: z.string(), step: z.number() }),
  execute: async ({ key, step }) => {
    // All conversations are between their steps at the same time.
    await delay(1000);
    appendFileSync(effects, `note ${key} ${step}\n`);
    return `note ${key} ${step}`;
  },
});
const tools = { ...(declared && (await provider.tools())), note };

/** Continues a conversation and returns its last text. */
async function converse(key: string, step: ManyTurns['step']): Promise<string> {
  const file = path.join(folder, `${key}.json`);
  const user: ModelMessage = { role: 'user', content: `Work on ${key}.` };
  const messages: ModelMessage[] = step === 'next' ? JSON.parse(await readFile(file, 'utf8')) : [user];
  const call = {
    model: provider('gpt-5'),
    messages,
    tools,
    stopWhen: sdk.stepCountIs(step === 'first' ? 1 : 10),
    // The host's own value, by reference.
    providerOptions: { kelivo: { context: { key } } },
  };
  const result = mode === 'generate' ? await sdk.generateText(call) : await stream(call);
  const response = await result.response;
  if (step === 'first') await writeFile(file, JSON.stringify([user, ...response.messages]));
  return result.text;
}

async function stream(call: Parameters<typeof sdk.streamText>[0]) {
  const result = sdk.streamText({ ...call, onError: ({ error }) => void errors.push(String(error)) });
  await result.consumeStream();
  return result;
}

async function converseAll(
  keys: readonly string[],
  step: ManyTurns['step'],
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const waiting = [...keys];
  const work = async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      texts[key] = await converse(key, step).catch((error: unknown) => {
        errors.push(`${key}: ${String(error)}`);
        return '';
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, keys.length) }, work));
  return texts;
}

const toKeys = ({ from, count }: { from: number; count: number }): string[] =>
  Array.from({ length: count }, (_, index) => `conversation-${from + index}`);

async function collectedHeap(): Promise<number> {
  for (let count = 0; count < 4; count++) {
    globalThis.gc?.();
    await delay(50);
  }
  return process.memoryUsage().heapUsed;
}

await converseAll(toKeys({ from: 9000, count: count / 10 }), 'all');
const heapBefore = await collectedHeap();
const texts = await converseAll(toKeys({ from: 1000, count }), step);
const heapGrowth = (await collectedHeap()) - heapBefore;
await provider.close();
console.log(JSON.stringify({ texts, errors, leaks, heapGrowth } satisfies ManyTurnsReport));
