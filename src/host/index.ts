/**
 * Integration into hosts that have a provider schema, a feature flag or a configuration file. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
export {
  type HostProviderOptions,
  type KelivoResponsesExtension,
  kelivoResponsesExtension,
  type KelivoResponsesProviderConfig,
  kelivoResponsesProviderConfig,
} from './provider-schema.js';
export { providerConfigFromEnvironment } from './registry/from-environment.js';
export { loadProviderConfig } from './registry/from-file.js';
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
