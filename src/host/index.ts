/**
 * Integration into hosts that have a provider schema, a feature flag or a configuration file. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
import { createProvider, type ProviderOf } from '../provider/provider.js';
import { type KelivoResponsesSettings, listSettingNames } from '../provider/settings.js';
import { once } from '../shared/settings.js';
import { VERSION_OF_MAJOR } from '../versions/provider.js';
import type { HostVersion } from '../versions/specification.js';

export { loadProviderConfig, providerConfigFromEnvironment } from './registry/config-sources.js';
export type { ImportModule } from './registry/imported-models.js';
export {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './registry/registry.js';
export type { ModelChoice, ProviderNames } from './registry/resolve.js';
export type {
  ImportedProviderEntry,
  KelivoProviderEntry,
  ProviderEntry,
  ProviderRegistryConfig,
} from './registry/schema.js';
export type { ImportOpenAI } from './switch/official-provider.js';
export {
  createSwitchableProvider,
  type SwitchableProviderByVersion,
  type SwitchableProviderOptions,
  type SwitchSetting,
  type SwitchValue,
} from './switch/switchable-provider.js';

/** The versions of the hosts' majors of `ai`. */
type Versions = typeof VERSION_OF_MAJOR;

/** The provider's settings, plus any options that the host stores with them, such as `mode`. */
export type HostProviderOptions = KelivoResponsesSettings & Readonly<Record<string, unknown>>;

/** An entry for hosts whose provider schema has an `id`, a `name` and a `creator`, such as `@cherrystudio/ai-core` 1. */
export interface KelivoResponsesProviderConfig {
  /** Id of the provider in the host. */
  readonly id: 'kelivo-responses';
  /** Name of the provider for people. */
  readonly name: string;
  /** Creates the provider. */
  readonly creator: (options?: HostProviderOptions) => ProviderOf<Versions[5]>;
  /** Loads the module with the function of `creatorFunctionName`. */
  readonly import: () => Promise<{ createForHost: typeof createForHost }>;
  /** Name of the function that creates the provider. */
  readonly creatorFunctionName: 'createForHost';
  /** False, because the provider has no image models. */
  readonly supportsImageGeneration: false;
  /** Returns false for options that `creator` rejects. */
  readonly validateOptions: (options?: HostProviderOptions) => boolean;
  /** Other ids of the provider. */
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
  readonly create: (settings?: HostProviderOptions) => ProviderOf<Versions[6]>;
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
  create: settings => createOfVersion(settings, VERSION_OF_MAJOR[6]),
};

const lowerCaseNames = once(() => new Set(listSettingNames().map(name => name.toLowerCase())));

/** The function that `creator` and `import` refer to. */
const createForHost = (options?: HostProviderOptions): ProviderOf<Versions[5]> =>
  createOfVersion(options, VERSION_OF_MAJOR[5]);

/**
 * Creates the provider from a host's options. Options that are not settings of the provider are ignored. A setting in
 * the wrong case, such as `baseUrl`, is an error.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid setting.
 */
function createOfVersion<Version extends HostVersion>(
  options: HostProviderOptions = {},
  version: Version,
): ProviderOf<Version> {
  const settings = Object.entries(options).filter(([name]) => lowerCaseNames().has(name.toLowerCase()));
  return createProvider(Object.fromEntries(settings), version);
}
