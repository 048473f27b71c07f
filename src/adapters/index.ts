export {
  functionGemmaFormat,
  gemma4Format,
  gemmaCallFormat,
  gemmaThoughtFormat,
} from '../text-tools/formats/gemma.js';
export { bareHarmonyFormat, harmonyFormat } from '../text-tools/formats/harmony.js';
export { hermesFormat } from '../text-tools/formats/hermes.js';
export {
  lfmFormat,
  llamaPythonicFormat,
  olmoFormat,
  pythonicFormat,
  toolCodeFormat,
} from '../text-tools/formats/pythonic.js';
export { callListFormat, pairCallFormat } from '../text-tools/formats/call-lists.js';
export {
  bareListFormat,
  createJsonListFormat,
  type JsonListFormatOptions,
} from '../text-tools/formats/json-list.js';
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
  UndeclaredPolicy,
} from '../text-tools/text-tool-format.js';
export type { AdaptedCall, TextToolsOptions } from '../text-tools/text-tools.js';
export { adaptModel, type AdaptModelOptions } from './adapt-model.js';
export type { AdapterChoice, AdapterModule, ToolPrompting, ToolPromptName } from './adapter-choice.js';
export { claudeFormat } from './claude.js';
export { commandRFormat } from './command-r.js';
export { deepseekFormat, dsmlFormat } from './deepseek.js';
export { toolRequestFormat } from './gemma.js';
export { glmFormat } from './glm.js';
export { kimiK3Format } from './kimi-k3.js';
export { kimiFormat } from './kimi.js';
export { bareJsonFormat, llamaFormat } from './llama.js';
export * from './families.js';
export { joinMiddlewares } from './middleware.js';
export { mimoFormat } from './mimo.js';
export { bareMinimaxM3Format, minimaxM3Format } from '../text-tools/formats/minimax-m3.js';
export { minimaxFormat } from './minimax.js';
export { mistralFormat, mistralMiddleware, type MistralOptions } from './mistral.js';
export { defineModelAdapter, matchModelName } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
export { qwenMiddleware, type QwenOptions } from './qwen.js';
export { createModelAdapterRegistry } from './registry.js';
export type {
  AdaptBack,
  AdaptBackContext,
  ModelAdapter,
  ModelAdapterDefinition,
  ModelAdapterRegistry,
} from './definition.js';
export { seedFormat } from './seed-oss.js';
export { graniteFormat } from './granite.js';
export { hunyuanFormat } from './hunyuan.js';
export { internlmFormat } from './internlm.js';
export { longcatFormat } from './longcat.js';
export { nemotronFormat } from './nemotron.js';
export { phiFormat, phiTokenFormat } from './phi-4-mini.js';
export { xlamFormat } from './xlam.js';
export { textToolsMiddleware } from './text-tools-middleware.js';
export { step3Format } from './step3.js';
export { apertusFormat } from './apertus.js';
export { gigachatFormat } from './gigachat.js';
export { minicpmFormat } from './minicpm5.js';
