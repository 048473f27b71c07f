import dns from 'node:dns';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { createMCPClient } from '@ai-sdk/mcp';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AddressGate,
  createGatedFetch,
  networkOf,
  RefusedAddressError,
  toShownAddress,
} from '../../../src/tools/mcp/auth/addresses.js';
import { authorizationOf, createAuthorizedFetch } from '../../../src/tools/mcp/auth/server-authorization.js';

const server = new URL('https://tools.example.com/mcp');

/** Hosts that a public server must not name, in all spellings that a URL accepts. */
const INTERNAL = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '0xa000001',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '3232235777',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:c0a8:101::1]',
  '[2001:0:1::1]',
  '[2001:db8::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[2606:4700::5efe:7f00:1]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  '１２７.0.0.1',
  'printer.local',
  'metadata.google.internal',
  'intranet',
  'nas.lan',
] as const;

const PUBLIC = [
  'auth.example.com',
  '8.8.8.8',
  '172.32.0.1',
  '[2606:4700::1111]',
  '[64:ff9b::808:808]',
  '1.1.1.1',
];

const publicNames = async () => ['93.184.216.34'];

describe('an address that a server names', () => {
  const gate = new AddressGate(server, publicNames);

  it.each(INTERNAL)('is refused: %s', async host => {
    await expect(gate.checkRequest(`https://${host}/`)).rejects.toBeInstanceOf(RefusedAddressError);
  });

  it.each(PUBLIC)('is requested: %s', async host => {
    expect((await gate.checkRequest(`https://${host}/`)).hostname).toBe(new URL(`https://${host}`).hostname);
  });

  it.each([
    'http://auth.example.com/',
    'data:text/plain,x',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@auth.example.com/',
    'https://tools.example.com:pass@auth.example.com/',
    'no address',
  ])('is refused without https, and with a user name: %s', address => {
    expect(() => gate.check(address)).toThrow(RefusedAddressError);
  });

  it.each([
    ['http://127.0.0.1:3000/mcp', 'http://localhost:9000/', true],
    ['http://localhost:3000/mcp', 'http://[::1]:9000/', true],
    ['http://127.0.0.1:3000/mcp', 'https://auth.example.com/', true],
    ['http://127.0.0.1:3000/mcp', 'http://auth.example.com/', false],
    ['http://127.0.0.1:3000/mcp', 'http://192.168.1.1/', false],
    ['http://192.168.1.5/mcp', 'http://192.168.1.5/auth', true],
    ['http://192.168.1.5/mcp', 'https://192.168.1.6/auth', true],
    ['http://192.168.1.5/mcp', 'http://192.168.1.6/auth', false],
    ['http://192.168.1.5/mcp', 'https://10.0.0.1/', false],
    ['http://192.168.1.5/mcp', 'http://127.0.0.1/', false],
    ['https://mcp.corp/mcp', 'https://login.corp/', true],
    ['https://169.254.1.1/mcp', 'https://169.254.169.254/', false],
  ])('is in the network of the configured server %s: %s (%s)', (configured, address, isAllowed) => {
    const own = new AddressGate(new URL(configured), undefined);
    const check = () => own.check(address).href;
    if (isAllowed) expect(check()).toBe(new URL(address).href);
    else expect(check).toThrow(RefusedAddressError);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['93.184.216.34', '10.0.0.1'],
    ['::ffff:169.254.169.254'],
    ['fe80::1%eth0'],
  ])('is refused if its name resolves to %s', async (...addresses) => {
    const resolving = new AddressGate(server, async () => addresses);
    await expect(resolving.checkRequest('https://rebind.example.com/')).rejects.toThrow('not public');
  });

  it('is resolved before each request, so that a name which changes is refused from then on', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const rebinding = new AddressGate(server, async () => answers.shift() ?? ['127.0.0.1']);
    const requested: string[] = [];
    const gated = createGatedFetch(async url => {
      requested.push(String(url));
      return new Response('{}');
    }, rebinding);
    await gated('https://rebind.example.com/a');
    await expect(gated('https://rebind.example.com/b')).rejects.toThrow('not public');
    expect(requested).toEqual(['https://rebind.example.com/a']);
  });
});

