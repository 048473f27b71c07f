import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';

/** Corrects the quirks of one model family. */
export interface ModelAdapter {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Returns true if the model id belongs to this family, regardless of the server that serves it. */
  appliesTo(modelId: string): boolean;
  /** Wraps the model. Concurrent calls share it, so it keeps no state between calls. */
  readonly middleware: LanguageModelV2Middleware;
}

const hooks = [
  'transformParams',
  'wrapGenerate',
  'wrapStream',
  'overrideProvider',
  'overrideModelId',
  'overrideSupportedUrls',
] as const;

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
 * ```
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function defineModelAdapter(adapter: ModelAdapter): ModelAdapter {
  const { name, appliesTo, middleware }: Partial<ModelAdapter> = isPlainObject(adapter) ? adapter : {};
  if (typeof name !== 'string' || name === '') fail('`name` to be the name of a model family', name);
  if (typeof appliesTo !== 'function') {
    fail(`\`appliesTo\` of the adapter "${name}" to be a function of a model id`, appliesTo);
  }
  if (typeof middleware !== 'object' || middleware === null) {
    fail(`\`middleware\` of the adapter "${name}" to be an object`, middleware);
  }
  const given = hooks.filter(hook => middleware[hook] !== undefined);
  if (given.length === 0) {
    fail(`\`middleware\` of the adapter "${name}" to have one of ${hooks.join(', ')}`, middleware);
  }
  for (const hook of given) {
    if (typeof middleware[hook] !== 'function') {
      fail(`\`middleware.${hook}\` of the adapter "${name}" to be a function`, middleware[hook]);
    }
  }
  return adapter;
}

function fail(expected: string, received: unknown): never {
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected ${expected}, got ${describe(received)}.`,
  });
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
}

/** Words in the names of models that do not hold conversations. */
const notConversational =
  /(?:^|[^a-z])(?:embed|embeddings?|rerank|reranker|moderation|guard|ocr|tts|asr)(?![a-z])/;

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
  return name.replace(/[-_. ]distill(?:ed)?[-_. ].*/, '');
}
