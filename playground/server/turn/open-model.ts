import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from 'ai';
import { createKelivoResponsesProvider, type ToolLoopOptions } from 'kelivo-responses';
import { adaptModel, type ModelAdapter } from 'kelivo-responses/adapters';
import { createLocalTools, type ToolSource, withToolLoop } from 'kelivo-responses/tool-loop';
import type { Flag } from '../../shared/trace-event.js';
import { localTools } from '../../local-tools.js';

export interface OpenModelOptions {
  readonly modelId: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** The tools of the MCP servers; the playground's own come beside them. */
  readonly mcpTools: ToolSource;
  readonly adapters: readonly ModelAdapter[];
  readonly toolLoop: Omit<ToolLoopOptions, 'tools' | 'timeouts'>;
}

/** Milliseconds without a byte after which a stream counts as dead. */
const IDLE_LIMIT = 15_000;

type Model = Exclude<LanguageModel, string>;

/**
 * A model of either provider. Both run the same tools in the same loop with the same adapters, so that a comparison is
 * one of what they make of the wire.
 */
export const openModel = (flag: Flag, options: OpenModelOptions): Model => openers[flag](options);

const openers: Readonly<Record<Flag, (options: OpenModelOptions) => Model>> = {
  kelivo({ modelId, apiKey = '', mcpTools, adapters, ...settings }) {
    const provider = createKelivoResponsesProvider({
      ...settings,
      // A function, so that the environment is not asked: its key may belong to another endpoint.
      apiKey: () => apiKey,
      tools: localTools,
      mcpServers: mcpTools,
      adapters,
      timeouts: { idle: IDLE_LIMIT },
    });
    return provider.languageModel(modelId);
  },

  stock({ modelId, baseURL, apiKey = 'none', fetch, mcpTools, adapters, toolLoop }) {
    const model = createOpenAI({ baseURL, apiKey, fetch }).responses(modelId);
    const tools = [mcpTools, createLocalTools(localTools)];
    return withToolLoop(adaptModel(model, { adapters }), { ...toolLoop, tools });
  },
};