/** Hosts that a header can contain. */
const IN_HEADERS = INTERNAL.filter(host => /^[ -~]*$/.test(host));

describe('a redirect', () => {
  const redirecting =
    (requested: [string, Headers][], ...locations: string[]) =>
    async (url: string | URL, init?: RequestInit) => {
      requested.push([String(url), new Headers(init?.headers)]);
      expect(init?.redirect).toBe('manual');
      const location = locations.shift();
      return location === undefined
        ? new Response('{}')
        : new Response(null, { status: 302, headers: { location } });
    };

  it.each(IN_HEADERS)('to %s is refused at every hop', async host => {
    for (const before of [[], ['https://other.example.com/'], ['https://a.example.com/', '/b']]) {
      const requested: [string, Headers][] = [];
      const gated = createGatedFetch(
        redirecting(requested, ...before, `https://${host}/`),
        new AddressGate(server, publicNames),
      );
      await expect(gated(server)).rejects.toBeInstanceOf(RefusedAddressError);
      expect(requested).toHaveLength(before.length + 1);
    }
  });

  it('to another origin loses all credentials, and not within its origin', async () => {
    const requested: [string, Headers][] = [];
    const gated = createGatedFetch(
      redirecting(requested, '/other', 'https://other.example.com/'),
      new AddressGate(server, publicNames),
    );
    await gated(server, {
      headers: {
        authorization: 'Bearer a',
        'x-api-key': 'b',
        cookie: 'c',
        'mcp-session-id': 'd',
        accept: 'e',
      },
    });
    expect(requested.map(([url]) => url)).toEqual([
      'https://tools.example.com/mcp',
      'https://tools.example.com/other',
      'https://other.example.com/',
    ]);
    expect(requested[1]?.[1].get('authorization')).toBe('Bearer a');
    expect([...(requested[2]?.[1] ?? [])]).toEqual([['accept', 'e']]);
  });

  it('ends after five hops', async () => {
    const gated = createGatedFetch(
      redirecting([], ...Array.from({ length: 9 }, (_, index) => `/${index}`)),
      new AddressGate(server, publicNames),
    );
    await expect(gated(server)).rejects.toThrow('too often');
  });

  it('that a custom `fetch` follows is refused by its last address', async () => {
    const response = Object.defineProperties(new Response('{}'), {
      redirected: { value: true },
      url: { value: 'http://127.0.0.1/' },
    });
    await expect(createGatedFetch(async () => response, new AddressGate(server))(server)).rejects.toThrow();
  });
});

/** The places in which a server names an address. */
const PLACES = [
  'resource_metadata',
  'authorization_servers',
  'token_endpoint',
  'registration_endpoint',
] as const;

