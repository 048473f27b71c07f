import { adapterNames, registeredNames } from './adapter-choice.js';
import * as families from './families/index.js';
import type { ModelAdapterRegistry } from './kit/definition.js';
import { createModelAdapterRegistry } from './registry.js';

// Several adapters of one model chain in the alphabetical order of their names.
const registry = createModelAdapterRegistry(
  Object.values(families).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
);

/**
 * The default registry, with all families of this package. Adapters that an application registers here apply to every
 * provider and every `adaptModel` call without its own `adapters`, and settings can name them.
 */
export const modelAdapters: ModelAdapterRegistry = {
  ...registry,
  register(adapter) {
    registry.register(adapter);
    adapterNames.add(adapter.name);
    registeredNames.add(adapter.name);
  },
  unregister(name) {
    adapterNames.delete(name);
    registeredNames.delete(name);
    return registry.unregister(name);
  },
};
