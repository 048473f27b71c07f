/**
 * Integration into hosts that have a provider schema, a feature flag or a configuration file. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
export { loadProviderConfig, type LoadProviderConfigOptions } from './registry/config-file.js';
export { createProvidersFromEnvironment, type EnvironmentProvidersOptions } from './registry/environment.js';
export type { ImportModule } from './registry/imported-models.js';
export type { ModelChoice } from './registry/model-choice.js';
export type { ProviderNames } from './model-names.js';
export type { ImportOpenAI } from './official-provider.js';
export {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './registry/provider-registry.js';
export {
  type HostProviderOptions,
  type KelivoResponsesExtension,
  kelivoResponsesExtension,
  type KelivoResponsesProviderConfig,
  kelivoResponsesProviderConfig,
} from './provider-schema.js';
export type {
  ImportedProviderEntry,
  KelivoProviderEntry,
  ProviderEntry,
  ProviderRegistryConfig,
} from './registry/registry-config.js';
export {
  createSwitchableProvider,
  type SwitchableProviderByVersion,
  type SwitchableProviderOptions,
  type SwitchSetting,
  type SwitchValue,
} from './switchable-provider.js';
