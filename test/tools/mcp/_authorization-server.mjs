// A process with an authorization server (two issuers: /one and /two, and an identity provider: /idp) and protected MCP
// servers of both protocol eras. It prints its URLs as one line of JSON. `POST /test` changes its settings and returns
// what it has seen.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const defaults = {
  /** The issuer in the metadata of the MCP servers. */
  issuer: 'one',
  /** The `iss` of callbacks: `right`, `wrong` or `none`. */
  iss: 'right',
  /** The issuer in the authorization server's metadata, if it is wrong. */
  metadataIssuer: undefined,
  /** Refuses the sign-in, with a text that must not be shown. */
  declines: false,
  /** Status of token responses, if they fail. */
  tokenStatus: undefined,
  /** Supports client id metadata documents, and these documents by URL. */
  documents: undefined,
  /** The resource of refreshed tokens, if it is not that of the sign-in. */
  refreshedResource: undefined,
  /** Scopes that the user never grants. */
  withheld: [],
  /** Rejects dynamic registration. */
  registers: true,
  /** Delay of token responses, in milliseconds. */
  tokenDelay: 20,
};
const settings = { ...defaults };

/** The preregistered machine. */
const machine = { client_id: 'machine', client_secret: 'machine-secret' };
const idpKey = randomUUID();

const clients = new Map();
const codes = new Map();
const accessTokens = new Map();
const refreshTokens = new Map();
const families = new Map();
const log = [];

const sha256 = value => createHash('sha256').update(value).digest('base64url');

function issuerOf(name) {
  return `${authUrl}/${name}`;
}

function issue({ issuer, client, user, scope, resource, family, withRefresh }) {
  const access = `access-${randomUUID()}`;
  accessTokens.set(access, { issuer, client, user, scope, resource, family });
  const tokens = { access_token: access, token_type: 'Bearer', expires_in: 3600, scope, extension: 'kept' };
  if (!withRefresh) return tokens;
  const refresh = `refresh-${randomUUID()}`;
  refreshTokens.set(refresh, { issuer, client, user, scope, resource, family, isUsed: false });
  return { ...tokens, refresh_token: refresh };
}

