import { KelivoError } from '../shared/errors.js';
import { defineModelAdapter } from './define-model-adapter.js';
import type { ModelAdapter } from './model-adapter.js';

/** Adapters of model families, found by model id. */
export interface ModelAdapterRegistry {
  /**
   * Adds an adapter behind the others: it comes to lie closer to the model.
   *
   * @throws KelivoError with code `invalid-settings` for a wrong adapter, or a name that is taken.
   */
  register(adapter: ModelAdapter): void;
  /** Removes an adapter by its name. Returns whether there was one. */
  unregister(name: string): boolean;
  /** The adapters that apply to a model, in the order they were added. */
  findFor(modelId: string): readonly ModelAdapter[];
  /** All adapters, in the order they were added. */
  all(): readonly ModelAdapter[];
}

/**
 * A registry of its own, independent of the default one.
 *
 * @param adapters What it starts with, for example `modelAdapters.all()`.
 * @throws KelivoError with code `invalid-settings` for a wrong adapter, or two of one name.
 */
export function createModelAdapterRegistry(adapters: Iterable<ModelAdapter> = []): ModelAdapterRegistry {
  const byName = new Map<string, ModelAdapter>();

  const registry: ModelAdapterRegistry = {
    register(adapter) {
      const { name } = defineModelAdapter(adapter);
      if (byName.has(name)) {
        throw new KelivoError({
          code: 'invalid-settings',
          message: `Expected an adapter with a name of its own, got a second "${name}". Unregister the first, or rename this one.`,
        });
      }
      byName.set(name, adapter);
    },
    unregister: name => byName.delete(name),
    findFor: modelId => [...byName.values()].filter(adapter => adapter.appliesTo(modelId)),
    all: () => [...byName.values()],
  };
  for (const adapter of adapters) registry.register(adapter);
  return registry;
}
