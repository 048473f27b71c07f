import * as families from './families.js';
import { createModelAdapterRegistry } from './registry.js';

/**
 * The default registry, with all families of this package. Adapters that an application registers here apply to every
 * provider and every `adaptModel` call without its own `adapters`.
 */
export const modelAdapters = createModelAdapterRegistry(Object.values(families));
