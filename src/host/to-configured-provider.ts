import { NoSuchModelError, type ProviderV2 } from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';
import type { ConfiguredProvider, ConnectionOverrides } from './create-configured-provider.js';
import { expectVersion2 } from './load-provider.js';
import { withCallIds } from './with-call-ids.js';
import { withDimensions } from './with-dimensions.js';

/** A provider that was created elsewhere, as one of a registry. What it opened is its creator's to close. */
export function toConfiguredProvider(provider: ProviderV2, name: string): ConfiguredProvider {
  const where = `the provider "${name}"`;
  return {
    languageModel(modelId, overrides) {
      refuseOverrides(overrides);
      return withCallIds(expectVersion2(provider.languageModel(modelId), where));
    },
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      refuseOverrides(overrides);
      const model = expectVersion2(provider.textEmbeddingModel(modelId), where);
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel(modelId) {
      if (provider.imageModel !== undefined) return provider.imageModel(modelId);
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    close: async () => {},
  };

  function refuseOverrides({ apiKey, baseURL }: ConnectionOverrides = {}): void {
    if (apiKey === undefined && baseURL === undefined) return;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected no \`apiKey\` and no \`baseURL\` for ${where}, which was created with its own. ` +
        'Register it as an entry with `import` and `creator` instead.',
    });
  }
}
