import type { APICallError } from '@ai-sdk/provider';
import { type FetchFunction, loadOptionalSetting } from '@ai-sdk/provider-utils';
import { createCallError, type ErrorContext, toErrorText } from './api-error.js';
import { redactHeaderValues } from '../redaction/redaction.js';

/* The headers of a request, the origins to which it may be sent, and the failures of its connection. */

/** Headers of a request. An undefined value removes a header. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Merges headers. Names are compared in lower case, because hosts differ in it; the last value of a name wins. */
export function mergeHeaders(sets: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const byName = new Map<string, string>();
  for (const headers of sets) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value === undefined) byName.delete(name.toLowerCase());
      else byName.set(name.toLowerCase(), value);
    }
  }
  return Object.fromEntries(byName);
}

/** Adds the beta features that a request uses to those that the caller enables. */
export function withBetas(
  sets: readonly (RequestHeaders | undefined)[],
  betas: readonly string[],
): readonly (RequestHeaders | undefined)[] {
  if (betas.length === 0) return sets;
  const { 'openai-beta': enabled } = mergeHeaders(sets);
  return [...sets, { 'openai-beta': [...(enabled === undefined ? [] : [enabled]), ...betas].join(', ') }];
}

/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** RFC 9110, 5.5; `fetch` removes white space and line breaks from both ends. */
const HEADER_VALUE = /^[\t\r\n ]*[\t\x20-\x7e\x80-\xff]*[\t\r\n ]*$/;

/**
 * Rejects headers that cannot be sent, such as a key with typographic quotes.
 *
 * @throws APICallError, not retryable, that contains the name of the header but not its value.
 */
export function validateHeaders(headers: Readonly<Record<string, string>>, context: ErrorContext): void {
  for (const [name, value] of Object.entries(headers)) {
    const isName = HEADER_NAME.test(name);
    if (isName && HEADER_VALUE.test(value)) continue;
    const shownName = toErrorText(context.redact(JSON.stringify(name)));
    throw createCallError(
      'invalidRequest',
      context,
      isName
        ? `Expected the header ${shownName} to be one line of Latin-1 characters, got another character in its value. ` +
            'Check `apiKey` and `headers` for line breaks and typographic quotes.'
        : `Expected the name of a header, got ${shownName}. Check \`headers\`.`,
    );
  }
}

const MAX_REDIRECTS = 5;

/** Excludes 303, which redirects to a GET request for another URL: no server of the Responses API sends it. */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Sends a request and repeats it for a redirect to the same origin. A redirect to another origin fails: `fetch`
 * would send the body and every header except `Authorization` there, for example `api-key`. A custom `fetch` that
 * ignores `redirect` follows redirects in its own way.
 */
export async function fetchWithinOrigin(
  url: string,
  { fetch, context, ...init }: RequestInit & { fetch: FetchFunction; context: ErrorContext },
): Promise<Response> {
  let address = url;
  for (let followed = 0; ; followed++) {
    const response = await fetch(address, { ...init, redirect: 'manual' });
    if (response.type === 'opaqueredirect') throw toError(response, 'that the browser hides');
    const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    response.body?.cancel().catch(() => {});
    if (!URL.canParse(location, address)) throw toError(response, 'without a valid address');
    const target = new URL(location, address);
    // The query may contain a secret.
    const place = `to ${target.origin}${target.pathname}`;
    if (target.origin !== new URL(address).origin)
      throw toError(response, `${place}, another origin, where no key is sent`);
    if (followed === MAX_REDIRECTS) throw toError(response, `${place} after ${MAX_REDIRECTS} others`);
    address = target.href;
  }

  function toError(response: Response, target: string): APICallError {
    const responseHeaders = redactHeaderValues(response.headers, context.redact);
    return createCallError(
      'refusedRedirect',
      { ...context, responseHeaders, statusCode: response.status || undefined },
      `Expected a response from ${context.url}, got a redirect ${toErrorText(context.redact(target))}. ` +
        'If that is the right server, set `baseURL` to it.',
    );
  }
}

/** Causes of failed connections with one usual next step. `final` ones fail each time. The codes are those of OpenSSL. */
const CONNECTION_RULES: readonly (readonly [cause: RegExp, hint: string, final?: 'final'])[] = [
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate (?:has expired|is not yet valid)/i,
    'Renew the certificate of the server, or correct the clock of this machine.',
    'final',
  ],
  [
    /ALTNAME_INVALID|HOSTNAME_MISMATCH/,
    'The certificate belongs to another host. Set `baseURL` to a name that the certificate contains.',
    'final',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA|(?:self.signed|unknown|untrusted).{0,200}certificate|certificate.{0,200}(?:verif|trust|issuer)/i,
    'This process does not trust the certificate. Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, or start Node with --use-system-ca.',
    'final',
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number/i,
    'The server does not use TLS on this port. Start `baseURL` with http://.',
    'final',
  ],
  // `fetch` of Chromium, Firefox and Safari gives no reason.
  [
    /^(?:Failed to fetch|NetworkError when attempting|Load failed)/,
    'Check `baseURL` and the network. In a browser, the server may send no CORS headers; `createCorsProxyFetch` sends requests through a proxy.',
  ],
];

/** Returns the cause of a failed connection, the next step, and if the connection fails each time. */
export function explainConnection(error: unknown): { cause: string; hint: string; isFinal: boolean } {
  const cause = describeCause(error);
  const [, hint, final] = CONNECTION_RULES.find(([text]) => text.test(cause)) ?? [];
  if (hint !== undefined) return { cause, hint, isFinal: final !== undefined };
  const proxy = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'].find(isSet);
  const note = `${proxy} is set; Node uses it only with NODE_USE_ENV_PROXY=1, or through a \`fetch\` of its own.`;
  const isUnused = proxy !== undefined && !isSet('NODE_USE_ENV_PROXY');
  return { cause, hint: `Check \`baseURL\` and the network.${isUnused ? ` ${note}` : ''}`, isFinal: false };
}

const isSet = (environmentVariableName: string): boolean =>
  (loadOptionalSetting({ settingValue: undefined, environmentVariableName }) ?? '') !== '';

/** Describes an error by its cause: the message `fetch failed` contains no information. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  // OpenSSL: `<thread>:error:<number>:<library>:<function>:<reason>:<file>:<line>:`
  const reason = cause.message.trim().replace(/^\w+:error:\w+:[^:]*:[^:]*:([^:]*):.*$/s, '$1');
  // Node 22 and later add what the hint says, too.
  const message = reason.split('; if the root CA is installed locally')[0] ?? reason;
  return (message.includes(code) ? message : `${code} ${message}`).trim() || cause.name;
}
