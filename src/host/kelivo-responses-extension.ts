import { type KelivoResponsesProviderV3, toProviderV3 } from '../v3/to-provider-v3.js';
import { createForHost, type HostProviderOptions } from './create-for-host.js';

/** What `ProviderExtension.create` of `@cherrystudio/ai-core` 2 takes. */
export interface KelivoResponsesExtension {
  readonly name: 'kelivo-responses';
  readonly aliases: string[];
  readonly supportsImageGeneration: false;
  readonly create: (settings?: HostProviderOptions) => KelivoResponsesProviderV3;
}

/**
 * The provider as an extension of `@cherrystudio/ai-core` 2, with models of version 3: middlewares of `ai@6` lose finish
 * reason and usage of others.
 *
 * That host keeps one instance for settings that look alike, and all functions look alike to it. Settings that differ
 * in a `fetch` or in tools alone need a further value that tells them apart, under any name: `{ fetch, instance: 'b' }`.
 *
 * @example
 * ```ts
 * extensionRegistry.register(ProviderExtension.create(kelivoResponsesExtension));
 * const executor = await createExecutor('kelivo-responses', { baseURL, apiKey, mcpServers });
 * ```
 */
export const kelivoResponsesExtension: KelivoResponsesExtension = {
  name: 'kelivo-responses',
  aliases: ['kelivo'],
  supportsImageGeneration: false,
  create: settings => toProviderV3(createForHost(settings)),
};
