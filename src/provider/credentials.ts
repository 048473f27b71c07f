import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { createKeyRing, type Credentials } from '../http/key-ring.js';
import type { KelivoResponsesSettings } from './settings.js';

/**
 * Creates the headers of each request. The key is read with the request, so that a provider can be created without one.
 * If the server rejects one of several keys, the request is sent with the next.
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
      const tried = new Set<string>();
      for (;;) {
        const key = await ring.take(turn, tried);
        try {
          return await send({
            ...(key !== undefined && toKeyHeader(key, api)),
            ...(organization !== undefined && { 'openai-organization': organization }),
            ...(project !== undefined && { 'openai-project': project }),
            ...toLowerCase(typeof headers === 'function' ? headers() : headers),
          });
        } catch (error) {
          if (key === undefined || !ring.refuse(key, error, tried)) throw error;
          tried.add(key);
        }
      }
    },
  };
}

/** Azure expects keys in the `api-key` header, and Microsoft Entra tokens (JSON Web Tokens) in `authorization`. */
function toKeyHeader(key: string, api: KelivoResponsesSettings['api']): Record<string, string> {
  const isToken = /^eyJ[\w-]*\.[\w-]+\./.test(key);
  return api === 'azure' && !isToken ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Converts header names to lower case, so that two spellings of a name are not both sent. */
const toLowerCase = (headers: Record<string, string | undefined> = {}): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
