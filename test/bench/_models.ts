import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { tool } from 'ai';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesSettings,
  type LocalTools,
} from 'kelivo-responses';
import { qwen } from 'kelivo-responses/adapters';
import { z } from 'zod';

const MODEL = 'gpt-4.1';
/** A model of the family of the adapter. */
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

export const createOfficialModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createOpenAI({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createBareModel = (
  fetch: typeof globalThis.fetch,
  settings: Pick<KelivoResponsesSettings, 'logger'> = {},
): LanguageModelV2 =>
  createKelivoResponsesProvider({ baseURL: BASE_URL, apiKey: API_KEY, fetch, ...settings }).responses(MODEL);

export const createLoopModel = (
  fetch: typeof globalThis.fetch,
  tools: LocalTools = IDLE_TOOLS,
): LanguageModelV2 =>
  createKelivoResponsesProvider({ baseURL: BASE_URL, apiKey: API_KEY, fetch, tools }).languageModel(MODEL);

/** With the tool loop, and an adapter that looks for calls and reasoning in the text. */
export const createAdaptedModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createKelivoResponsesProvider({
    baseURL: BASE_URL,
    apiKey: API_KEY,
    fetch,
    tools: IDLE_TOOLS,
    adapters: [qwen],
  }).languageModel(ADAPTED_MODEL);
