import type { FetchFunction } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';

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
export function createCorsProxyFetch(proxyUrl: string): FetchFunction {
  if (typeof proxyUrl !== 'string' || proxyUrl === '') {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected \`proxyUrl\` to be an address, such as "https://proxy.example.com/?url={url}", got ${proxyUrl === '' ? 'nothing' : typeof proxyUrl}.`,
    });
  }
  const toProxied = (url: string): string =>
    proxyUrl.includes('{url}') ? proxyUrl.replaceAll('{url}', () => encodeURIComponent(url)) : proxyUrl + url;

  return (input, init) => {
    if (!(input instanceof Request)) return globalThis.fetch(toProxied(String(input)), init);
    return globalThis.fetch(new Request(toProxied(input.url), input), init);
  };
}
