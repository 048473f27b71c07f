export { hermesFormat } from '../text-tools/formats/hermes.js';
export { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
export {
  type JsonCallFields,
  type JsonCallOptions,
  readCallArguments,
  readJsonCalls,
} from '../text-tools/json-call.js';
export { cohereThinkTags, mistralThinkTags, type ReasoningTags, thinkTags } from '../text-tools/reasoning.js';
export { createTagGrammar, type Tag, type TagGrammar, type TagTexts } from '../text-tools/tag-grammar.js';
export { readTaggedCall } from '../text-tools/tagged-call.js';
export { type Reading, readName, type TextCursor } from '../text-tools/text-cursor.js';
export type {
  DeclaredTool,
  TextCalls,
  TextToolFormat,
  UndeclaredCalls,
} from '../text-tools/text-tool-format.js';
export { textToolsMiddleware, type TextToolsOptions } from '../text-tools/text-tools-middleware.js';
export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export { claudeFormat } from './claude.js';
export { commandRFormat } from './command-r.js';
export { deepseekFormat, dsmlFormat } from './deepseek.js';
export { toolRequestFormat } from './gemma.js';
export { glmFormat } from './glm.js';
export { kimiFormat } from './kimi.js';
export { bareJsonFormat, llamaFormat } from './llama.js';
export * from './families.js';
export { joinMiddlewares } from './middleware.js';
export { minimaxFormat } from './minimax.js';
export { mistralFormat, mistralMiddleware, type MistralOptions } from './mistral.js';
export { defineModelAdapter, matchModelName, type ModelAdapter } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
export { qwenMiddleware, type QwenOptions } from './qwen.js';
export { createModelAdapterRegistry, type ModelAdapterRegistry } from './registry.js';
export { seedFormat } from './seed-oss.js';
