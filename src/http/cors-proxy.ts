import type { FetchFunction } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';

/** Options of `createCorsProxyFetch`. */
export interface CorsProxyOptions {
  /**
   * Address of your proxy. `{url}` is replaced by the encoded target address. Without it the target address is appended
   * unchanged: `https://proxy.example.com/?url={url}` or `https://proxy.example.com/`.
   */
  proxyUrl: string;
  /** The `fetch` that calls the proxy. @default the global `fetch` */
  fetch?: FetchFunction;
}

/**
 * Creates a `fetch` for web pages, which cannot call a server without CORS headers. It calls a proxy, which forwards
 * method, headers and body and returns the response of the server, including streams. The proxy sees every key and
 * every message, so use your own.
 *
 * @example
 * ```ts
 * const fetch = createCorsProxyFetch({ proxyUrl: 'https://proxy.example.com/?url={url}' });
 * const provider = createKelivoResponsesProvider({ baseURL, apiKey, fetch });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` if `proxyUrl` is empty.
 */
export function createCorsProxyFetch({ proxyUrl, fetch }: CorsProxyOptions): FetchFunction {
  if (typeof proxyUrl !== 'string' || proxyUrl === '') {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected \`proxyUrl\` to be an address, such as "https://proxy.example.com/?url={url}", got ${proxyUrl === '' ? 'nothing' : typeof proxyUrl}.`,
    });
  }
  const toProxied = (url: string): string =>
    proxyUrl.includes('{url}') ? proxyUrl.replaceAll('{url}', () => encodeURIComponent(url)) : proxyUrl + url;

  return (input, init) => {
    const send = fetch ?? globalThis.fetch;
    if (!(input instanceof Request)) return send(toProxied(String(input)), init);
    return send(new Request(toProxied(input.url), input), init);
  };
}
