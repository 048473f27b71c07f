import type { FetchLike } from '@modelcontextprotocol/client';

/*
 * Addresses that the text of a server names: metadata, endpoints of authorization servers, redirects, and pages for people. A
 * server may name an internal address to reach it from the inside, so that each of them passes this gate before its request.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices
 */

/** An address that is not opened. The message contains no text of a server. */
export class RefusedAddressError extends Error {}

/** The network of a host: `public`, or a network that only its own members may name. */
type Network = string;

/** Ranges of IPv4 that are not public, by their first address and the length of their prefix. */
const IPV4_NETWORKS: readonly (readonly [first: string, bits: number, network: Network])[] = [
  ['127.0.0.0', 8, 'loopback'],
  ['0.0.0.0', 8, 'none'],
  ['10.0.0.0', 8, 'private 10'],
  ['172.16.0.0', 12, 'private 172'],
  ['192.168.0.0', 16, 'private 192'],
  ['100.64.0.0', 10, 'shared'],
  ['169.254.0.0', 16, 'none'],
  ['192.0.0.0', 24, 'none'],
  ['192.0.2.0', 24, 'none'],
  ['192.88.99.0', 24, 'none'],
  ['198.18.0.0', 15, 'none'],
  ['198.51.100.0', 24, 'none'],
  ['203.0.113.0', 24, 'none'],
  ['224.0.0.0', 3, 'none'], // multicast, reserved, broadcast
];

/** Ranges of IPv6 that are not public, by their first groups. */
const IPV6_NETWORKS: readonly (readonly [first: readonly number[], bits: number, network: Network])[] = [
  [[0xfc00], 7, 'private fc00'],
  [[0xfe80], 9, 'none'], // link-local and site-local
  [[0xff00], 8, 'none'],
  [[0x100], 64, 'none'], // discard
  [[0x2001, 0], 23, 'none'], // Teredo, ORCHID, benchmarks and other special purposes
  [[0x2001, 0xdb8], 32, 'none'],
  [[0x3fff, 0], 20, 'none'],
  [[0x5f00], 16, 'none'],
];

/** Domains without a public meaning. */
const LOCAL_DOMAINS = /(?:^|\.)(?:local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/** Returns the network of a host name or address, as a parsed URL has it. @internal */
export function networkOf(hostname: string): Network {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return ofIpv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return ofIpv4(host.split('.').map(Number));
  if (/(?:^|\.)localhost$/.test(host)) return 'loopback';
  return LOCAL_DOMAINS.test(host) || !host.includes('.') ? 'local names' : 'public';
}

const toNumber = (bytes: readonly number[]): number => bytes.reduce((value, byte) => value * 256 + byte, 0);

function ofIpv4(bytes: readonly number[]): Network {
  const address = toNumber(bytes);
  const found = IPV4_NETWORKS.find(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(toNumber(first.split('.').map(Number)) / size);
  });
  return found?.[2] ?? 'public';
}

