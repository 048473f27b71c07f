import { connectionOf } from '../provider/connection.js';
import {
  createKelivoResponsesProvider as createV2Provider,
  type KelivoResponsesProvider,
  origins,
  withOrigin,
} from '../provider/provider.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import {
  type EmbeddingModelV3,
  type LaterProvider,
  toEmbeddingModelV3,
  toLaterProvider,
} from '../v3/provider.js';
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

/** The provider for `ai@7`. */
export interface KelivoResponsesProviderV4 extends LaterProvider<LanguageModelV4, EmbeddingModelV4> {
  readonly specificationVersion: 'v4';
  /** Returns the files of the account, for `uploadFile`. Absent if another provider sends the requests. */
  readonly files?: () => FilesV4;
  /** Returns the skills of the account, for `uploadSkill`. Absent if another provider sends the requests. */
  readonly skills?: () => SkillsV4;
}

/** Converts a provider to version 4. Both share tools, keys and connections, and closing one closes both. */
export function toProviderV4(provider: KelivoResponsesProvider): KelivoResponsesProviderV4 {
  const connection = connectionOf(provider);
  const converted = Object.assign(toLaterProvider(provider, toLanguageModelV4, toEmbeddingModelV4), {
    specificationVersion: 'v4' as const,
    ...(connection !== undefined && {
      files: () => createFiles(connection),
      skills: () => createSkills(connection),
    }),
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
