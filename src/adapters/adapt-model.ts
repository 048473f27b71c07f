import type { LanguageModelV2 } from '@ai-sdk/provider';
import { createModelAdapterRegistry, type ModelAdapterRegistry } from './registry.js';
import type { ModelAdapter } from './model-adapter.js';
import { modelAdapters } from './model-adapters.js';
import { wrapModel } from './middleware.js';

/** Which adapters there are to choose from. */
/** How a model is adapted. */
export interface AdaptModelOptions {
  /**
   * The adapters to choose from by the model's id.
   * @default modelAdapters, with all families of this package
   */
  adapters?: ModelAdapterRegistry | readonly ModelAdapter[];
}

/**
 * Wraps a model in the adapters that apply to its id, the first one outermost. A model without quirks comes back as
 * it is. Works over any `LanguageModelV2`, whoever made it.
 *
 * @example
 * ```ts
 * const model = adaptModel(createOpenAICompatible({ name: 'local', baseURL })('qwen3-coder-30b'));
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a list with a wrong adapter, or two of one name.
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
