import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3 } from 'openai3';
import { createOpenAI as createOpenAI4 } from 'openai4';
import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { tool } from 'ai';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesSettings,
  type LocalTools,
} from 'kelivo-responses';
import { families, modelAdapters } from 'kelivo-responses/adapters';
import { createKelivoResponsesProvider as createProviderV3 } from 'kelivo-responses/v3';
import { createKelivoResponsesProvider as createProviderV4 } from 'kelivo-responses/v4';
import { z } from 'zod';

const MODEL = 'gpt-4.1';
/** A model id that the adapter matches. */
const ADAPTED_MODEL = 'qwen3-coder-30b';
const BASE_URL = 'https://api.openai.com/v1';
const API_KEY = 'sk-bench';

/** The call options of all sections that read a response. */
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

/** A tool that no response calls: the tool loop is active but idle. */
const IDLE_TOOLS: LocalTools = {
  clock: tool({ description: 'Returns the time.', inputSchema: z.object({}), execute: () => 'noon' }),
};

export const createOfficialModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createOpenAI({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createOfficialModelV4 = (fetch: typeof globalThis.fetch) =>
  createOpenAI4({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createBareModel = (
  fetch: typeof globalThis.fetch,
  settings: Pick<KelivoResponsesSettings, 'logger' | 'telemetry'> = {},
): LanguageModelV2 =>
  createKelivoResponsesProvider({ baseURL: BASE_URL, apiKey: API_KEY, fetch, ...settings }).responses(MODEL);

export const createBareModelV4 = (fetch: typeof globalThis.fetch) =>
  createProviderV4({ baseURL: BASE_URL, apiKey: API_KEY, fetch }).responses(MODEL);

export const createLoopModel = (
  fetch: typeof globalThis.fetch,
  tools: LocalTools = IDLE_TOOLS,
  toolLoop: KelivoResponsesSettings['toolLoop'] = {},
  telemetry?: KelivoResponsesSettings['telemetry'],
  createProvider = createKelivoResponsesProvider,
): LanguageModelV2 =>
  createProvider({
    ...{ baseURL: BASE_URL, apiKey: API_KEY, fetch, tools, toolLoop },
    ...(telemetry && { telemetry }),
  }).languageModel(MODEL);

/** Returns settings of `ai` 7 for turns in steps, and the official model for its own loop. */
export async function createStepModels(fetch: typeof globalThis.fetch, tools: LocalTools) {
  const settings = { baseURL: BASE_URL, apiKey: API_KEY, fetch };
  const provider = createProviderV4({ ...settings, tools });
  const model = provider(MODEL);
  return {
    provider: { model, ...(await provider.agentSettings({ runBy: 'provider' })) },
    host: { model, ...(await provider.agentSettings()) },
    official: createOpenAI4(settings).responses(MODEL),
  };
}

/** Adds the tool loop and an adapter that searches the text for calls and reasoning. */
export const createAdaptedModel = (fetch: typeof globalThis.fetch): LanguageModelV2 =>
  createKelivoResponsesProvider({
    baseURL: BASE_URL,
    apiKey: API_KEY,
    fetch,
    tools: IDLE_TOOLS,
    adapters: [families.qwen],
  }).languageModel(ADAPTED_MODEL);

/** Creates a model of a family, with or without the adapters of the package. */
export const createFamilyModel = (
  fetch: typeof globalThis.fetch,
  { modelId, isAdapted }: { modelId: string; isAdapted: boolean },
): LanguageModelV2 =>
  createKelivoResponsesProvider({
    baseURL: BASE_URL,
    apiKey: API_KEY,
    fetch,
    adapters: isAdapted ? modelAdapters : false,
  }).languageModel(modelId);

/** A model of any version. */
export interface ReadableModel {
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

interface VersionModels {
  readonly official: ReadableModel;
  readonly bare: ReadableModel;
  readonly 'tool loop': ReadableModel;
  readonly 'tool loop and adapter': ReadableModel;
}

/** Creates the models of each entry, and the official model of the same major. */
export function createVersions(
  fetch: typeof globalThis.fetch,
): Readonly<Record<'V2' | 'V3' | 'V4', VersionModels>> {
  const settings = { baseURL: BASE_URL, apiKey: API_KEY, fetch };
  const looped = { ...settings, tools: IDLE_TOOLS };
  const adapted = { ...looped, adapters: [families.qwen] };
  const modelsOf = (
    official: ReadableModel,
    create: (settings: KelivoResponsesSettings) => {
      (modelId: string): ReadableModel;
      responses(modelId: string): ReadableModel;
    },
  ): VersionModels => ({
    official,
    bare: create(settings).responses(MODEL),
    'tool loop': create(looped)(MODEL),
    'tool loop and adapter': create(adapted)(ADAPTED_MODEL),
  });
  return {
    V2: modelsOf(createOpenAI(settings).responses(MODEL), createKelivoResponsesProvider),
    V3: modelsOf(createOpenAI3(settings).responses(MODEL), createProviderV3),
    V4: modelsOf(createOpenAI4(settings).responses(MODEL), createProviderV4),
  };
}
