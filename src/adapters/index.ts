export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export { createModelAdapterRegistry, type ModelAdapterRegistry } from './create-model-adapter-registry.js';
export { defineModelAdapter } from './define-model-adapter.js';
export { matchModelName } from './match-model-name.js';
export type { ModelAdapter } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