class Refusal extends Error {
  constructor(code, status = 400) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

function demand(condition, code, status) {
  if (!condition) throw new Refusal(code, status);
}

function metadataOf(name) {
  const issuer = issuerOf(name);
  return {
    issuer: settings.metadataIssuer ?? issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...(settings.registers && { registration_endpoint: `${issuer}/register` }),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: ['basic', 'admin'],
    authorization_response_iss_parameter_supported: settings.iss !== 'none',
    ...(settings.documents && { client_id_metadata_document_supported: true }),
  };
}

function findClient(name, id) {
  return clients.get(`${name} ${id}`) ?? settings.documents?.[id];
}

function authorize(name, url, response) {
  const query = Object.fromEntries(url.searchParams);
  const client = findClient(name, query.client_id);
  demand(client, 'invalid_client', 401);
  demand(client.redirect_uris.includes(query.redirect_uri), 'invalid_redirect_uri');
  demand(query.response_type === 'code' && query.code_challenge_method === 'S256', 'invalid_request');
  demand(/^[\w-]{43}$/.test(query.code_challenge), 'invalid_request');
  log.push({
    event: 'authorize',
    issuer: name,
    client: query.client_id,
    scope: query.scope,
    resource: query.resource,
  });
  const callback = new URL(query.redirect_uri);
  if (query.state !== undefined) callback.searchParams.set('state', query.state);
  if (settings.iss !== 'none') {
    callback.searchParams.set('iss', settings.iss === 'wrong' ? 'https://evil.example' : issuerOf(name));
  }
  if (settings.declines) {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', 'secret-description of an attacker');
  } else {
    const code = `code-${randomUUID()}`;
    const scope = (query.scope ?? 'basic')
      .split(' ')
      .filter(word => !settings.withheld.includes(word))
      .join(' ');
    codes.set(code, { ...query, issuer: name, scope, user: query.user ?? 'alice' });
    callback.searchParams.set('code', code);
  }
  response.writeHead(302, { location: callback.href }).end();
}

function authenticate(name, request, form) {
  const [id, secret] = /^Basic /.test(request.headers.authorization ?? '')
    ? Buffer.from(request.headers.authorization.slice(6), 'base64').toString().split(':')
    : [form.get('client_id'), form.get('client_secret') ?? undefined];
  const client = id === machine.client_id ? machine : findClient(name, id);
  demand(client, 'invalid_client', 401);
  demand(client.client_secret === undefined || client.client_secret === secret, 'invalid_client', 401);
  return id;
}

const grants = {
  authorization_code(name, client, form) {
    const code = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    demand(code?.issuer === name && code.client_id === client, 'invalid_grant');
    demand(code.redirect_uri === form.get('redirect_uri'), 'invalid_grant');
    demand(sha256(form.get('code_verifier') ?? '') === code.code_challenge, 'invalid_grant');
    demand(code.resource === (form.get('resource') ?? undefined), 'invalid_target');
    const family = randomUUID();
    families.set(family, true);
    const { user, scope, resource } = code;
    return issue({ issuer: name, client, user, scope, resource, family, withRefresh: true });
  },
  refresh_token(name, client, form) {
    const token = refreshTokens.get(form.get('refresh_token'));
    demand(token?.issuer === name && token.client === client, 'invalid_grant');
    if (token.isUsed) families.set(token.family, false); // reuse: revokes all tokens of the sign-in
    demand(!token.isUsed && families.get(token.family), 'invalid_grant');
    token.isUsed = true;
    return issue({ ...token, resource: settings.refreshedResource ?? token.resource, withRefresh: true });
  },
  client_credentials(name, client, form) {
    demand(client === machine.client_id, 'unauthorized_client');
    const scope = form.get('scope') ?? 'basic';
    return issue({ issuer: name, client, user: client, scope, resource: form.get('resource') ?? undefined });
  },
  'urn:ietf:params:oauth:grant-type:token-exchange'(name, client, form) {
    demand(name === 'idp' && form.get('subject_token') === 'id-token-of-carol', 'invalid_grant');
    demand(form.get('requested_token_type') === 'urn:ietf:params:oauth:token-type:id-jag', 'invalid_request');
    const claims = {
      iss: issuerOf('idp'),
      sub: 'carol',
      aud: form.get('audience'),
      resource: form.get('resource'),
      client_id: machine.client_id,
      exp: Date.now() / 1000 + 300,
    };
    return {
      access_token: signJwt(claims),
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
      expires_in: 300,
    };
  },
  'urn:ietf:params:oauth:grant-type:jwt-bearer'(name, client, form) {
    const claims = verifyJwt(form.get('assertion') ?? '');
    demand(claims?.iss === issuerOf('idp') && claims.aud === issuerOf(name), 'invalid_grant');
    demand(claims.client_id === client && claims.exp > Date.now() / 1000, 'invalid_grant');
    demand(claims.resource === form.get('resource'), 'invalid_target');
    return issue({ issuer: name, client, user: claims.sub, scope: 'basic', resource: claims.resource });
  },
};

const encode = value => Buffer.from(JSON.stringify(value)).toString('base64url');
const toSignature = content => createHmac('sha256', idpKey).update(content).digest();

function signJwt(claims) {
  const content = `${encode({ alg: 'HS256', typ: 'oauth-id-jag+jwt' })}.${encode(claims)}`;
  return `${content}.${toSignature(content).toString('base64url')}`;
}

function verifyJwt(token) {
  const [header, body, signature = ''] = token.split('.');
  const expected = toSignature(`${header}.${body}`);
  const received = Buffer.from(signature, 'base64url');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}

async function exchange(name, request, response) {
  const form = new URLSearchParams(await text(request));
  const entry = { event: 'token', issuer: name, grant: form.get('grant_type'), scope: form.get('scope') };
  log.push(entry);
  await new Promise(resolve => setTimeout(resolve, settings.tokenDelay));
  if (settings.tokenStatus !== undefined) throw new Refusal('server_error', settings.tokenStatus);
  const client = authenticate(name, request, form);
  const grant = grants[entry.grant];
  demand(grant, 'unsupported_grant_type');
  const tokens = grant(name, client, form);
  entry.succeeded = true;
  sendJson(response, 200, tokens);
}

async function register(name, request, response) {
  const metadata = await json(request);
  demand(Array.isArray(metadata.redirect_uris), 'invalid_redirect_uri');
  const client = {
    ...metadata,
    client_id: `client-${randomUUID()}`,
    client_secret: `secret-${randomUUID()}`,
  };
  clients.set(`${name} ${client.client_id}`, client);
  log.push({ event: 'register', issuer: name, applicationType: metadata.application_type });
  sendJson(response, 201, client);
}

/** Changes settings or runs an action, and returns the log. */
async function control(request, response) {
  const { set = {}, action } = await json(request);
  for (const [name, value] of Object.entries(set)) settings[name] = value ?? undefined;
  if (action === 'reset') {
    Object.assign(settings, defaults);
    for (const state of [clients, codes, accessTokens, refreshTokens, families]) state.clear();
    log.length = 0;
    foreignHeaders.length = 0;
  }
  if (action === 'expire') accessTokens.clear();
  if (action === 'revoke') {
    accessTokens.clear();
    for (const family of families.keys()) families.set(family, false);
  }
  if (action === 'forget-clients') clients.clear();
  sendJson(response, 200, { log, foreignHeaders });
}

/** Values of the header `x-server-key` that the authorization server has received. */
const foreignHeaders = [];

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

async function serveAuthorization(request, response) {
  const url = new URL(request.url, authUrl);
  if (request.headers['x-server-key']) foreignHeaders.push(request.headers['x-server-key']);
  if (url.pathname === '/test') return control(request, response);
  const wellKnown = /^\/\.well-known\/oauth-authorization-server\/(\w+)$/.exec(url.pathname)?.[1];
  if (wellKnown) return sendJson(response, 200, metadataOf(wellKnown));
  const [, name, endpoint] = url.pathname.split('/');
  if (endpoint === 'authorize') return authorize(name, url, response);
  if (endpoint === 'token') return exchange(name, request, response);
  if (endpoint === 'register' && settings.registers) return register(name, request, response);
  response.writeHead(404).end();
}

/** The user of the current request. */
const users = new AsyncLocalStorage();

function addTools(server) {
  const annotations = { readOnlyHint: true };
  for (const name of ['whoami', 'administer', 'audit']) {
    server.registerTool(name, { description: name, annotations }, async () => ({
      content: [{ type: 'text', text: `${name}: ${users.getStore()}` }],
    }));
  }
  return server;
}

const info = { name: 'protected', version: '1.0.0' };
const createModern = () => addTools(new McpServer(info));
const sessions = new Map();

async function serveLegacy(request, response, body) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) return known.handleRequest(request, response, body);
  if (body?.method !== 'initialize') {
    return sendJson(response, 400, {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
    });
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: id => void sessions.set(id, transport),
  });
  await addTools(new LegacyServer(info)).connect(transport);
  return transport.handleRequest(request, response, body);
}

