/**
 * The provider for `ai` 6 and 7, native to version 3 of the model specification.
 *
 * @module kelivo-responses/v3
 */
export type { RegistrableProvider } from '../provider/recreate-model.js';
export { registerProvider, type RegisterProviderOptions } from '../provider/register-provider.js';
export { toLanguageModelV3 } from './language-model.js';
export { type LaterLanguageModel, toLanguageModelV2 } from './language-model-v2.js';
export {
  createKelivoResponsesProvider,
  type EmbeddingModelV3,
  type KelivoResponsesProviderV3,
  type LaterProvider,
  toEmbeddingModelV3,
  toProviderV3,
} from './provider.js';
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
} from './specification.js';
