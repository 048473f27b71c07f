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

/**
 * Marks a call as one of a host that speaks version 3 of the model interface, as `ai` does from 6 on. Such a host takes
 * calls of tools that it does not know, if they are marked `dynamic`. The mark travels in `providerOptions.kelivo.host`,
 * through whatever wraps the model; models that do not know it ignore it.
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
