import * as ai5 from 'ai';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, onTestFinished } from 'vitest';
import { createSwitchableProvider, type SwitchableProviderOptions } from '../../src/host/index.js';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../src/index.js';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { isToolSource } from '../../src/tools/tool-source.js';
import { type InputItem, inputOf } from '../integration/_provider.js';
import { startEmulator } from '../testing/_emulator.js';

export type Mode = 'generate' | 'stream';

/** A major version of `ai` with an installed package of the official provider. */
export interface SwitchedHost {
  readonly ai: 5 | 6 | 7;
  /** Major version of `@ai-sdk/openai`. */
  readonly official: 2 | 3 | 4;
  readonly version: 'v2' | 'v3' | 'v4';
}

const host = (
  ai: SwitchedHost['ai'],
  official: SwitchedHost['official'],
  version: SwitchedHost['version'],
): SwitchedHost => ({ ai, official, version });

/** Each major with its own official provider. */
export const matchingHosts: readonly SwitchedHost[] = [host(5, 2, 'v2'), host(6, 3, 'v3'), host(7, 4, 'v4')];

/** Hosts whose installed official provider belongs to another major, or whose models have an older version. */
export const mixedHosts: readonly SwitchedHost[] = [
  host(5, 3, 'v2'),
  host(5, 4, 'v2'),
  host(6, 2, 'v3'),
  host(6, 4, 'v3'),
  host(7, 2, 'v4'),
  host(7, 3, 'v4'),
  host(7, 4, 'v3'),
  host(7, 2, 'v2'),
];

// The types of the major versions differ. All versions share the functions that are used here.
const sdks = {
  5: ai5,
  6: ai6 as unknown as typeof ai5,
  7: ai7 as unknown as typeof ai5,
} as const;

export const officialPackages = {
  2: () => import('@ai-sdk/openai'),
  3: () => import('openai3'),
  4: () => import('openai4'),
} as const;

/** The warning of any version. */
export type Warning = Readonly<Record<string, unknown>>;

export interface SwitchedTurn {
  readonly text: string;
  readonly finishReason: string;
  readonly warnings: readonly Warning[];
  /** The `input` of each request of the turn. */
  readonly inputs: readonly InputItem[][];
  /** Sender of the requests. Only this package handles redirects itself, which identifies it. */
  readonly by: 'kelivo' | 'official' | 'both';
}

export interface SwitchedTurnOptions {
  readonly on: boolean;
  readonly mode: Mode;
  readonly tools?: ToolSet;
}

/** A conversation with one provider that can be switched between the turns. */
export interface SwitchedConversation {
  readonly emulator: ResponsesEmulator;
  readonly provider: KelivoResponsesProvider;
  readonly messages: ModelMessage[];
  /** Sends a user message and adds the response to the history. Fails if the server rejects a request. */
  send(text: string | undefined, options: SwitchedTurnOptions): Promise<SwitchedTurn>;
}

export async function startSwitchedConversation({
  fallback,
  openai = {},
  host: { ai, official, version } = { ai: 5, official: 2, version: 'v2' },
  ...settings
}: Pick<SwitchableProviderOptions, 'fallback'> &
  KelivoResponsesSettings & {
    openai?: Record<string, boolean>;
    host?: SwitchedHost;
  } = {}): Promise<SwitchedConversation> {
  const sdk = sdks[ai];
  const emulator = await startEmulator();
  const rejections: string[] = [];
  const senders: Array<'kelivo' | 'official'> = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    senders.push(init?.redirect === undefined ? 'official' : 'kelivo');
    const response = await globalThis.fetch(input, init);
    if (!response.ok) rejections.push(await response.clone().text());
    return response;
  };
  let isOn = true;
  const provider = createSwitchableProvider({
    kelivo: { baseURL: emulator.baseURL, apiKey: 'sk-test', fetch, ...settings },
    fallback,
    enabled: () => isOn,
    specificationVersion: version,
    importOpenAI: officialPackages[official],
  }) as unknown as KelivoResponsesProvider;
  // The test closes a tool source that it shares with others.
  if (!isToolSource(settings.mcpServers)) onTestFinished(() => provider.close());
  const model: LanguageModel = provider('gpt-5');
  const messages: ModelMessage[] = [];

  return {
    emulator,
    provider,
    messages,
    async send(text, { on, mode, tools }) {
      isOn = on;
      if (text !== undefined) messages.push({ role: 'user', content: text });
      const firstRequest = emulator.requests.length;
      const options = {
        model,
        messages: [...messages],
        tools,
        stopWhen: sdk.stepCountIs(5),
        maxRetries: 0,
        providerOptions: { openai: { reasoningSummary: 'auto', ...openai } },
      };
      const result = mode === 'stream' ? await readStream(sdk, options) : await sdk.generateText(options);
      expect(rejections).toEqual([]);
      messages.push(...(await messagesOf(result)));
      return {
        text: await result.text,
        finishReason: await result.finishReason,
        warnings: (await result.steps).flatMap(step => (step.warnings ?? []) as unknown[] as Warning[]),
        inputs: emulator.requests.slice(firstRequest).map(inputOf),
        by: toSender(senders.splice(0)),
      };
    },
  };
}

/** Returns the messages of all steps. In `ai@7`, `response` is that of the last step. */
async function messagesOf(result: {
  readonly response: PromiseLike<{ messages: ModelMessage[] }> | { messages: ModelMessage[] };
  readonly responseMessages?: PromiseLike<ModelMessage[]> | ModelMessage[];
}): Promise<ModelMessage[]> {
  return (await result.responseMessages) ?? (await result.response).messages;
}

async function readStream({ streamText }: typeof ai5, options: Parameters<typeof ai5.streamText>[0]) {
  const errors: unknown[] = [];
  const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) });
  await result.consumeStream();
  expect(errors).toEqual([]);
  return result;
}

function toSender(senders: readonly ('kelivo' | 'official')[]): SwitchedTurn['by'] {
  const [first = 'both', ...others] = senders;
  return others.every(sender => sender === first) ? first : 'both';
}
