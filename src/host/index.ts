/**
 * The package inside hosts that have a provider schema, a flag or a configuration of their own. For Node and browsers.
 *
 * @module kelivo-responses/host
 */
export { createSwitchableProvider, type SwitchableProviderOptions } from './create-switchable-provider.js';
export type { SwitchSetting, SwitchValue } from './switch-setting.js';
