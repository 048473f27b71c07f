import { createModelAdapterRegistry } from './create-model-adapter-registry.js';

/**
 * The default registry: one line for each family of this package. What an application registers here, every provider
 * and every `adaptModel` without adapters of its own uses from then on.
 */
export const modelAdapters = createModelAdapterRegistry([]);