/** A server and an authorization server, one of whose texts names an address. Returns the requested origins. */
function hostile(place: (typeof PLACES)[number], address: string) {
  const requested = new Set<string>();
  const auth = place === 'authorization_servers' ? address : 'https://auth.example.com';
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    requested.add(url.hostname);
    if (url.pathname === '/mcp')
      return new Response(null, {
        status: 401,
        headers: {
          'www-authenticate': `Bearer${place === 'resource_metadata' ? ` resource_metadata="${address}/x"` : ''}`,
        },
      });
    if (url.pathname.includes('oauth-protected-resource') || url.pathname === '/x')
      return Response.json({ resource: server.href, authorization_servers: [auth] });
    if (url.pathname.includes('.well-known'))
      return Response.json({
        issuer: auth,
        authorization_endpoint: `${auth}/authorize`,
        token_endpoint: place === 'token_endpoint' ? `${address}/token` : `${auth}/token`,
        registration_endpoint: place === 'registration_endpoint' ? `${address}/register` : `${auth}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    return Response.json({ client_id: 'me', redirect_uris: ['https://app.example.com/'] }, { status: 201 });
  };
  return { requested, fetch };
}

const createProvider = (): OAuthClientProvider & { opened: string[] } => {
  const opened: string[] = [];
  return {
    opened,
    redirectUrl: 'https://app.example.com/',
    clientMetadata: { redirect_uris: ['https://app.example.com/'] },
    clientInformation: () => undefined,
    saveClientInformation: () => {},
    tokens: () => ({ access_token: 'old', refresh_token: 'old', token_type: 'Bearer' }),
    saveTokens: () => {},
    redirectToAuthorization: url => void opened.push(url.href),
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
  };
};

describe.each(PLACES)('an internal address in %s', place => {
  // Without a network, a resolver takes seconds to say that it does not know a name.
  beforeEach(() => {
    const lookup = vi.spyOn(dns.promises, 'lookup');
    lookup.mockImplementation((async () => [{ address: '93.184.215.14', family: 4 }]) as never);
    return () => lookup.mockRestore();
  });

  it('is never requested, as with the client of the AI SDK', async () => {
    const reached = { ours: [] as string[], theirs: [] as string[] };
    const attack = async (host: string): Promise<void> => {
      const { hostname } = new URL(`https://${host}`);
      const own = hostile(place, `https://${host}`);
      const authProvider = createProvider();
      const config = { url: server.href, authProvider };
      await createAuthorizedFetch(config, own.fetch)(server, { method: 'POST', body: '{}' });
      if (own.requested.has(hostname) || authProvider.opened.some(url => new URL(url).hostname === hostname))
        reached.ours.push(host);
      expect(authorizationOf(config)?.problem ?? '').not.toContain(hostname);
      const other = hostile(place, `https://${host}`);
      const transport = {
        type: 'http' as const,
        url: server.href,
        authProvider: createProvider(),
        fetch: other.fetch,
      };
      await createMCPClient({ transport: transport as never }).catch(() => {});
      if (other.requested.has(hostname)) reached.theirs.push(host);
    };
    await Promise.all(IN_HEADERS.map(attack));
    expect(reached.ours).toEqual([]);
    // The comparison is reported, and not required.
    console.info(
      `${place}: ${IN_HEADERS.length} forms, reached by this package 0, by @ai-sdk/mcp ${reached.theirs.length}`,
    );
  });

  it('is requested if it is public and of another origin, except for metadata of the resource', async () => {
    const { requested, fetch } = hostile(place, 'https://login.example.org');
    await createAuthorizedFetch({ url: server.href, authProvider: createProvider() }, fetch)(server, {
      method: 'POST',
      body: '{}',
    });
    if (place !== 'token_endpoint')
      expect(requested.has('login.example.org')).toBe(place !== 'resource_metadata');
  });
});

describe('an address for people', () => {
  it.each([
    ['https://bank.example\\@evil.example/', 'https://bank.example/@evil.example/'],
    ['https://bank.example/?a=`id`&b=$(id)', 'https://bank.example/?a=%60id%60&b=%24%28id%29'],
    [`https://bank.example/"'<x>`, 'https://bank.example/%22%27%3Cx%3E'],
    ['https://bank.example/a\nb\tc', 'https://bank.example/abc'],
    ['https://BANK.example:443/;|^', 'https://bank.example/%3B%7C%5E'],
    ['http://localhost:3000/pay', 'http://localhost:3000/pay'],
  ])('is handed out in its serialised form: %j', (given, shown) => {
    expect(toShownAddress(given).href).toBe(shown);
  });

  it.each([
    'http://bank.example/',
    'https://bank.example@evil.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ms-settings:x',
    'calc.exe',
  ])('is refused: %s', address => {
    expect(() => toShownAddress(address)).toThrow(RefusedAddressError);
  });

  it('reads numbers as addresses', () => {
    expect(networkOf(new URL('http://0x7f.1').hostname)).toBe('loopback');
  });
});
