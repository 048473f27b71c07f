import {
  type FailedToolCall,
  type ProcessedToolCall,
  ToolCallPipeline,
  type ToolCallPipelineOptions,
} from '../core/tool-calls/pipeline.js';
import type { LanguageModels } from '../core/versions/specification.js';
import { adaptModel, type AdaptModelOptions } from './adapt-model.js';

/** Options of `parseTextCalls`. */
export interface ParseTextCallsOptions
  extends
    Pick<ToolCallPipelineOptions, 'tools'>,
    Pick<AdaptModelOptions, 'adapters' | 'undeclared' | 'startsInReasoning' | 'responseTemplate'> {
  /**
   * The id of the model that wrote the text, which selects the adapters of its family.
   * @default unknown: calls of declared tools are detected by markers that no other text contains
   */
  readonly modelId?: string;
  /** True if the server ended the response early, at a limit of tokens. Half a call at its end is then left out. @default false */
  readonly isTruncated?: boolean;
}

/** The contents of a text of a model. */
export interface ParsedTextCalls {
  /** The text without calls and reasoning. */
  readonly text: string;
  /** The text in the model's tags of reasoning. */
  readonly reasoning: string;
  /** The calls in their order, as `ToolCallPipeline` returns them. Those without `args` must not run. */
  readonly calls: readonly ProcessedToolCall[];
  /** Calls without a name that a tool can have. */
  readonly failed: readonly FailedToolCall[];
}

/**
 * Reads the calls and the reasoning that a model has written as text, by the rules of `adaptModel`, for clients that have no
 * model object.
 *
 * @example
 * ```ts
 * const { text, calls } = await parseTextCalls(completion, { modelId: 'qwen3-coder-30b', tools });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export async function parseTextCalls(
  text: string,
  { tools = [], modelId = '', isTruncated = false, ...options }: ParseTextCallsOptions = {},
): Promise<ParsedTextCalls> {
  const written: LanguageModels['v2'] = {
    specificationVersion: 'v2',
    provider: 'text',
    modelId,
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text }],
      finishReason: isTruncated ? 'length' : 'stop',
      usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error('Expected a call of `doGenerate`, got one of `doStream`.')),
  };
  const { content } = await adaptModel(written, options).doGenerate({
    prompt: [],
    tools: tools.map(({ name, inputSchema = { type: 'object' } }) => ({
      type: 'function',
      name,
      inputSchema,
    })),
  });
  const pipeline = new ToolCallPipeline({ tools });
  const joined = { text: '', reasoning: '' };
  for (const [index, part] of content.entries()) {
    if (part.type === 'text' || part.type === 'reasoning') joined[part.type] += part.text;
    if (part.type !== 'tool-call') continue;
    pipeline.add({ index, id: part.toolCallId, name: part.toolName, arguments: part.input });
  }
  const { calls, failed } = pipeline.finish();
  return { ...joined, calls, failed };
}
