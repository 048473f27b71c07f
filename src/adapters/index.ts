export type { DeclaredTool } from '../text-tools/declared-tools.js';
export { commandRFormat } from '../text-tools/formats/command-r.js';
export { deepseekFormat } from '../text-tools/formats/deepseek.js';
export { glmFormat } from '../text-tools/formats/glm.js';
export { hermesFormat } from '../text-tools/formats/hermes.js';
export { claudeFormat, dsmlFormat, minimaxFormat } from '../text-tools/formats/invoke.js';
export { kimiFormat } from '../text-tools/formats/kimi.js';
export { bareJsonFormat, llamaFormat } from '../text-tools/formats/llama.js';
export { mistralFormat } from '../text-tools/formats/mistral.js';
export { qwenXmlFormat, seedFormat } from '../text-tools/formats/qwen-xml.js';
export { toolRequestFormat } from '../text-tools/formats/tool-request.js';
export { readCallArguments } from '../text-tools/read-call-arguments.js';
export { type JsonCallFields, type JsonCallOptions, readJsonCalls } from '../text-tools/json-call.js';
export { readName } from '../text-tools/read-name.js';
export { readTaggedCall } from '../text-tools/tagged-call.js';
export {
  cohereThinkTags,
  mistralThinkTags,
  type ReasoningTags,
  thinkTags,
} from '../text-tools/reasoning-tags.js';
export { createTagGrammar, type Tag, type TagGrammar, type TagTexts } from '../text-tools/tag-grammar.js';
export type { Reading, TextCursor } from '../text-tools/text-cursor.js';
export type { TextCalls, TextToolFormat, UndeclaredCalls } from '../text-tools/text-tool-format.js';
export { textToolsMiddleware, type TextToolsOptions } from '../text-tools/text-tools-middleware.js';
export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export { claude } from './claude.js';
export { commandR } from './command-r.js';
export { createModelAdapterRegistry, type ModelAdapterRegistry } from './registry.js';
export { deepseek } from './deepseek.js';
export { defineModelAdapter } from './define-model-adapter.js';
export { gemini } from './gemini.js';
export { gemma } from './gemma.js';
export { glm } from './glm.js';
export { gptOss } from './gpt-oss.js';
export { hermes } from './hermes.js';
export { joinMiddlewares } from './join-middlewares.js';
export { kimi } from './kimi.js';
export { llama } from './llama.js';
export { matchModelName } from './match-model-name.js';
export { minimax } from './minimax.js';
export { mistral, mistralMiddleware } from './mistral.js';
export type { MistralOptions } from './mistral/mistral-options.js';
export type { ModelAdapter } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
export { qwen, qwenMiddleware } from './qwen.js';
export type { QwenOptions } from './qwen/qwen-options.js';
export { seedOss } from './seed-oss.js';
