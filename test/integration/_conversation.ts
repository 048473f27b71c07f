import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { type CallWarning, generateText, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { expect } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { startEmulator } from '../testing/_emulator.js';

/** The provider of a turn: this package's or the official one. */
export type Side = 'ours' | 'official';

export interface TurnOptions {
  readonly by: Side;
  readonly tools?: ToolSet;
  readonly mode?: 'generate' | 'stream';
  readonly openai?: Record<string, string>;
}

export interface TurnResult {
  readonly text: string;
  readonly responseId: unknown;
  readonly warnings: CallWarning[];
  /** The `input` of each request of the turn. */
  readonly inputs: Record<string, unknown>[][];
}

/** A conversation of a host that can change its provider with every turn. */
export interface Conversation {
  readonly emulator: ResponsesEmulator;
  readonly ours: KelivoResponsesProvider;
  readonly messages: ModelMessage[];
  model(side: Side): LanguageModelV2;
  /** Sends a user message and adds the response to the history. Fails if the server rejects a request. */
  send(text: string, options: TurnOptions): Promise<TurnResult>;
}

export async function startConversation({
  store,
  settings,
}: {
  store: boolean;
  settings?: Partial<KelivoResponsesSettings>;
}): Promise<Conversation> {
  const emulator = await startEmulator();
  const rejections: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (!response.ok) rejections.push(await response.clone().text());
    return response;
  };
  const server = { baseURL: emulator.baseURL, apiKey: 'sk-test', fetch };
  const ours = createKelivoResponsesProvider({ ...server, ...settings });
  const official = createOpenAI(server);
  const messages: ModelMessage[] = [];
  const model = (side: Side) => (side === 'ours' ? ours('gpt-5') : official.responses('gpt-5'));

  return {
    emulator,
    ours,
    messages,
    model,
    async send(text, { by, tools, mode = 'stream', openai }) {
      messages.push({ role: 'user', content: text });
      const firstRequest = emulator.requests.length;
      const options = {
        model: model(by),
        messages: [...messages],
        tools,
        stopWhen: stepCountIs(5),
        maxRetries: 0,
        providerOptions: { openai: { store, reasoningSummary: 'auto', ...openai } },
      };
      const result = mode === 'stream' ? await readStream(options) : await generateText(options);
      expect(rejections).toEqual([]);
      messages.push(...(await result.response).messages);
      return {
        text: await result.text,
        responseId: (await result.providerMetadata)?.openai?.responseId,
        warnings: (await result.warnings) ?? [],
        inputs: emulator.requests
          .slice(firstRequest)
          .map(({ body }) => (body as { input: Record<string, unknown>[] }).input),
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

/** Returns the assistant texts of a history, each with its item id. */
export const textsOf = (messages: readonly ModelMessage[]): { text: string; itemId: unknown }[] =>
  messages.flatMap(({ role, content }) =>
    role !== 'assistant' || typeof content === 'string'
      ? []
      : content.flatMap(part =>
          part.type === 'text' ? [{ text: part.text, itemId: part.providerOptions?.openai?.itemId }] : [],
        ),
  );

export const typesOf = (items: readonly Record<string, unknown>[] = []): unknown[] =>
  items.map(({ type, role }) => (role === 'user' ? role : type));
