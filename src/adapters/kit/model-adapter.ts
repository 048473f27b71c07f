import { withChanges } from '../../core/source.js';
import type { Part } from '../../core/part.js';
import { KelivoError } from '../../shared/errors.js';
import { isPlainObject } from '../../shared/json.js';
import type { AnyMiddleware, ModelMiddleware } from '../../versions/middleware.js';
import {
  type AdaptBack,
  checkAdapter,
  type ModelAdapter,
  type ModelAdapterDefinition,
} from './definition.js';
import { createMiddleware, joinMiddlewares } from './middleware.js';

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
export function defineModelAdapter<Middleware extends AnyMiddleware>(
  adapter: ModelAdapterDefinition<Middleware>,
): ModelAdapter<Middleware | ModelMiddleware> {
  checkAdapter(adapter);
  const { name, appliesTo, middleware, adaptBack } = adapter;
  if (adaptBack === undefined) return adapter as ModelAdapter<Middleware>;
  const back = adaptBackMiddleware(adaptBack, { name });
  return { name, appliesTo, middleware: middleware === undefined ? back : joinMiddlewares(back, middleware) };
}

/** Creates a middleware that rewrites responses. */
const adaptBackMiddleware = (adaptBack: AdaptBack, { name }: { name: string }): ModelMiddleware =>
  createMiddleware({
    wrap: model =>
      withChanges(model, params => ({
        response: {
          part(part, emit) {
            const replaced = adaptBack(part, { modelId: model.modelId, params });
            for (const one of isList(replaced) ? replaced : [replaced]) {
              if (!isPlainObject(one)) throw toResultError(name, one);
              emit(one);
            }
          },
        },
      })),
  });

const toResultError = (name: string, received: unknown): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message:
      `Expected \`adaptBack\` of the adapter "${name}" to return a part or a list of parts, got ${String(received)}. ` +
      'Return the part itself to keep it, or an empty list to drop it.',
  });

const isList = (value: Part | readonly Part[]): value is readonly Part[] => Array.isArray(value);

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

/** Returns the last segment of the path, without the base model of a distillation. */
function toModelName(modelId: string): string {
  const [name = ''] = modelId
    .toLowerCase()
    .split(/[/\\]/)
    .filter(segment => segment !== '')
    .slice(-1);
  return name.replace(/[-_. ]distill(?:ed)?[-_. ].*/, '').replace(/(r1[-_.]0528)[-_.]qwen.*/, '$1');
}
