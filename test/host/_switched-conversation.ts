import { type CallWarning, generateText, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { expect, onTestFinished } from 'vitest';
import { createSwitchableProvider, type SwitchableProviderOptions } from '../../src/host/index.js';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../src/index.js';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { isToolSource } from '../../src/tools/tool-source.js';
import { type InputItem, inputOf } from '../integration/_provider.js';
import { startEmulator } from '../testing/_emulator.js';

export type Mode = 'generate' | 'stream';

export interface SwitchedTurn {
  readonly text: string;
  readonly finishReason: string;
  readonly warnings: readonly CallWarning[];
  /** The `input` of each request of the turn. */
  readonly inputs: readonly InputItem[][];
  /** Sender of the requests. Only this package handles redirects itself, which identifies it. */
  readonly by: 'kelivo' | 'official' | 'both';
}

/** A conversation with one provider that can be switched between the turns. */
export interface SwitchedConversation {
  readonly emulator: ResponsesEmulator;
  readonly provider: KelivoResponsesProvider;
  readonly messages: ModelMessage[];
  /** Sends a user message and adds the response to the history. Fails if the server rejects a request. */
  send(text: string, options: { on: boolean; mode: Mode; tools?: ToolSet }): Promise<SwitchedTurn>;
}

export async function startSwitchedConversation({
  fallback,
  openai = {},
  ...settings
}: Pick<SwitchableProviderOptions, 'fallback'> &
  KelivoResponsesSettings & { openai?: Record<string, boolean> } = {}): Promise<SwitchedConversation> {
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
  });
  // The test closes a tool source that it shares with others.
  if (!isToolSource(settings.mcpServers)) onTestFinished(() => provider.close());
  const model = provider('gpt-5');
  const messages: ModelMessage[] = [];

  return {
    emulator,
    provider,
    messages,
    async send(text, { on, mode, tools }) {
      isOn = on;
      messages.push({ role: 'user', content: text });
      const firstRequest = emulator.requests.length;
      const options = {
        model,
        messages: [...messages],
        tools,
        stopWhen: stepCountIs(5),
        maxRetries: 0,
        providerOptions: { openai: { reasoningSummary: 'auto', ...openai } },
      };
      const result = mode === 'stream' ? await readStream(options) : await generateText(options);
      expect(rejections).toEqual([]);
      messages.push(...(await result.response).messages);
      return {
        text: await result.text,
        finishReason: await result.finishReason,
        warnings: (await result.warnings) ?? [],
        inputs: emulator.requests.slice(firstRequest).map(inputOf),
        by: toSender(senders.splice(0)),
      };
    },
  };
}

async function readStream(options: Parameters<typeof streamText>[0]) {
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
