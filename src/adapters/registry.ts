import { KelivoError } from '../shared/errors.js';
import { defineModelAdapter, type ModelAdapter, type ModelAdapterDefinition } from './model-adapter.js';

/** Finds the adapters of model families by model id. */
export interface ModelAdapterRegistry {
  /**
   * Adds an adapter after the others, so that it wraps the model more closely.
   *
   * @throws KelivoError with code `invalid-settings` for an invalid adapter or a name that is taken.
   */
  register(adapter: ModelAdapter | ModelAdapterDefinition): void;
  /** Removes an adapter by its name. Returns false if there was none. */
  unregister(name: string): boolean;
  /** Returns the adapter with a name, or undefined if there is none. */
  get(name: string): ModelAdapter | undefined;
  /** Returns the adapters that apply to a model, in the order of registration. */
  findFor(modelId: string): readonly ModelAdapter[];
  /** Returns all adapters in the order of registration. */
  all(): readonly ModelAdapter[];
}

/**
 * Creates a registry that is independent of the default one.
 *
 * @param adapters The initial adapters, for example `modelAdapters.all()`.
 * @throws KelivoError with code `invalid-settings` for an invalid adapter or two adapters with the same name.
 */
export function createModelAdapterRegistry(
  adapters: Iterable<ModelAdapter | ModelAdapterDefinition> = [],
): ModelAdapterRegistry {
  const byName = new Map<string, ModelAdapter>();

  const registry: ModelAdapterRegistry = {
    register(adapter) {
      const defined = defineModelAdapter(adapter);
      const { name } = defined;
      if (byName.has(name)) {
        throw new KelivoError({
          code: 'invalid-settings',
          message: `Expected a unique adapter name, got a second "${name}". Unregister the first adapter, or rename this one.`,
        });
      }
      byName.set(name, defined);
    },
    unregister: name => byName.delete(name),
    get: name => byName.get(name),
    findFor: modelId => [...byName.values()].filter(adapter => adapter.appliesTo(modelId)),
    all: () => [...byName.values()],
  };
  for (const adapter of adapters) registry.register(adapter);
  return registry;
}
