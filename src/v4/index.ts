/**
 * The provider for `ai@7`, native to version 4 of the model specification.
 *
 * @module kelivo-responses/v4
 */
export type { RegistrableProvider } from '../provider/recreate-model.js';
export { registerProvider, type RegisterProviderOptions } from '../provider/register-provider.js';
export { type LaterLanguageModel, toLanguageModelV2 } from '../v3/language-model-v2.js';
export { toLanguageModelV4 } from './language-model.js';
export {
  createKelivoResponsesProvider,
  type EmbeddingModelV4,
  type KelivoResponsesProviderV4,
  toEmbeddingModelV4,
  toProviderV4,
} from './provider.js';
export type { LaterProvider } from '../v3/provider.js';
export type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Citation,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Warning,
} from './specification.js';
export type {
  FilesV4,
  FilesV4FileOptions,
  FilesV4Metadata,
  FilesV4UploadOptions,
  ProviderReference,
  SkillsV4,
  SkillsV4UploadOptions,
} from './uploads.js';
