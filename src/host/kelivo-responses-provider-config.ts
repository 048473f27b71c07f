import type { KelivoResponsesProvider } from '../provider/provider.js';
import { createForHost, type HostProviderOptions } from './create-for-host.js';

/** An entry for hosts that describe providers by an `id`, a `name` and a `creator`, such as those built on `ai-core` 1. */
export interface KelivoResponsesProviderConfig {
  readonly id: 'kelivo-responses';
  readonly name: string;
  readonly creator: (options?: HostProviderOptions) => KelivoResponsesProvider;
  readonly import: () => Promise<{ createForHost: typeof createForHost }>;
  readonly creatorFunctionName: 'createForHost';
  readonly supportsImageGeneration: false;
  readonly validateOptions: (options?: HostProviderOptions) => boolean;
  readonly aliases: string[];
}

/**
 * The provider as an entry of a host's provider schema. `creator` is synchronous and takes the host's options, of which
 * those that are no settings of the provider are ignored; `import` with `creatorFunctionName` names the same function.
 * `validateOptions` says beforehand whether they will do; `creator` checks them all the same.
 *
 * @example
 * ```ts
 * registerProviderConfig(kelivoResponsesProviderConfig);
 * await createAndRegisterProvider('kelivo-responses', { baseURL, apiKey, mcpServers });
 * ```
 */
export const kelivoResponsesProviderConfig: KelivoResponsesProviderConfig = {
  id: 'kelivo-responses',
  name: 'Kelivo Responses',
  creator: options => createForHost(options),
  import: () => import('./create-for-host.js'),
  creatorFunctionName: 'createForHost',
  supportsImageGeneration: false,
  validateOptions(options) {
    try {
      // Nothing is opened before a model is called, so there is nothing to close.
      createForHost(options);
      return true;
    } catch {
      return false;
    }
  },
  aliases: ['kelivo'],
};
