import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../provider/provider.js';
import { type KelivoResponsesSettings, listSettingNames } from '../provider/settings.js';
import { once } from '../shared/settings.js';
import { type KelivoResponsesProviderV3, toProviderV3 } from '../v3/provider.js';

/** The provider's settings, plus any options that the host stores with them, such as `mode`. */
export type HostProviderOptions = KelivoResponsesSettings & Readonly<Record<string, unknown>>;

/** An entry for hosts whose provider schema has an `id`, a `name` and a `creator`, such as `@cherrystudio/ai-core` 1. */
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
 * Entry for a host's provider schema. `creator` is synchronous and ignores options that are not settings of the
 * provider. `import` and `creatorFunctionName` refer to the same function. `validateOptions` returns false for options
 * that `creator` would reject.
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
  import: () => Promise.resolve({ createForHost }),
  creatorFunctionName: 'createForHost',
  supportsImageGeneration: false,
  validateOptions(options) {
    try {
      // A provider opens nothing before its first call, so there is nothing to close.
      createForHost(options);
      return true;
    } catch {
      return false;
    }
  },
  aliases: ['kelivo'],
};

/** The argument of `ProviderExtension.create` in `@cherrystudio/ai-core` 2. */
export interface KelivoResponsesExtension {
  readonly name: 'kelivo-responses';
  readonly aliases: string[];
  readonly supportsImageGeneration: false;
  readonly create: (settings?: HostProviderOptions) => KelivoResponsesProviderV3;
}

/**
 * The provider as an extension for `@cherrystudio/ai-core` 2. Its models have version 3, because `wrapLanguageModel` of
 * `ai@6` loses the finish reason and the usage of version 2 models.
 *
 * The host shares one instance between equal settings, and it treats all functions as equal. If two sets of settings
 * differ only in `fetch` or in tools, add a distinguishing value under any name: `{ fetch, instance: 'b' }`.
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

const lowerCaseNames = once(() => new Set(listSettingNames().map(name => name.toLowerCase())));

/**
 * Creates the provider from a host's options. Options that are not settings of the provider are ignored. A setting in
 * the wrong case, such as `baseUrl`, is an error.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid setting.
 */
function createForHost(options: HostProviderOptions = {}): KelivoResponsesProvider {
  const settings = Object.entries(options).filter(([name]) => lowerCaseNames().has(name.toLowerCase()));
  return createKelivoResponsesProvider(Object.fromEntries(settings));
}
