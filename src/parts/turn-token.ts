import type { LanguageModelV2CallOptions, SharedV2ProviderOptions } from '@ai-sdk/provider';

/**
 * Marks the calls of one turn, so that a model below can tell which belong together. The mark is an object that is
 * passed by reference in `providerOptions.kelivo.turn`; models that do not know it ignore it.
 */
export function withTurnToken(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, turn: {} } },
  };
}

export function turnTokenOf(providerOptions: SharedV2ProviderOptions | undefined): object | undefined {
  const turn = providerOptions?.kelivo?.turn;
  return typeof turn === 'object' && turn !== null ? turn : undefined;
}
