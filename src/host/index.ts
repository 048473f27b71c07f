/**
 * The package inside hosts that have a provider schema, a flag or a configuration of their own. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
export type { HostProviderOptions } from './create-for-host.js';
export type { ModelChoice, ProviderNames } from './create-model-names.js';
export {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './create-provider-registry-from-config.js';
export {
  createProvidersFromEnvironment,
  type EnvironmentProvidersOptions,
} from './create-providers-from-environment.js';
export { createSwitchableProvider, type SwitchableProviderOptions } from './create-switchable-provider.js';
export { type KelivoResponsesExtension, kelivoResponsesExtension } from './kelivo-responses-extension.js';
export {
  type KelivoResponsesProviderConfig,
  kelivoResponsesProviderConfig,
} from './kelivo-responses-provider-config.js';
export type { ImportOpenAI } from './open-official-model.js';
export type { ImportModule } from './load-provider.js';
export { loadProviderConfig, type LoadProviderConfigOptions } from './load-provider-config.js';
export type {
  ImportedProviderEntry,
  KelivoProviderEntry,
  ProviderEntry,
  ProviderRegistryConfig,
} from './provider-registry-config.js';
export type { SwitchSetting, SwitchValue } from './switch-setting.js';
