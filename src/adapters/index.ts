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
export { claude, claudeFormat } from './claude.js';
export { commandR, commandRFormat } from './command-r.js';
export { deepseek, deepseekFormat, dsmlFormat } from './deepseek.js';
export { gemini } from './gemini.js';
export { gemma, toolRequestFormat } from './gemma.js';
export { glm, glmFormat } from './glm.js';
export { gptOss } from './gpt-oss.js';
export { hermes } from './hermes.js';
export { kimi, kimiFormat } from './kimi.js';
export { bareJsonFormat, llama, llamaFormat } from './llama.js';
export { joinMiddlewares } from './middleware.js';
export { minimax, minimaxFormat } from './minimax.js';
export { mistral, mistralFormat, mistralMiddleware, type MistralOptions } from './mistral.js';
export { defineModelAdapter, matchModelName, type ModelAdapter } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
export { qwen, qwenMiddleware, type QwenOptions } from './qwen.js';
export { createModelAdapterRegistry, type ModelAdapterRegistry } from './registry.js';
export { seedFormat, seedOss } from './seed-oss.js';