async function serveSse(request, response, body) {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/sse', response);
    sessions.set(transport.sessionId, transport);
    return addTools(new LegacyServer(info)).connect(transport);
  }
  const id = new URL(request.url, mcpUrl).searchParams.get('sessionId');
  const known = sessions.get(id);
  return known ? known.handlePostMessage(request, response, body) : response.writeHead(404).end();
}

const handlers = {
  modern: toNodeHandler(createMcpHandler(createModern, { legacy: 'reject' })),
  dual: toNodeHandler(createMcpHandler(createModern)),
  legacy: serveLegacy,
  sse: serveSse,
};

/** Scopes that tools require. */
const requiredScopes = { administer: 'admin', audit: 'audit' };

async function serveMcp(request, response) {
  const url = new URL(request.url, mcpUrl);
  const resource = /^\/\.well-known\/oauth-protected-resource\/(\w+)$/.exec(url.pathname)?.[1];
  if (resource) {
    return sendJson(response, 200, {
      resource: `${mcpUrl}/${resource}`,
      authorization_servers: [issuerOf(settings.issuer)],
    });
  }
  const kind = url.pathname.slice(1);
  const metadata = `resource_metadata="${mcpUrl}/.well-known/oauth-protected-resource/${kind}"`;
  const token = accessTokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));
  const isValid = token?.resource === `${mcpUrl}/${kind}` && families.get(token.family) !== false;
  if (!isValid || token.issuer !== settings.issuer) {
    log.push({ event: 'rejected', kind });
    request.resume();
    return sendJson(
      response,
      401,
      { error: 'invalid_token' },
      { 'www-authenticate': `Bearer ${metadata}, scope="basic"` },
    );
  }
  const body = request.method === 'POST' ? await json(request) : undefined;
  const scope = body?.method === 'tools/call' ? requiredScopes[body.params.name] : undefined;
  if (scope !== undefined && !token.scope.split(' ').includes(scope)) {
    log.push({ event: 'insufficient', kind });
    return sendJson(
      response,
      403,
      { error: 'insufficient_scope' },
      {
        'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}", ${metadata}, error_description="secret-description"`,
      },
    );
  }
  return users.run(token.user, () => handlers[kind](request, response, body));
}

async function start(serve) {
  const server = createServer((request, response) =>
    serve(request, response).catch(error => {
      const code = error instanceof Refusal ? error.code : 'server_error';
      if (!(error instanceof Refusal)) console.error(error);
      if (response.headersSent) return response.destroy();
      sendJson(response, error.status ?? 500, { error: code, error_description: 'secret-description' });
    }),
  );
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

const authUrl = await start(serveAuthorization);
const mcpUrl = await start(serveMcp);
console.log(JSON.stringify({ authUrl, mcpUrl }));
// The process ends with the test that started it.
process.stdin.on('end', () => process.exit()).resume();
