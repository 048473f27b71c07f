import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../provider/provider.js';
import { type KelivoResponsesSettings, settingNames } from '../provider/settings.js';

/** Settings of the provider, and whatever else a host keeps in its options, such as a `mode` of its own. */
export type HostProviderOptions = KelivoResponsesSettings & Readonly<Record<string, unknown>>;

const lowerCaseNames = new Set(settingNames.map(name => name.toLowerCase()));

/**
 * Creates the provider from the options that a host has for it. Options that are no settings of the provider are the
 * host's own and are left alone, but for misspelt ones: `baseUrl` is refused.
 *
 * @throws KelivoError with code `invalid-settings` for a wrong setting.
 */
export function createForHost(options: HostProviderOptions = {}): KelivoResponsesProvider {
  const settings = Object.entries(options).filter(([name]) => lowerCaseNames.has(name.toLowerCase()));
  return createKelivoResponsesProvider(Object.fromEntries(settings));
}
