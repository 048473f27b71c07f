import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { tool } from 'ai';
import { createKelivoResponsesProvider, type LocalTools } from 'kelivo-responses';
import { type ModelAdapter, modelAdapters } from 'kelivo-responses/adapters';
import { z } from 'zod';
import { transformParts } from '../../dist/parts/transform-parts.js';

const MODEL = 'gpt-4.1';
/** A model whose tool calls are looked for in its text. */
const ADAPTED_MODEL = 'qwen3-coder-30b';
const BASE_URL = 'https://api.openai.com/v1';
const API_KEY = 'sk-bench';

/** What a host asks in all sections that read an answer. */
export const OPTIONS: LanguageModelV2CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Write a long text.' }] }],
  tools: [
    {
      type: 'function',
      name: 'write_file',
      inputSchema: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
    },
  ],
};

/** A tool that the answers do not call: the loop is on and has nothing to do. */
const IDLE_TOOLS: LocalTools = {
  clock: tool({ description: 'Tells the time.', inputSchema: z.object({}), execute: () => 'noon' }),
};

export const createStockModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createOpenAI({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createBareModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createKelivoResponsesProvider({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createLoopModel = (
  fetch: typeof globalThis.fetch,
  tools: LocalTools = IDLE_TOOLS,
): LanguageModelV2 =>
  createKelivoResponsesProvider({ baseURL: BASE_URL, apiKey: API_KEY, fetch, tools }).languageModel(MODEL);

/** Looks at every part and changes none, which is the least that an adapter of texts does. */
const passThrough: ModelAdapter = {
  name: 'pass-through',
  appliesTo: () => true,
  middleware: {
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      return { stream: transformParts(stream, { part: (part, emit) => emit(part) }), ...rest };
    },
  },
};

/** With the tool loop and the one adapter that rewrites the text of the model. */
export function createAdaptedModel(fetch: typeof globalThis.fetch): LanguageModelV2 {
  const [found] = modelAdapters.findFor(ADAPTED_MODEL);
  const adapter = found ?? passThrough;
  const settings = { baseURL: BASE_URL, apiKey: API_KEY, fetch, tools: IDLE_TOOLS, adapters: [adapter] };
  return createKelivoResponsesProvider(settings).languageModel(ADAPTED_MODEL);
}
