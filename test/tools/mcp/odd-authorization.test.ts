import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createOAuthProvider } from '../../../src/tools/mcp/index.js';
import { redirectUrl } from './_authorization-server.js';
import { call, openTools } from './_fixture-server.js';
import { toPlainAnswer } from './_odd-server.js';
import { listenOnFreePort } from './_free-port-server.js';

type Document = Readonly<Record<string, unknown>>;

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
}

/** Changes the document of an address, or replaces the whole response. */
type Change = (document: Document) => Document | Reply;

const PATHS = {
  resource: '/.well-known/oauth-protected-resource/mcp',
  metadata: '/.well-known/oauth-authorization-server',
  registration: '/register',
  tokens: '/token',
};

const add =
  (members: Document): Change =>
  document => ({ ...document, ...members });

const without =
  (...names: string[]): Change =>
  document =>
    Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

const reply =
  (given: Reply): Change =>
  () => ({ status: 200, ...given });

const page = reply({ body: '<html></html>', type: 'text/html' });
const nothing = reply({ status: 204 });

/** Changes that servers make to the documents of a sign-in. Each document still has one meaning. */
const ODDITIES: readonly [what: string, where: keyof typeof PATHS, change: Change][] = [
  ['nothing odd', 'tokens', document => document],
  ...[400, 403, 404, 405, 500].map((status): [string, 'resource', Change] => [
    `the status ${status}`,
    'resource',
    reply({ status }),
  ]),
  ['no content', 'resource', nothing],
  ['a page', 'resource', page],
  ['empty members', 'resource', add({ scopes_supported: null, jwks_uri: '' })],
  ['no resource', 'resource', ({ authorization_servers }) => ({ authorization_servers })],
  ['no content', 'metadata', nothing],
  ['a page', 'metadata', page],
  [
    'empty members',
    'metadata',
    add({ scopes_supported: null, revocation_endpoint: '', service_documentation: null }),
  ],
  ['no types of responses', 'metadata', without('response_types_supported')],
  ['no methods of challenges', 'metadata', without('code_challenge_methods_supported')],
  [
    'empty members',
    'registration',
    add({ client_name: null, logo_uri: '', tos_uri: '', client_secret_expires_at: null }),
  ],
  ['no secret', 'registration', add({ client_secret: null })],
  ['a time as a text', 'registration', add({ client_secret_expires_at: '0' })],
  ['a time that is none', 'registration', add({ client_secret_expires_at: 'never' })],
  ['nothing but the id', 'registration', ({ client_id }) => ({ client_id })],
  ['empty members', 'tokens', add({ refresh_token: null, scope: null, id_token: '' })],
  ['no type', 'tokens', without('token_type')],
  ['a time as a text', 'tokens', add({ expires_in: '3600' })],
  ['a list of scopes', 'tokens', add({ scope: ['basic', 'admin'] })],
];

const isReply = (value: Document | Reply): value is Reply => typeof value.status === 'number';

/** Starts a protected server, which is its own authorization server. */
async function startServer(where: string, change: Change): Promise<string> {
  const base = await listenOnFreePort(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', base);
    const body = await text(request);
    if (pathname === '/mcp') {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const challenge = `Bearer resource_metadata="${base}${PATHS.resource}"`;
      if (request.headers.authorization !== 'Bearer access')
        return void response.writeHead(401, { 'www-authenticate': challenge }).end();
      const message = JSON.parse(body);
      if (message.id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(toPlainAnswer(message)));
    }
    const documents: Readonly<Record<string, () => Document>> = {
      [PATHS.resource]: () => ({ resource: `${base}/mcp`, authorization_servers: [base] }),
      [PATHS.metadata]: () => ({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}${PATHS.tokens}`,
        registration_endpoint: `${base}${PATHS.registration}`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      }),
      [PATHS.registration]: () => ({ ...JSON.parse(body), client_id: 'client' }),
      [PATHS.tokens]: () => ({ access_token: 'access', token_type: 'Bearer', expires_in: 3600 }),
    };
    const document = documents[pathname]?.();
    if (document === undefined) return void response.writeHead(404).end();
    const changed = pathname === where ? change(document) : document;
    const usual = { status: pathname === PATHS.registration ? 201 : 200, type: 'application/json' };
    const {
      status,
      type,
      body: sent,
    } = isReply(changed) ? { ...usual, ...changed } : { ...usual, body: JSON.stringify(changed) };
    response.writeHead(status, { 'content-type': type }).end(sent);
  });
  return `${base}/mcp`;
}

it.each(ODDITIES)('a user can sign in with %s in the document "%s"', async (_, where, change) => {
  const url = await startServer(PATHS[where], change);
  const authProvider = createOAuthProvider({ serverUrl: url, redirectUrl });
  const tools = openTools({ server: { url, type: 'http', authProvider } });
  await tools.listTools();
  const [status] = tools.status();
  const state = new URL(status?.authorizationUrl ?? '').searchParams.get('state');
  await tools.finishAuth('server', `${redirectUrl}?code=1&state=${state}`);
  expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
});
