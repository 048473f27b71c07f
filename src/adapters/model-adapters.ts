import { adapterNames, registeredNames } from './adapter-choice.js';
import * as families from './families/families.js';
import type { ModelAdapterRegistry } from './definition.js';
import { createModelAdapterRegistry } from './registry.js';

const registry = createModelAdapterRegistry(Object.values(families));

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
