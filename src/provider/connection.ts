import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { toApiRoot } from '../core/http/base-url.js';
import { createKeyRing, type Credentials, toKeys } from '../core/http/key-ring.js';
import type { RequestHeaders } from '../core/http/request.js';
import type { FetchForCall } from '../core/http/request-log.js';
import { KelivoError } from '../core/shared/errors.js';
import { repeat } from '../core/shared/repeat.js';
import type { KelivoResponsesSettings } from './settings.js';

/** The connection of a provider, for requests that belong to no language model. */
export interface Connection {
  readonly provider: string;
  readonly credentials: Credentials;
  /** True if the server rejects requests without a key. */
  readonly needsKey: boolean;
  readonly fetchFor: FetchForCall;
  /** Time limit of one request, in milliseconds. */
  readonly timeout: number | undefined;
  urlOf(path: string): string;
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The URLs of a provider. */
export interface Endpoints {
  /** The host of the API, which identifies known servers. */
  readonly host: string;
  /** The root of the API for messages, without the query, which may contain a key. */
  readonly shownRoot: string;
  /** Protocol, host and port, for example `https://api.openai.com`. */
  readonly origin: string;
  /** True for OpenAI, which rejects requests without a key. Other servers may accept them. */
  readonly needsKey: boolean;
  /** The deployment that a pasted URL of Azure names. The API does not use it: the model id names the deployment. */
  readonly unusedDeployment: string | undefined;
  /** Returns the URL of an endpoint, for example of `responses`. */
  urlOf(path: string): string;
}

/** @throws KelivoError with code `invalid-settings` for an invalid or missing base URL. */
export function createEndpoints(settings: KelivoResponsesSettings): Endpoints {
  const baseURL = settings.baseURL ?? toDefaultBaseURL(settings);
  const root = toApiRoot(baseURL, settings);
  const [, deployment] =
    settings.api === 'azure' ? (/\/openai\/deployments\/([^/?#]+)/.exec(baseURL) ?? []) : [];
  return {
    host: root.hostname,
    shownRoot: root.origin + root.pathname,
    origin: root.origin,
    needsKey: root.hostname === 'api.openai.com',
    unusedDeployment: deployment && decodeURIComponent(deployment),
    urlOf: path => toEndpoint(root, path, settings.query),
  };
}

/**
 * Returns the address of an endpoint below a root, with additional query parameters.
 *
 * @internal
 */
export function toEndpoint(root: URL, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(root);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** @throws KelivoError for an API style without a default URL: its key must not be sent to OpenAI. */
function toDefaultBaseURL({ api = 'openai' }: KelivoResponsesSettings): string {
  // An empty variable counts as not set. An empty setting is an error.
  const variable = loadOptionalSetting({
    settingValue: undefined,
    environmentVariableName: 'OPENAI_BASE_URL',
  });
  if (variable) return variable;
  if (api === 'openai') return OPENAI_BASE_URL;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\` with \`api: '${api}'\`, got none. Set it${api === 'azure' ? ', for example to "https://my-resource.openai.azure.com"' : ''}, or set OPENAI_BASE_URL.`,
  });
}

/**
 * Creates the headers of each request. The key is read with the request, so that a provider can be created without one.
 * If the server rejects one of several keys, the request is sent with the next.
 */
export function createCredentials(
  { apiKey, api, organization, project, headers }: KelivoResponsesSettings,
  options: { url: string },
): Credentials {
  const ring = createKeyRing(apiKey ?? { read: keyOfEnvironment }, { url: options.url });
  const toHeaders = (key: string | undefined): RequestHeaders => ({
    ...(key !== undefined && toKeyHeader(key, api)),
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
    ...toLowerCase(typeof headers === 'function' ? headers() : headers),
  });

  return {
    fixed() {
      if (typeof apiKey === 'function' || typeof headers === 'function') return undefined;
      const [key, ...others] = staticKeysOf({ apiKey });
      return others.length > 0 ? undefined : toHeaders(key);
    },

    use(turn, send) {
      const tried = new Set<string>();
      let key: string | undefined;
      const sendWithKey = async () => {
        key = undefined;
        key = await ring.take(turn, tried);
        return send(toHeaders(key));
      };
      return repeat(sendWithKey, error => {
        if (key === undefined || !ring.refuse(key, error, tried)) return undefined;
        tried.add(key);
        return 0;
      });
    },
  };
}

const keyOfEnvironment = (): string | undefined =>
  loadOptionalSetting({ settingValue: undefined, environmentVariableName: 'OPENAI_API_KEY' });

/** Returns the API keys of settings, those of the environment included. A function is not called. */
export const staticKeysOf = (settings: Pick<KelivoResponsesSettings, 'apiKey'>): readonly string[] =>
  typeof settings.apiKey === 'function' ? [] : toKeys(settings.apiKey ?? keyOfEnvironment());

/** Azure expects keys in the `api-key` header, and Microsoft Entra tokens (JSON Web Tokens) in `authorization`. */
function toKeyHeader(key: string, api: KelivoResponsesSettings['api']): Record<string, string> {
  const isToken = /^eyJ[\w-]*\.[\w-]+\./.test(key);
  return api === 'azure' && !isToken ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Converts header names to lower case, so that two spellings of a name are not both sent. */
const toLowerCase = (headers: Record<string, string | undefined> = {}): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
