/**
 * Integration into hosts that have a provider schema, a feature flag or a configuration file. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
import type { ProviderOf } from '../provider/provider.js';
import { type KelivoResponsesSettings, settingsTable } from '../provider/settings.js';
import { KelivoError } from '../core/shared/errors.js';
import { once } from '../core/shared/once.js';

import { VERSION_OF_MAJOR } from '../core/versions/provider.js';
import type { HostVersion } from '../core/versions/specification.js';
import { createSwitchableProvider, type SwitchableProviderOptions } from './switch/switchable-provider.js';

export {
  type EnvironmentOptions,
  loadProviderConfig,
  providerConfigFromEnvironment,
} from './registry/config-sources.js';
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
export { openaiHistoryMiddleware } from './switch/history-middleware.js';
export {
  createSwitchableProvider,
  type SwitchableProviderByVersion,
  type SwitchableProviderOptions,
  type SwitchSetting,
  type SwitchValue,
} from './switch/switchable-provider.js';

/** The settings of the switch, which each entry and its options have. */
export type SwitchOptions = Pick<SwitchableProviderOptions, 'enabled' | 'fallback' | 'importOpenAI'>;

/**
 * The provider's settings and those of the switch, plus any options that the host stores with them, such as `mode`. They
 * take precedence over those of the entry.
 */
export type HostProviderOptions = KelivoResponsesSettings & SwitchOptions & Readonly<Record<string, unknown>>;

/** Options of the entries for hosts. */
export interface HostEntryOptions<Version extends HostVersion> extends SwitchOptions {
  /** Version of the models, for the major of `ai` of the host. @default that of the entry */
  specificationVersion?: Version;
}

