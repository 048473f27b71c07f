export * as formats from './text-tools/formats/index.js';
export type {
  ReasoningTags,
  TextToolFormat,
  UndeclaredPolicy,
} from './text-tools/reading/text-tool-format.js';
export type { AdaptedCall, TextToolsOptions } from './text-tools/text-tools.js';
export type { ResponseTemplate } from './text-tools/templates/response-template.js';
export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export type { AdapterChoice, AdapterModule } from './adapter-choice.js';
export * as families from './families/index.js';
export { mistralMiddleware, type MistralOptions } from './families/mistral.js';
export { qwenMiddleware, type QwenOptions } from './families/qwen.js';
export type {
  AdapterCall,
  ModelAdapter,
  ModelAdapterDefinition,
  ModelAdapterRegistry,
  ToolPrompting,
} from './kit/definition.js';
export * as blocks from './kit/index.js';
export { isContinuation, joinMiddlewares } from './kit/middleware.js';
export { defineModelAdapter, matchModelName } from './kit/model-adapter.js';
export { textToolsMiddleware } from './kit/text-tools-middleware.js';
export { modelAdapters } from './model-adapters.js';
export { type ParsedTextCalls, parseTextCalls, type ParseTextCallsOptions } from './parse-text-calls.js';
export { prompts } from './prompts/index.js';
export type { ToolPrompt } from './prompts/tool-prompt.js';
export { createModelAdapterRegistry } from './registry.js';
export { type OwnToolPrompt, registerToolPrompt } from './select-prompt.js';
