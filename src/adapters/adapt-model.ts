import type { LanguageModelV2 } from '@ai-sdk/provider';
import { wrapModel } from './middleware.js';
import type { ModelAdapter } from './model-adapter.js';
import { modelAdapters } from './model-adapters.js';
import { createModelAdapterRegistry, type ModelAdapterRegistry } from './registry.js';

/** Options of `adaptModel`. */
export interface AdaptModelOptions {
  /**
   * The adapters to choose from by model id.
   * @default modelAdapters, with all families of this package
   */
  adapters?: ModelAdapterRegistry | readonly ModelAdapter[];
}

/**
 * Wraps a model in the adapters that apply to its id, the first one outermost. A model that no adapter applies to is
 * returned unchanged. Works with any `LanguageModelV2`.
 *
 * @example
 * ```ts
 * const model = adaptModel(createOpenAICompatible({ name: 'local', baseURL })('qwen3-coder-30b'));
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid adapter or two adapters with the same name.
 */
export function adaptModel(
  model: LanguageModelV2,
  { adapters = modelAdapters }: AdaptModelOptions = {},
): LanguageModelV2 {
  const registry = 'findFor' in adapters ? adapters : createModelAdapterRegistry(adapters);
  return wrapModel(
    model,
    registry.findFor(model.modelId).map(({ middleware }) => middleware),
  );
}