function ofIpv6(address: string): Network {
  const groups = toGroups(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const embedded = ofIpv4([g >> 8, g & 255, h >> 8, h & 255]);
  if (groups.length !== 8) return 'none';
  const isZero = (...values: number[]): boolean => values.every(value => value === 0);
  if (isZero(a, b, c, d, e, f, g) && h === 1) return 'loopback';
  // Mapped, translated and compatible addresses, and those behind NAT64 (RFC 6052, RFC 8215).
  if (isZero(a, b, c, d) && ((e === 0xffff && f === 0) || (e === 0 && (f === 0xffff || f === 0))))
    return embedded;
  if (a === 0x64 && b === 0xff9b) return isZero(c, d, e, f) ? embedded : 'none';
  // 6to4 and ISATAP.
  if (a === 0x2002) return ofIpv4([b >> 8, b & 255, c >> 8, c & 255]);
  if (f === 0x5efe && (e & 0xfcff) === 0) return embedded;
  const found = IPV6_NETWORKS.find(([[first = 0, second = 0], bits]) => {
    const size = 2 ** (32 - Math.min(bits, 32));
    return (
      Math.floor((a * 65536 + b) / size) === Math.floor((first * 65536 + second) / size) &&
      (bits <= 32 || isZero(c, d))
    );
  });
  return found?.[2] ?? 'public';
}

/** Returns the groups of an IPv6 address in the form of a parsed URL, or of `dns.lookup`. */
function toGroups(address: string): number[] {
  const [plain = ''] = address.split('%');
  const dotted = plain.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = dotted.split('::');
  const read = (text: string): number[] => (text === '' ? [] : text.split(':').map(one => parseInt(one, 16)));
  const [before, after] = [read(head), read(tail ?? '')];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

/** Resolves a name to its addresses. Undefined in runtimes without it. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

interface Dns {
  readonly promises: {
    lookup(name: string, options: { all: true }): Promise<readonly { readonly address: string }[]>;
  };
}

const dns = (
  globalThis as { process?: { getBuiltinModule?(name: string): Dns | undefined } }
).process?.getBuiltinModule?.('node:dns');

const systemResolve: ResolveName | undefined =
  dns && (async name => (await dns.promises.lookup(name, { all: true })).map(entry => entry.address));

/** Decides which addresses the text of one configured server may name. */
export class AddressGate {
  readonly #origin: string;
  readonly #network: Network;
  readonly #resolve: ResolveName | undefined;

  /** @param resolve Resolves names. @default that of Node.js 20.16 and later */
  constructor(server: URL, resolve: ResolveName | undefined = systemResolve) {
    this.#origin = server.origin;
    this.#network = networkOf(server.hostname);
    this.#resolve = resolve;
  }

  /** @throws RefusedAddressError for an address that the server must not name, without resolving a name. */
  check(address: string | URL): URL {
    if (!URL.canParse(String(address))) throw new RefusedAddressError('It names no valid address.');
    const url = new URL(address);
    if (url.username !== '' || url.password !== '')
      throw new RefusedAddressError('It names an address with a user name.');
    if (url.origin === this.#origin) return url;
    const network = networkOf(url.hostname);
    const isLocal = network === 'loopback' && this.#network === 'loopback';
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
      throw new RefusedAddressError('It names an address without https.');
    this.#checkNetwork(network);
    return url;
  }

  /** Checks an address before its request, with the addresses of its name. */
  async checkRequest(address: string | URL): Promise<URL> {
    const url = this.check(address);
    if (url.origin === this.#origin || this.#resolve === undefined || networkOf(url.hostname) !== 'public')
      return url;
    if (/^[\d.]+$|^\[/.test(url.hostname)) return url;
    // A name that cannot be resolved here may be resolved by a proxy.
    const addresses = await this.#resolve(url.hostname.replace(/\.$/, '')).catch(() => []);
    for (const one of addresses) this.#checkNetwork(networkOf(one.includes(':') ? `[${one}]` : one));
    return url;
  }

  #checkNetwork(network: Network): void {
    if (network !== 'public' && (network === 'none' || network !== this.#network))
      throw new RefusedAddressError('It names an address that is not public.');
  }
}

/** Maximum number of redirects of one request. */
const MAX_REDIRECTS = 5;

/** Headers that a request to another origin keeps after a redirect. */
const NEUTRAL_HEADERS = /^(?:accept|accept-language|content-type|mcp-protocol-version|mcp-method|mcp-name)$/;

/**
 * Returns a `fetch` whose requests and redirects pass a gate. A redirect to another origin loses all headers that could be
 * credentials. A response of a `fetch` that follows redirects itself is refused if its address is.
 */
export function createGatedFetch(fetch: FetchLike, gate: AddressGate): FetchLike {
  return async (first, init = {}) => {
    let url = await gate.checkRequest(first);
    let request: RequestInit = { ...init, redirect: 'manual' };
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(url, request);
      if (response.redirected && response.url !== '') gate.check(response.url);
      if (response.type === 'opaqueredirect')
        throw new RefusedAddressError('It redirects to an address that the browser hides.');
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS || !URL.canParse(location, url.href))
        throw new RefusedAddressError('It redirects too often, or to no valid address.');
      const next = await gate.checkRequest(new URL(location, url));
      request = toRedirected(request, response.status, next.origin === url.origin);
      url = next;
    }
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns the request after a redirect. Only 307 and 308 keep its method and body, and a body stays at its origin. */
function toRedirected(request: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const { method = 'GET', body, ...rest } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isSameOrigin && !isRead && (status === 307 || status === 308))
    throw new RefusedAddressError('It redirects a request with contents to another origin.');
  const headers = [...new Headers(request.headers)].filter(
    ([name]) => isSameOrigin || NEUTRAL_HEADERS.test(name),
  );
  if (isRead || status === 307 || status === 308) return { ...rest, method, body: body ?? null, headers };
  return { ...rest, method: 'GET', headers: headers.filter(([name]) => name !== 'content-type') };
}

/**
 * Returns an address for people in its serialised form, in which neither a shell nor a quotation can be broken. Pages of
 * the own computer may have http.
 *
 * @throws RefusedAddressError for other schemes and for a user name, which hides the host.
 */
export function toShownAddress(address: string | URL): URL {
  if (!URL.canParse(String(address))) throw new RefusedAddressError('It names no valid address.');
  const url = new URL(address);
  const isLocal = url.protocol === 'http:' && networkOf(url.hostname) === 'loopback';
  if ((url.protocol !== 'https:' && !isLocal) || url.username !== '' || url.password !== '')
    throw new RefusedAddressError('It names a page without https, or with a user name.');
  const escaped = url.href.replaceAll(/['"`$()<>\\^{|};\s]/g, character =>
    [...new TextEncoder().encode(character)]
      .map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
  return new URL(escaped);
}
