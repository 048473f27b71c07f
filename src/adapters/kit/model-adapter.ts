import { type CoreModel, type PartSource, withOpen } from '../../core/source.js';
import type { CoreCall } from '../../core/call.js';
import type { Part } from '../../core/part.js';
import { objectOf } from '../../core/shared/json.js';
import type { AdaptedCall } from '../text-tools/text-tools.js';
import type { AnyMiddleware, ModelMiddleware } from '../../core/versions/middleware.js';
import {
  type AdaptedParts,
  type AdapterCall,
  checkAdapter,
  describe,
  type ModelAdapter,
  type ModelAdapterDefinition,
  toSettingsError,
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
 *   state: () => ({ deltas: 0 }),
 *   adapt: options => ({ ...options, temperature: 0 }),
 *   adaptBack(part, { state }) {
 *     if (part.type !== 'text-delta') return part;
 *     state.deltas++;
 *     return { ...part, delta: part.delta.toLowerCase() };
 *   },
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function defineModelAdapter<State = unknown, Middleware extends AnyMiddleware = AnyMiddleware>(
  adapter: ModelAdapterDefinition<State, Middleware>,
): ModelAdapter<Middleware | ModelMiddleware> {
  checkAdapter(adapter);
  const { name, prompt, middleware } = adapter;
  if (adapter.adapt === undefined && adapter.adaptBack === undefined)
    return adapter as ModelAdapter<Middleware>;
  const hooks = createMiddleware({ wrap: model => withHooks(model, adapter) });
  return {
    name,
    appliesTo: modelId => adapter.appliesTo(modelId),
    middleware: middleware === undefined ? hooks : joinMiddlewares(hooks, middleware),
    prompt,
  };
}

/** Runs the functions of an adapter around each call. */
const withHooks = <State>(model: CoreModel, adapter: ModelAdapterDefinition<State>): CoreModel =>
  withOpen(model, async received => {
    // Without `state`, the type of the state is that of `undefined`.
    const call = { modelId: model.modelId, state: adapter.state?.() as State, params: received };
    const changed = await adapter.adapt?.(received, call);
    const source = await model.open(
      adapter.adapt === undefined ? received : toCoreCall(changed, { received, name: adapter.name }),
    );
    return adapter.adaptBack === undefined ? source : rewriteParts(source, adapter, call);
  });

/** Returns the call with the options of an adapter. They replace the caller's; facts about the call stay. */
function toCoreCall(
  options: AdaptedCall | undefined,
  { received, name }: { received: CoreCall; name: string },
): CoreCall {
  const { isStream, includeRawChunks, own, host, turn, telemetry, roundTelemetry } = received;
  if (!Array.isArray(objectOf(options)?.prompt)) {
    throw toSettingsError(
      `Expected \`adapt\` of the adapter "${name}" to return the options of the call, with their \`prompt\`, ` +
        `got ${describe(options)}. Return \`options\` to leave them unchanged.`,
    );
  }
  const facts = { isStream, includeRawChunks, own, host, turn, telemetry, roundTelemetry };
  return { ...facts, ...options } as CoreCall;
}

/** Rewrites the parts of a response in their order, also if a later promise settles first. */
function rewriteParts<State>(
  source: PartSource,
  adapter: ModelAdapterDefinition<State>,
  call: AdapterCall<State>,
): PartSource {
  let failure: { error: unknown } | undefined;
  let stop: () => void = () => undefined;
  const cancelled = new Promise<undefined>(resolve => {
    stop = () => resolve(undefined);
  });

  return {
    request: source.request,
    get response() {
      return source.response;
    },
    async next() {
      for (;;) {
        if (failure !== undefined) throw failure.error;
        const parts = await source.next();
        if (parts === undefined) return undefined;
        const emitted: Part[] = [];
        // A promise of the adapter that never settles must not outlive the response.
        if ((await Promise.race([rewrite(parts, emitted), cancelled])) === undefined) return undefined;
        if (emitted.length > 0) return emitted;
      }
    },
    cancel(reason) {
      stop();
      source.cancel(reason);
    },
  };

  async function rewrite(parts: readonly Part[], emitted: Part[]): Promise<true> {
    try {
      for (const part of parts) {
        const replaced = adapter.adaptBack?.(part, call);
        emitted.push(...toParts(replaced instanceof Promise ? await replaced : replaced, part, adapter));
      }
    } catch (error) {
      // Parts that were emitted before are still delivered.
      failure = { error };
      source.cancel(error);
    }
    return true;
  }
}

function toParts(replaced: AdaptedParts, part: Part, { name }: { readonly name: string }): readonly Part[] {
  const parts = isList(replaced) ? replaced : replaced === undefined ? [] : [replaced];
  const wrong = parts.findIndex(one => typeof objectOf(one)?.type !== 'string');
  if (wrong >= 0) {
    throw toSettingsError(
      `Expected \`adaptBack\` of the adapter "${name}" to return a part or a list of parts, got ${describe(parts[wrong])}. ` +
        'Return the part itself to keep it, or undefined to drop it.',
    );
  }
  if (part.type === 'finish' && !parts.some(entry => entry.type === 'finish')) {
    throw toSettingsError(
      `Expected \`adaptBack\` of the adapter "${name}" to return the part \`finish\`, because a response without it ` +
        'is incomplete. Return the part itself to keep it.',
    );
  }
  return parts;
}

const isList = (value: AdaptedParts): value is readonly Part[] => Array.isArray(value);

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
