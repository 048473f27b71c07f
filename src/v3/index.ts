/**
 * The provider for `ai` 6 and 7, as a native provider of version 3 of the model interface.
 *
 * @module kelivo-responses/v3
 */
export { createKelivoResponsesProvider } from './create-kelivo-responses-provider.js';
export type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  LanguageModelV3Usage,
  LanguageModelV3Warning,
} from './language-model-v3.js';
export { type EmbeddingModelV3, toEmbeddingModelV3 } from './to-embedding-model-v3.js';
export { toLanguageModelV3 } from './to-language-model-v3.js';
export { type KelivoResponsesProviderV3, toProviderV3 } from './to-provider-v3.js';
