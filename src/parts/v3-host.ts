import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';

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
