import type { FetchFunction } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';

/** Which proxy is asked, and how. */
export interface CorsProxyOptions {
  /**
   * Address of a proxy of your own. `{url}` in it stands for the address that is asked for, encoded; without it that
   * address is put at the end, as it is: `https://proxy.example.com/?url={url}` or `https://proxy.example.com/`.
   */
  proxyUrl: string;
  /** The `fetch` that asks the proxy. @default the global `fetch` */
  fetch?: FetchFunction;
}

/**
 * A `fetch` for web pages, where a server that sends no CORS headers cannot be asked: it asks a proxy instead, which
 * passes method, headers and body on and answers as the server did, streams as streams. The proxy sees every key and
 * every message, so it must be your own.
 *
 * @example
 * ```ts
 * const fetch = createCorsProxyFetch({ proxyUrl: 'https://proxy.example.com/?url={url}' });
 * const provider = createKelivoResponsesProvider({ baseURL, apiKey, fetch });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` without an address.
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
    const ask = fetch ?? globalThis.fetch;
    if (!(input instanceof Request)) return ask(toProxied(String(input)), init);
    return ask(new Request(toProxied(input.url), input), init);
  };
}
