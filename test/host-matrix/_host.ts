import * as ai5 from 'ai';
import type { LanguageModelV2, LanguageModelV2Middleware } from '@ai-sdk/provider';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../../src/provider/provider.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { toProviderV3 } from '../../src/v3/index.js';

/** The AI SDK in the words of its release 5: what the scenarios use of it is alike in all of them. */
export type AiSdk = typeof ai5;

/** One release of the AI SDK with one form of the provider. */
export interface Host {
  readonly name: string;
  readonly major: 5 | 6 | 7;
  readonly form: 'V2' | 'V3';
  readonly sdk: AiSdk;
  createProvider(settings: KelivoResponsesSettings): KelivoResponsesProvider;
  /** A model in the host's own `wrapLanguageModel`, in the way that this release takes this form of the provider. */
  wrap(
    provider: KelivoResponsesProvider,
    modelId: string,
    middleware: LanguageModelV2Middleware,
  ): ai5.LanguageModel;
}

// The types of the releases differ; `test/v3/types` holds what each of them accepts.
const sdks = { 5: ai5, 6: ai6 as unknown as AiSdk, 7: ai7 as unknown as AiSdk } as const;

const host = (major: Host['major'], form: Host['form']): Host => ({
  name: `ai ${major} · ${form}`,
  major,
  form,
  sdk: sdks[major],

  createProvider(settings) {
    const provider = createKelivoResponsesProvider(settings);
    return form === 'V2' ? provider : (toProviderV3(provider) as unknown as KelivoResponsesProvider);
  },

  wrap(provider, modelId, middleware) {
    const { wrapLanguageModel } = sdks[major];
    if (major === 6 && form === 'V2') {
      // Its `wrapLanguageModel` mislabels a model of version 2; its `wrapProvider` converts one.
      const wrapProvider = ai6.wrapProvider as unknown as (options: object) => typeof provider;
      return wrapProvider({ provider, languageModelMiddleware: middleware }).languageModel(modelId);
    }
    return wrapLanguageModel({ model: provider(modelId) as LanguageModelV2, middleware });
  },
});

/** The columns of the matrix. A provider of version 3 is not for `ai@5`, which refuses it. */
export const hosts: readonly Host[] = [
  host(5, 'V2'),
  host(6, 'V2'),
  host(7, 'V2'),
  host(6, 'V3'),
  host(7, 'V3'),
];

export const modes = ['generate', 'stream'] as const;
export type Mode = (typeof modes)[number];
