import { LoadAPIKeyError } from '@ai-sdk/provider';
import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import type { CallHeaders } from './responses/responses-model.js';
import { secretsIn } from './responses/transport/secrets-in.js';
import type { KelivoResponsesSettings } from './settings.js';

/**
 * Makes the headers of each request. The key is looked up then, not before, so that a provider can be created where no
 * key is at hand.
 *
 * @throws LoadAPIKeyError (when called) where no key is set and the server is OpenAI's own. Others may need none.
 */
export function createCallHeaders(
  { apiKey, organization, project, headers }: KelivoResponsesSettings,
  { needsKey }: { needsKey: boolean },
): () => Promise<CallHeaders> {
  return async () => {
    const key =
      typeof apiKey === 'function'
        ? await apiKey()
        : loadOptionalSetting({ settingValue: apiKey, environmentVariableName: 'OPENAI_API_KEY' });
    const own = {
      ...(key !== undefined && key !== '' && { authorization: `Bearer ${key}` }),
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
    };
    const all = { ...own, ...toLowerCase(typeof headers === 'function' ? headers() : headers) };
    const secrets = secretsIn(all);
    if (secrets.length === 0 && needsKey) {
      throw new LoadAPIKeyError({
        message:
          'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
          'or set the environment variable OPENAI_API_KEY.',
      });
    }
    return { headers: all, secrets };
  };
}

/** Header names are equal whatever their case: two spellings of one name must not both be sent. */
const toLowerCase = (headers: Record<string, string | undefined> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
