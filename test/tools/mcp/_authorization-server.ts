import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { McpTools } from '../../../src/tools/mcp/index.js';
import { bundleServer } from './_bundled-server.js';

const source = fileURLToPath(new URL('_authorization-server.mjs', import.meta.url));

/** The host's page to which the authorization server returns the user. Nothing listens there. */
export const redirectUrl = 'http://127.0.0.1:9/callback';

/** An event that the authorization server or an MCP server has recorded. */
export interface AuthorizationEvent {
  readonly event: 'authorize' | 'token' | 'register' | 'rejected' | 'insufficient';
  readonly issuer?: string;
  readonly grant?: string;
  readonly scope?: string;
  readonly client?: string;
  readonly succeeded?: boolean;
}

export interface AuthorizationFixture {
  readonly authUrl: string;
  /** Returns the URL of a protected server: `modern`, `dual`, `legacy` or `sse`. */
  urlOf(kind: string): string;
  /** Changes settings of the process. Null removes one. */
  set(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Runs an action: `expire` ends all access tokens, `revoke` also the refresh tokens, `forget-clients` removes the
   * registered clients.
   */
  act(action: 'expire' | 'revoke' | 'forget-clients'): Promise<void>;
  events(): Promise<AuthorizationEvent[]>;
  /** Returns the requests to the token endpoint with a grant. */
  grants(grant: string): Promise<AuthorizationEvent[]>;
  /** Returns the values of the header `x-server-key` that the authorization server has received. */
  foreignHeaders(): Promise<string[]>;
}

let running: Promise<{ child: ChildProcess; authUrl: string; mcpUrl: string }> | undefined;

afterAll(async () => {
  const process = await running;
  running = undefined;
  if (process) await stop(process.child);
});

async function start() {
  const child = spawn(process.execPath, [bundleServer(source)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { authUrl, mcpUrl } = JSON.parse(line);
  return { child, authUrl: String(authUrl), mcpUrl: String(mcpUrl) };
}

/**
 * Starts the authorization server and the protected servers in one process, which serves all tests of a file and ends
 * with them. Each test begins with the first state.
 */
export async function startAuthorizationServer(): Promise<AuthorizationFixture> {
  running ??= start();
  const { authUrl, mcpUrl } = await running;

  async function control(body: object): Promise<{ log: AuthorizationEvent[]; foreignHeaders: string[] }> {
    const response = await fetch(`${authUrl}/test`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  }
  const events = async () => (await control({})).log;
  await control({ action: 'reset' });

  return {
    authUrl,
    urlOf: kind => `${mcpUrl}/${kind}`,
    set: async settings => void (await control({ set: settings })),
    act: async action => void (await control({ action })),
    events,
    grants: async grant => (await events()).filter(event => event.grant === grant),
    foreignHeaders: async () => (await control({})).foreignHeaders,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.stdin?.end();
  await once(child, 'exit');
}

/** Opens a URL of the authorization server as a user, who agrees. Returns the URL to which the user is returned. */
export async function visit(url: string | undefined, { user = 'alice' } = {}): Promise<string> {
  if (url === undefined) throw new Error('There is no URL to open.');
  const page = new URL(url);
  page.searchParams.set('user', user);
  const response = await fetch(page, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`No redirect: ${response.status} ${await response.text()}`);
  return location;
}

/** Signs in a user at the server with the name `server`, which must be unauthorized. */
export async function signIn(tools: McpTools, options?: { user?: string }): Promise<void> {
  const [status] = tools.status();
  await tools.finishAuth('server', await visit(status?.authorizationUrl, options));
}
