import * as ai5 from 'ai';
import type { LanguageModelV2, LanguageModelV2Middleware } from '@ai-sdk/provider';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { toProviderV3 } from '../../src/v3.js';
import { toProviderV4 } from '../../src/v4.js';

/** The AI SDK with the types of version 5. All versions share the functions that the scenarios use. */
export type AiSdk = typeof ai5;

/** One major version of the AI SDK with one version of the provider. */
export interface Host {
  readonly name: string;
  readonly major: 5 | 6 | 7;
  readonly version: 'V2' | 'V3' | 'V4';
  readonly sdk: AiSdk;
  createProvider(settings: KelivoResponsesSettings): KelivoResponsesProvider;
  /** Wraps a model with the host's `wrapLanguageModel`, or with its equivalent for this provider version. */
  wrap(
    provider: KelivoResponsesProvider,
    modelId: string,
    middleware: LanguageModelV2Middleware,
  ): ai5.LanguageModel;
}

// The types of the major versions differ. `test/core/versions/types` checks them.
const sdks = { 5: ai5, 6: ai6 as unknown as AiSdk, 7: ai7 as unknown as AiSdk } as const;

const toVersion: Record<Host['version'], (provider: KelivoResponsesProvider) => unknown> = {
  V2: provider => provider,
  V3: toProviderV3,
  V4: toProviderV4,
};

const host = (major: Host['major'], version: Host['version']): Host => ({
  name: `ai ${major} · ${version}`,
  major,
  version,
  sdk: sdks[major],

  createProvider(settings) {
    const provider = createKelivoResponsesProvider(settings);
    return toVersion[version](provider) as KelivoResponsesProvider;
  },

  wrap(provider, modelId, middleware) {
    const { wrapLanguageModel } = sdks[major];
    if (major === 6 && version === 'V2') {
      // Its `wrapLanguageModel` mislabels version 2 models. Its `wrapProvider` converts them.
      const wrapProvider = ai6.wrapProvider as unknown as (options: object) => typeof provider;
      return wrapProvider({ provider, languageModelMiddleware: middleware }).languageModel(modelId);
    }
    return wrapLanguageModel({ model: provider(modelId) as LanguageModelV2, middleware });
  },
});

/**
 * Returns the version in whose forms a model writes parts. Hosts of later majors pass them through. `streamText` of `ai` 6
 * does not identify itself.
 */
export function formsOf({ major, version }: Pick<Host, 'major' | 'version'>, mode: Mode): Host['version'] {
  if (major === 7) return 'V4';
  return major === 6 && mode === 'generate' ? 'V3' : version;
}

/** The columns of the matrix. A host accepts the versions that existed at its time. */
export const hosts: readonly Host[] = [
  host(5, 'V2'),
  host(6, 'V2'),
  host(7, 'V2'),
  host(6, 'V3'),
  host(7, 'V3'),
  host(7, 'V4'),
];

export const modes = ['generate', 'stream'] as const;
export type Mode = (typeof modes)[number];
