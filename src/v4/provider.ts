import { NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../embeddings/model.js';
import { connectionOf } from '../provider/connection.js';
import {
  createKelivoResponsesProvider as createV2Provider,
  type KelivoResponsesProvider,
  origins,
  withOrigin,
} from '../provider/provider.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { type EmbeddingModelV3, toEmbeddingModelV3 } from '../v3/provider.js';
import { createFiles, createSkills } from './files.js';
import { toLanguageModelV4 } from './language-model.js';
import type { LanguageModelV4 } from './specification.js';
import type { FilesV4, SkillsV4 } from './uploads.js';

/**
 * Creates the provider for `ai@7`. Settings, models and tools are the same as in `createKelivoResponsesProvider` of the
 * main entry. `ai` 5 and 6 do not accept its models.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid setting.
 */
export const createKelivoResponsesProvider = <ToolSchemas = Record<string, unknown>>(
  settings: KelivoResponsesSettings<ToolSchemas> = {},
): KelivoResponsesProviderV4 => toProviderV4(createV2Provider(settings));

/** The provider for `ai@7`. See `KelivoResponsesProvider` for members that are not described here. */
export interface KelivoResponsesProviderV4 extends Pick<KelivoResponsesProvider, 'toolStubs' | 'close'> {
  readonly specificationVersion: 'v4';
  /** Same as `languageModel`. */
  (modelId: string): LanguageModelV4;
  /** Returns a model that runs the provider's tools and combines all rounds into one response. */
  languageModel(modelId: string): LanguageModelV4;
  /** Returns the bare model: one request and one response, without the provider's tools. */
  responses(modelId: string): LanguageModelV4;
  /** Returns a text embedding model that calls `POST …/embeddings`. */
  embeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV4;
  /** Returns the files of the account, for `uploadFile`. Absent if another provider sends the requests. */
  readonly files?: () => FilesV4;
  /** Returns the skills of the account, for `uploadSkill`. Absent if another provider sends the requests. */
  readonly skills?: () => SkillsV4;
  /** @throws NoSuchModelError always, because the provider has no image models. */
  imageModel(modelId: string): never;
}

/** Converts a provider to version 4. Both share tools, keys and connections, and closing one closes both. */
export function toProviderV4(provider: KelivoResponsesProvider): KelivoResponsesProviderV4 {
  const languageModel = (modelId: string): LanguageModelV4 =>
    toLanguageModelV4(provider.languageModel(modelId));
  const connection = connectionOf(provider);
  const converted = Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: 'v4' as const,
    languageModel,
    responses: (modelId: string) => toLanguageModelV4(provider.responses(modelId)),
    embeddingModel: (modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV4 =>
      toEmbeddingModelV4(provider.textEmbeddingModel(modelId, options)),
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    ...(connection !== undefined && {
      files: () => createFiles(connection),
      skills: () => createSkills(connection),
    }),
    toolStubs: provider.toolStubs,
    close: provider.close,
  });
  return withOrigin(converted, origins.get(provider));
}

type EmbedOptions = Parameters<EmbeddingModelV3['doEmbed']>[0] & {
  /** The length of the vectors. `dimensions` in the provider options overrides it. */
  dimensions?: number;
};

/** An embedding model for `ai@7`. */
export interface EmbeddingModelV4 extends Omit<EmbeddingModelV3, 'specificationVersion' | 'doEmbed'> {
  readonly specificationVersion: 'v4';
  /** Embeds texts. */
  doEmbed(options: EmbedOptions): ReturnType<EmbeddingModelV3['doEmbed']>;
}

/** Converts an embedding model to version 4. */
export function toEmbeddingModelV4(model: Parameters<typeof toEmbeddingModelV3>[0]): EmbeddingModelV4 {
  const { doEmbed, ...properties } = toEmbeddingModelV3(model);
  return {
    ...properties,
    specificationVersion: 'v4',
    doEmbed: ({ dimensions, ...options }) =>
      doEmbed(
        dimensions === undefined
          ? options
          : {
              ...options,
              providerOptions: {
                ...options.providerOptions,
                openai: { dimensions, ...options.providerOptions?.openai },
              },
            },
      ),
  };
}
