import { createKelivoResponsesProvider as createV2Provider } from '../provider/provider.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { type KelivoResponsesProviderV3, toProviderV3 } from './to-provider-v3.js';

/**
 * Creates the provider for `ai` 6 and 7. Settings, models and tools are those of `createKelivoResponsesProvider` of the
 * main entry; `ai@5` refuses its models.
 *
 * @throws KelivoError with code `invalid-settings` for a setting that is unknown or wrong.
 */
export const createKelivoResponsesProvider = (
  settings: KelivoResponsesSettings = {},
): KelivoResponsesProviderV3 => toProviderV3(createV2Provider(settings));
