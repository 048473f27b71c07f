import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';

/**
 * The name a host gives a turn, `providerOptions.kelivo.turnId`, under which another process can take it up.
 *
 * @throws InvalidArgumentError when it is not a text.
 */
export function turnIdOf(providerOptions: SharedV2ProviderOptions | undefined): string | undefined {
  const turnId: unknown = providerOptions?.kelivo?.turnId;
  if (turnId === undefined || turnId === null) return undefined;
  if (typeof turnId === 'string' && turnId !== '') return turnId;
  const argument = 'providerOptions.kelivo.turnId';
  throw new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be a text that is not empty, got ${JSON.stringify(turnId)}. Correct it or leave it out.`,
  });
}
