import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { type AdaptBack, adaptBackMiddleware } from './adapt-back.js';
import { joinMiddlewares } from './middleware.js';
import { checkAdapter } from './check-adapter.js';

/** Corrects the quirks of one model family. */
export interface ModelAdapter {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Returns true if the model id belongs to this family, regardless of the server that serves it. */
  appliesTo(modelId: string): boolean;
  /** Wraps the model. Concurrent calls share it, so it keeps no state between calls. */
  readonly middleware: LanguageModelV2Middleware;
}

/** A model adapter before it is defined. It has a `middleware`, `adaptBack` or both. */
export interface ModelAdapterDefinition extends Omit<ModelAdapter, 'middleware'> {
  /** Wraps the model. @default the request is left unchanged */
  readonly middleware?: LanguageModelV2Middleware;
  /**
   * Replaces each part of a response. Generated responses are read as the same parts as streamed ones, so that one
   * function serves both. It receives the parts of the `middleware`, or of the model without one.
   * @default parts are left unchanged
   */
  readonly adaptBack?: AdaptBack;
}

/**
 * Types and checks the adapter of a model family.
 *
 * @example
 * ```ts
 * export const shouty = defineModelAdapter({
 *   name: 'shouty',
 *   appliesTo: matchModelName('shouty'),
 *   middleware: { transformParams: async ({ params }) => ({ ...params, temperature: 0 }) },
 * });
 *
 * export const whispering = defineModelAdapter({
 *   name: 'whispering',
 *   appliesTo: matchModelName('whispering'),
 *   adaptBack: part => (part.type === 'text-delta' ? { ...part, delta: part.delta.toUpperCase() } : part),
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function defineModelAdapter(adapter: ModelAdapter | ModelAdapterDefinition): ModelAdapter {
  checkAdapter(adapter);
  const { name, appliesTo, middleware, adaptBack }: ModelAdapterDefinition = adapter;
  const back = adaptBack && adaptBackMiddleware(adaptBack, { name });
  if (middleware === undefined && back !== undefined) return { name, appliesTo, middleware: back };
  if (back === undefined || middleware === undefined) return adapter as ModelAdapter;
  const { transformParams, wrapGenerate, wrapStream, ...overrides } = middleware;
  return { name, appliesTo, middleware: { ...overrides, ...joinMiddlewares(back, middleware) } };
}

/** Words in the names of models that do not hold conversations. */
const notConversational =
  /(?:^|[^a-z])(?:embed|embeddings?|rerank|reranker|reward|moderation|guard|guardian|docling|ocr|tts|asr)(?![a-z])/;

/**
 * Creates a test for model ids that contain the name of a family as a word.
 *
 * - `qwen` matches `qwen/qwen3-coder:free`, `bartowski/Qwen2.5-7B-Instruct-GGUF` and `qwen.qwen3-32b-v1:0`.
 * - `qwen` does not match `qwentessential`, nor `qwen-friends/gpt-4`: the path names the server, not the model.
 * - Models that only embed, rank or moderate do not match.
 * - A distilled model matches its teacher only: `deepseek-r1-distill-qwen-32b` writes calls as DeepSeek does.
 *
 * @param families Names or parts of regular expressions, case-insensitive.
 */
export function matchModelName(...families: readonly string[]): (modelId: string) => boolean {
  const family = new RegExp(`(?:^|[^a-z])(?:${families.join('|')})(?![a-z])`);
  return modelId => {
    const name = toModelName(modelId);
    return family.test(name) && !notConversational.test(name);
  };
}

/** Returns a test for the model ids that pass `test` and belong to none of the other families. */
export const unlessOf =
  (test: ModelAdapter['appliesTo'], ...others: readonly ModelAdapter[]): ModelAdapter['appliesTo'] =>
  modelId =>
    test(modelId) && !others.some(other => other.appliesTo(modelId));

/** Returns the last segment of the path, without the base model of a distillation. */
function toModelName(modelId: string): string {
  const [name = ''] = modelId
    .toLowerCase()
    .split(/[/\\]/)
    .filter(segment => segment !== '')
    .slice(-1);
  return name.replace(/[-_. ]distill(?:ed)?[-_. ].*/, '').replace(/(r1[-_.]0528)[-_.]qwen.*/, '$1');
}