/** An entry for hosts whose provider schema has an `id`, a `name` and a `creator`, such as `@cherrystudio/ai-core` 1. */
export interface KelivoResponsesProviderConfig<Version extends HostVersion = (typeof VERSION_OF_MAJOR)[5]> {
  /** Id of the provider in the host. */
  readonly id: 'kelivo-responses';
  /** Name of the provider for people. */
  readonly name: string;
  /** Creates the provider. */
  readonly creator: (options?: HostProviderOptions) => ProviderOf<Version>;
  /** Loads the module with the function of `creatorFunctionName`. */
  readonly import: () => Promise<{
    createForHost: KelivoResponsesProviderConfig<Version>['creator'];
  }>;
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
 * Creates an entry for a host's provider schema. `creator` is synchronous, returns the provider of
 * `createSwitchableProvider`, and ignores options that are no settings of it. `import` and `creatorFunctionName` refer to the
 * same function. `validateOptions` returns false for options that `creator` would reject.
 *
 * @example
 * ```ts
 * registerProviderConfig(createKelivoResponsesProviderConfig({ specificationVersion: 'v4', enabled: () => flags.kelivo }));
 * ```
 */
export function createKelivoResponsesProviderConfig<
  Version extends HostVersion = (typeof VERSION_OF_MAJOR)[5],
>(entry: HostEntryOptions<Version> = {}): KelivoResponsesProviderConfig<Version> {
  const { specificationVersion = VERSION_OF_MAJOR[5] as Version, ...defaults } = entry;
  const creator = (options?: HostProviderOptions) =>
    createForHost({ ...defaults, ...options }, specificationVersion);
  return {
    id: 'kelivo-responses',
    name: 'Kelivo Responses',
    creator,
    import: () => Promise.resolve({ createForHost: creator }),
    creatorFunctionName: 'createForHost',
    supportsImageGeneration: false,
    validateOptions(options) {
      try {
        // A provider opens nothing before its first call, so there is nothing to close.
        creator(options);
        return true;
      } catch {
        return false;
      }
    },
    aliases: ['kelivo'],
  };
}

/**
 * The entry for hosts of `ai@5`, the result of `createKelivoResponsesProviderConfig()`.
 *
 * @example
 * ```ts
 * registerProviderConfig(kelivoResponsesProviderConfig);
 * await createAndRegisterProvider('kelivo-responses', { baseURL, apiKey, mcpServers, enabled: 'gpt-5*' });
 * ```
 */
export const kelivoResponsesProviderConfig: KelivoResponsesProviderConfig =
  /* @__PURE__ */ createKelivoResponsesProviderConfig();

/** The argument of `ProviderExtension.create` in `@cherrystudio/ai-core` 2. */
export interface KelivoResponsesExtension<Version extends HostVersion = (typeof VERSION_OF_MAJOR)[6]> {
  readonly name: 'kelivo-responses';
  readonly aliases: string[];
  readonly supportsImageGeneration: false;
  readonly create: (settings?: HostProviderOptions) => ProviderOf<Version>;
}

/**
 * Creates the provider as an extension for `@cherrystudio/ai-core` 2. By default its models have version 3, because
 * `wrapLanguageModel` of `ai@6` loses the finish reason and the usage of version 2 models.
 *
 * The host shares one instance between equal settings, and it treats all functions as equal. If two sets of settings
 * differ only in `fetch` or in tools, add the value `instance`: `{ fetch, instance: 'b' }`. A function as `enabled` in
 * settings requires it. One flag for all settings belongs here: `createKelivoResponsesExtension({ enabled })`.
 *
 * @example
 * ```ts
 * extensionRegistry.register(ProviderExtension.create(createKelivoResponsesExtension({ specificationVersion: 'v4' })));
 * const executor = await createExecutor('kelivo-responses', { baseURL, apiKey, mcpServers });
 * ```
 */
export function createKelivoResponsesExtension<Version extends HostVersion = (typeof VERSION_OF_MAJOR)[6]>(
  entry: HostEntryOptions<Version> = {},
): KelivoResponsesExtension<Version> {
  const { specificationVersion = VERSION_OF_MAJOR[6] as Version, ...defaults } = entry;
  return {
    name: 'kelivo-responses',
    aliases: ['kelivo'],
    supportsImageGeneration: false,
    create(settings = {}) {
      if (typeof settings.enabled === 'function' && settings.instance === undefined) throw sharedFlagError();
      return createForHost({ ...defaults, ...settings }, specificationVersion);
    },
  };
}

/** The extension for hosts of `ai@6`, the result of `createKelivoResponsesExtension()`. */
export const kelivoResponsesExtension: KelivoResponsesExtension =
  /* @__PURE__ */ createKelivoResponsesExtension();

/** The host would use the first of several functions for all settings that are equal otherwise. */
const sharedFlagError = (): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message:
      'Expected `instance` next to a function as `enabled`, got none: the host treats all functions as equal and would use ' +
      "one flag for all such settings. Add `instance: 'account-1'`, or pass the function to " +
      'createKelivoResponsesExtension({ enabled }).',
  });

/** Settings of the switch. */
const SWITCH_OPTIONS = ['enabled', 'fallback', 'importOpenAI'];

const lowerCaseNames = once(() => new Set(settingsTable().names.map(name => name.toLowerCase())));

/**
 * Creates the switchable provider from a host's options. Options that are not settings of the provider are ignored. A setting
 * in the wrong case, such as `baseUrl`, is an error.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid setting.
 */
function createForHost<Version extends HostVersion>(
  options: HostProviderOptions,
  specificationVersion: Version,
): ProviderOf<Version> {
  const given = Object.entries(options);
  const kelivo = given.filter(
    ([name]) => lowerCaseNames().has(name.toLowerCase()) && !SWITCH_OPTIONS.includes(name),
  );
  const ofSwitch: SwitchOptions = Object.fromEntries(given.filter(([name]) => SWITCH_OPTIONS.includes(name)));
  return createSwitchableProvider({ ...ofSwitch, kelivo: Object.fromEntries(kelivo), specificationVersion });
}
