export * as formats from '../text-tools/formats/index.js';
export { createJsonListFormat, type JsonListFormatMarkers } from '../text-tools/formats/json-lists.js';
export { type Reading, readName, type TextCursor } from '../text-tools/reading/text-cursor.js';
export {
  type DeclaredTool,
  type ReasoningTags,
  type TextCalls,
  type TextToolFormat,
  thinkTags,
  type UndeclaredCalls,
  type UndeclaredPolicy,
} from '../text-tools/reading/text-tool-format.js';
export type { AdaptedCall, TextToolsOptions } from '../text-tools/text-tools.js';
export {
  type JsonCallFields,
  type JsonCallOptions,
  readCallArguments,
  readJsonCalls,
} from '../text-tools/values/json-call.js';
export {
  createTagGrammar,
  type Tag,
  type TagGrammar,
  type TagTexts,
} from '../text-tools/tags/tag-grammar.js';
export { readTaggedCall } from '../text-tools/tags/tagged-call.js';
export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export type { AdapterChoice, AdapterModule } from './adapter-choice.js';
export * as families from './families/index.js';
export { mistralMiddleware, type MistralOptions } from './families/mistral.js';
export { qwenMiddleware, type QwenOptions } from './families/qwen.js';
export type {
  AdaptBack,
  AdaptBackContext,
  ModelAdapter,
  ModelAdapterDefinition,
  ModelAdapterRegistry,
  ToolPrompting,
  ToolPromptName,
} from './kit/definition.js';
export type { ModelFamily } from './kit/family.js';
export { joinMiddlewares } from './kit/middleware.js';
export { defineModelAdapter, matchModelName } from './kit/model-adapter.js';
export { textToolsMiddleware } from './kit/text-tools-middleware.js';
export { modelAdapters } from './model-adapters.js';
export * as prompts from './prompts/index.js';
export type { PromptCall, PromptResult, ToolPrompt } from './prompts/tool-prompt.js';
export { createModelAdapterRegistry } from './registry.js';
