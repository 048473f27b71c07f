import type { LanguageModelV2CallOptions, SharedV2ProviderOptions } from '@ai-sdk/provider';

/**
 * Marks the requests of one turn, so that an inner model can recognize them. The mark is an object that is passed by
 * reference in `providerOptions.kelivo.turn`. Other models ignore it.
 */
export function withTurnToken(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, turn: {} } },
  };
}

/** Returns the mark of the turn that a request belongs to. */
export function turnTokenOf(providerOptions: SharedV2ProviderOptions | undefined): object | undefined {
  const turn = providerOptions?.kelivo?.turn;
  return typeof turn === 'object' && turn !== null ? turn : undefined;
}

/**
 * Marks a call of a host that uses version 3 of the model interface, as `ai` does from version 6. Such a host accepts
 * calls of undeclared tools if they are marked `dynamic`. The mark is passed in `providerOptions.kelivo.host` through
 * all wrappers of the model. Other models ignore it.
 */
export function withV3Host(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, host: 'v3' } },
  };
}

export const isV3Host = ({ providerOptions }: LanguageModelV2CallOptions): boolean =>
  providerOptions?.kelivo?.host === 'v3';
