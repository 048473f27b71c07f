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
} from '../text-tools/values/json-call.js';
export {
  cohereThinkTags,
  mistralThinkTags,
  type ReasoningTags,
  thinkTags,
} from '../text-tools/parser/reasoning.js';
export {
  createTagGrammar,
  type Tag,
  type TagGrammar,
  type TagTexts,
} from '../text-tools/parser/tag-grammar.js';
export { readTaggedCall } from '../text-tools/values/tagged-call.js';
export { type Reading, readName, type TextCursor } from '../text-tools/parser/text-cursor.js';
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
export { claudeFormat } from './families/claude.js';
export { commandRFormat } from './families/command-r.js';
export { deepseekFormat, dsmlFormat } from './families/deepseek.js';
export { toolRequestFormat } from './families/gemma.js';
export { glmFormat } from './families/glm.js';
export { kimiK3Format } from './families/kimi-k3.js';
export { kimiFormat } from './families/kimi.js';
export { bareJsonFormat, llamaFormat } from './families/llama.js';
export * from './families/families.js';
export { joinMiddlewares } from './middleware.js';
export { mimoFormat } from './families/mimo.js';
export { bareMinimaxM3Format, minimaxM3Format } from '../text-tools/formats/minimax-m3.js';
export { minimaxFormat } from './families/minimax.js';
export { mistralFormat, mistralMiddleware, type MistralOptions } from './families/mistral.js';
export { defineModelAdapter, matchModelName } from './model-adapter.js';
export { modelAdapters } from './model-adapters.js';
export { qwenMiddleware, type QwenOptions } from './families/qwen.js';
export { createModelAdapterRegistry } from './registry.js';
export type {
  AdaptBack,
  AdaptBackContext,
  ModelAdapter,
  ModelAdapterDefinition,
  ModelAdapterRegistry,
} from './definition.js';
export { seedFormat } from './families/seed-oss.js';
export { graniteFormat } from './families/granite.js';
export { hunyuanFormat } from './families/hunyuan.js';
export { internlmFormat } from './families/internlm.js';
export { longcatFormat } from './families/longcat.js';
export { nemotronFormat } from './families/nemotron.js';
export { phiFormat, phiTokenFormat } from './families/phi-4-mini.js';
export { xlamFormat } from './families/xlam.js';
export { textToolsMiddleware } from './text-tools-middleware.js';
export { step3Format } from './families/step3.js';
export { apertusFormat } from './families/apertus.js';
export { gigachatFormat } from './families/gigachat.js';
export { minicpmFormat } from './families/minicpm5.js';
