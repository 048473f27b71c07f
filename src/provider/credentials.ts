import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { createKeyRing, type Credentials } from '../http/key-ring.js';
import type { KelivoResponsesSettings } from './settings.js';

/**
 * Makes the headers of each request. The key is looked up then, not before, so that a provider can be created where no
 * key is at hand. Where there are several, a request that one of them is refused for goes on with the next.
 */
export function createCredentials(
  { apiKey, api, organization, project, headers }: KelivoResponsesSettings,
  { url }: { url: string },
): Credentials {
  const fromEnvironment = () =>
    loadOptionalSetting({ settingValue: undefined, environmentVariableName: 'OPENAI_API_KEY' });
  const ring = createKeyRing(apiKey ?? { read: fromEnvironment }, { url });

  return {
    async use(turn, send) {
      for (;;) {
        const key = await ring.take(turn);
        try {
          return await send({
            ...(key !== undefined && toKeyHeader(key, api)),
            ...(organization !== undefined && { 'openai-organization': organization }),
            ...(project !== undefined && { 'openai-project': project }),
            ...toLowerCase(typeof headers === 'function' ? headers() : headers),
          });
        } catch (error) {
          if (key === undefined || !ring.refuse(key, error)) throw error;
        }
      }
    },
  };
}

/** Azure takes its keys in a header of its own, and tokens of Entra, which are JSON Web Tokens, like everybody. */
function toKeyHeader(key: string, api: KelivoResponsesSettings['api']): Record<string, string> {
  const isToken = /^eyJ[\w-]*\.[\w-]+\./.test(key);
  return api === 'azure' && !isToken ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Header names are equal whatever their case: two spellings of one name must not both be sent. */
const toLowerCase = (headers: Record<string, string | undefined> = {}): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
