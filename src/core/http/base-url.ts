import { KelivoError } from '../shared/errors.js';
import type { FetchFunction } from '@ai-sdk/provider-utils';

/** The style of the API root of a service. */
export type ApiStyle = 'openai' | 'azure' | 'google' | 'open-responses';

/** API roots that have no version segment, by host. */
const VERSIONLESS_HOSTS: readonly RegExp[] = [
  /(^|\.)githubcopilot\.com$/, // GitHub Copilot: https://api.githubcopilot.com/responses
  /^chatgpt\.com$/, // Codex backend: https://chatgpt.com/backend-api/codex/responses
];

/** Endpoints that users paste instead of the API root. */
const PASTED_ENDPOINT = /\/(responses|chat\/completions|completions|embeddings|models)$/;

const VERSION_SEGMENT = /^v\d+\w*$/;

/**
 * Normalizes the root of an API: removes trailing slashes and a pasted endpoint, and adds a version segment. If an
 * endpoint was pasted, its root is used unchanged. A query string is kept.
 *
 * `openai` ends in `/v1`, `google` in `/v1beta`, `azure` in `/openai/v1` (or `/openai` for a dated API version).
 *
 * @throws KelivoError with code `invalid-settings` if `baseURL` is not an absolute http(s) URL.
 */
export function toApiRoot(
  baseURL: string,
  { api = 'openai', query = {} }: { api?: ApiStyle; query?: Readonly<Record<string, string>> } = {},
): URL {
  const url = parse(baseURL);
  const path = url.pathname.replace(/\/+/g, '/').replace(/\/$/, '');
  const root = path.replace(PASTED_ENDPOINT, '');
  const isPasted = root !== path;
  const segments = withoutDoubledVersion(root.split('/').filter(Boolean));
  url.pathname = (api === 'azure' ? toAzure(segments) : withVersion(segments)).join('/');
  url.hash = '';
  return url;

  function withVersion(given: string[]): string[] {
    const isComplete =
      isPasted ||
      given.some(segment => VERSION_SEGMENT.test(segment)) ||
      VERSIONLESS_HOSTS.some(host => host.test(url.hostname));
    return isComplete ? given : [...given, api === 'google' ? 'v1beta' : 'v1'];
  }

  /** Keeps the path of a gateway before `/openai` and replaces the path after it. */
  function toAzure(given: string[]): string[] {
    const at = given.indexOf('openai');
    const prefix = at < 0 ? given : given.slice(0, at);
    if (at < 0 && given.some(segment => VERSION_SEGMENT.test(segment))) return given;
    const version = query['api-version'] ?? url.searchParams.get('api-version') ?? '';
    const isDated = /^\d{4}-\d{2}-\d{2}/.test(version);
    // `…/openai/deployments/<name>` is the root of chat completions: Responses has no deployment in its path.
    return [...prefix, 'openai', ...(isDated ? [] : ['v1'])];
  }
}

/** Removes a repeated version (`…/v1/v1`), which two parts of a configuration added. */
function withoutDoubledVersion(segments: string[]): string[] {
  const isDoubled = (segment: string, index: number): boolean =>
    VERSION_SEGMENT.test(segment) && segment === segments[index - 1];
  return segments.filter((segment, index) => !isDoubled(segment, index));
}

function parse(baseURL: string): URL {
  const text = baseURL.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected \`baseURL\` without a user name and password, got some before "${url.host}". Pass \`apiKey\` or \`headers\` instead.`,
    });
  }
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  // The query may contain a key, and the user information a password.
  const shown = text.replace(/\?.*/s, '').replace(/(?<![^/])[^/]*@/, '');
  const address = shown.replace(/^\/+/, '');
  // Local servers rarely have a certificate.
  const guess = `${/^(localhost|[\d.]+)([:/]|$)/.test(address) ? 'http' : 'https'}://${address}`;
  const isHost = /^\/*([\w-]+\.[\w.-]+|localhost)([:/]|$)/.test(text);
  const hint = isHost && URL.canParse(guess) ? ` Did you mean "${guess}"?` : '';
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\` to be an absolute http(s) URL such as "https://api.openai.com/v1", got "${shown}".${hint}`,
  });
}

/** Options of `createCorsProxyFetch`. */
export interface CorsProxyOptions {
  /** Sends the requests to the proxy, for applications with a `fetch` of their own. @default the global `fetch` */
  readonly fetch?: FetchFunction;
}

/**
 * Creates a `fetch` for web pages, which cannot call a server without CORS headers. It calls a proxy, which forwards
 * method, headers and body and returns the response of the server, including streams. The proxy sees every key and
 * every message, so use your own.
 *
 * @param proxyUrl Address of your proxy. `{url}` is replaced by the encoded target address. Without it the target address is
 *   appended unchanged: `https://proxy.example.com/?url={url}` or `https://proxy.example.com/`.
 *
 * @example
 * ```ts
 * const fetch = createCorsProxyFetch('https://proxy.example.com/?url={url}');
 * const provider = createKelivoResponsesProvider({ baseURL, apiKey, fetch });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` if `proxyUrl` is empty.
 */
export function createCorsProxyFetch(
  proxyUrl: string,
  { fetch = (input, init) => globalThis.fetch(input, init) }: CorsProxyOptions = {},
): FetchFunction {
  if (typeof proxyUrl !== 'string' || proxyUrl === '') {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected \`proxyUrl\` to be an address, such as "https://proxy.example.com/?url={url}", got ${proxyUrl === '' ? 'nothing' : typeof proxyUrl}.`,
    });
  }
  const toProxied = (url: string): string =>
    proxyUrl.includes('{url}') ? proxyUrl.replaceAll('{url}', () => encodeURIComponent(url)) : proxyUrl + url;

  return (input, init) => {
    if (!(input instanceof Request)) return fetch(toProxied(String(input)), init);
    return fetch(new Request(toProxied(input.url), input), init);
  };
}
