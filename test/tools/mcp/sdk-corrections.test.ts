import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  Client,
  type ClientOptions,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/v4';
import { createStdioTransport } from '../../../src/tools/mcp/transport/stdio-transport.js';
import { fixtureServer, isAlive, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';
import { listenOnFreePort } from './_free-port-server.js';
import { startModernServer, toList, toText, toTool } from './_modern-server.js';
import { type Request, startOddServer, toPlainAnswer } from './_odd-server.js';
import { discoverlessServer } from './_silent-script.js';
import { startTaskServer } from './_task-server.js';

/*
 * The behavior of the MCP SDK without this package. `src/tools/mcp/pages/sdk-corrections.md` lists the file that corrects each of them. A test
 * that fails here means that the SDK has changed, and that its correction may be removed.
 */

async function connect(transport: Transport, options?: ClientOptions): Promise<Client> {
  const client = new Client({ name: 'bare', version: '1' }, options);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const overHttp = (url: string) => new StreamableHTTPClientTransport(new URL(url));

async function openHttp(options?: Parameters<typeof startHttpServer>[0]) {
  const server = await startHttpServer(options);
  return { server, client: await connect(overHttp(server.url)) };
}

async function openModern(
  handlers: Parameters<typeof startModernServer>[0],
  options?: Parameters<typeof startModernServer>[1],
) {
  const server = await startModernServer(handlers, options);
  const client = await connect(overHttp(server.url), { versionNegotiation: { mode: 'auto' } });
  return { server, client };
}

async function openStdio(mode?: string, options?: ClientOptions) {
  const { config } = await fixtureServer(mode);
  const { command, args = [], env } = config;
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore' });
  return connect(transport, options);
}

/** Starts a process of the server that holds the server's output open, and ends it after the test. */
async function startGrandchild(client: Client): Promise<number> {
  const { content } = await client.callTool({ name: 'grandchild', arguments: {} });
  const pid = Number(content[0]?.type === 'text' && content[0].text);
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  return pid;
}

const serve = async (listener: RequestListener): Promise<URL> =>
  new URL('/mcp', await listenOnFreePort(listener));

const timedOut = expect.objectContaining({ code: SdkErrorCode.RequestTimeout });
const looseResult = z.looseObject({});

describe('Streamable HTTP', () => {
  it.each(['drop', 'drop-hard'])(
    'a stream that ends early fails its call at the timeout (%s)',
    async name => {
      const { client } = await openHttp();
      await expect(client.callTool({ name, arguments: {} }, { timeout: 500 })).rejects.toEqual(timedOut);
    },
  );

  it('the stream of a cancelled call stays open', async () => {
    const { server, client } = await openHttp();
    const controller = new AbortController();
    const call = client.callTool({ name: 'hang', arguments: {} }, { signal: controller.signal });
    await until(() => server.openStreams === 1);
    controller.abort();
    await expect(call).rejects.toThrow();
    await new Promise(resolve => setTimeout(resolve, 200));
    expect(server.openStreams).toBe(1);
  });

  it('a stream that ends after its call was cancelled is resumed', async () => {
    const { server, client } = await openHttp();
    const controller = new AbortController();
    const call = client.callTool({ name: 'hang', arguments: {} }, { signal: controller.signal });
    await until(() => server.openStreams === 1);
    controller.abort();
    await expect(call).rejects.toThrow();
    server.endStreams();
    await until(() => server.requests.some(({ lastEventId }) => lastEventId === 'event-3'));
  });

  it('a call waits for its timeout after the last attempt to resume its stream', async () => {
    const { server, client } = await openHttp();
    const errors: string[] = [];
    client.onerror = ({ message }) => errors.push(message);
    const call = client.callTool({ name: 'hang', arguments: {} }, { timeout: 3000 });
    await until(() => server.openStreams === 1);
    server.forgetSessions();
    server.endStreams();
    await expect(call).rejects.toEqual(timedOut);
    expect(errors.join()).toContain('Maximum reconnection attempts');
  });

  it('a GET stream is opened, although nobody listens', async () => {
    const { server } = await openHttp();
    await until(() => server.requests.some(({ method }) => method === 'GET'));
  });

  it('an expired session is not replaced', async () => {
    const { server, client } = await openHttp();
    server.forgetSessions();
    for (let count = 0; count < 2; count++) {
      await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toMatchObject({ status: 404 });
    }
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(1);
  });

  it('the session is not ended by close()', async () => {
    const { server, client } = await openHttp();
    await client.close();
    expect(server.requests.map(({ method }) => method)).not.toContain('DELETE');
  });

  it('a stored session has no capabilities', async () => {
    const { server, client } = await openHttp();
    const { sessionId } = client.transport ?? {};
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { sessionId });
    const resumed = await connect(transport);
    expect(resumed.getServerCapabilities()).toBeUndefined();
  });

  it('an answer with status 202 is not read', async () => {
    const url = await serve(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(await text(request)) as Request;
      const status = message.method === 'tools/call' ? 202 : 200;
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(toPlainAnswer(message)));
    });
    const client = await connect(new StreamableHTTPClientTransport(url));
    const call = client.callTool({ name: 'write', arguments: {} }, { timeout: 500 });
    await expect(call).rejects.toEqual(timedOut);
  });

  it('an answer without a content type is not read', async () => {
    const url = await serve(async (request, response) => {
      response.end(JSON.stringify(toPlainAnswer(JSON.parse(await text(request)))));
    });
    const connecting = connect(new StreamableHTTPClientTransport(url));
    await expect(connecting).rejects.toMatchObject({ code: SdkErrorCode.ClientHttpUnexpectedContent });
  });

  it('a rejected notification ends the connection', async () => {
    const url = await serve(async (request, response) => {
      const message = JSON.parse(await text(request)) as Request;
      const status = message.id === undefined ? 400 : 200;
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(toPlainAnswer(message)));
    });
    const connecting = connect(new StreamableHTTPClientTransport(url));
    await expect(connecting).rejects.toMatchObject({ status: 400 });
  });

  it('a server that rejects it is not asked over SSE', async () => {
    const server = await startHttpServer({ openingStatus: 405 });
    await expect(connect(overHttp(server.url))).rejects.toMatchObject({ status: 405 });
    expect(server.requests.map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('tasks', () => {
  it('a task that requires input is only looked at, so that its server cannot ask', async () => {
    const { config, methods, change } = await startTaskServer();
    const client = await connect(overHttp(config.url));
    const session = createTaskSessionFromClient(client, { endpointId: 'oven' });
    const execution = await session.callTool('bake', {});
    change({ status: 'input_required' });
    await until(() => methods().filter(method => method === 'tasks/get').length > 5);
    expect(methods()).not.toContain('tasks/result');
    await execution.detach();
    await session.close();
  });
});

describe('messages', () => {
  it('a result with an odd member is an error, and over a stream the call waits for its timeout', async () => {
    const toAnswer = (request: Request) =>
      request.method === 'tools/call'
        ? { ...toPlainAnswer(request), result: { content: [], _meta: null } }
        : toPlainAnswer(request);
    const started = [await startOddServer('json', toAnswer), await startOddServer('stream', toAnswer)];
    const errors = started.map(async (config, index) => {
      const client = await connect(overHttp('url' in config ? config.url : ''));
      const timeout = index === 0 ? 60_000 : 200;
      return client.callTool({ name: 'write' }, { timeout }).catch((error: unknown) => error);
    });
    const [overJson, overStream] = await Promise.all(errors);
    expect(String(overJson)).toContain('_meta');
    expect(overStream).toMatchObject({ code: SdkErrorCode.RequestTimeout });
  });
});

describe('stdio', () => {
  it('processes of the server outlive close()', async () => {
    const client = await openStdio();
    const pid = await startGrandchild(client);
    await client.close();
    expect(await isAlive(pid)).toBe(true);
  });

  it('an exit is not noticed while another process holds the output', async () => {
    const client = await openStdio();
    await startGrandchild(client);
    const call = client.callTool({ name: 'crash', arguments: {} }, { timeout: 1500 });
    await expect(call).rejects.toEqual(timedOut);
  });

  it('a message of more than 10 MiB ends the connection', async () => {
    const client = await openStdio();
    const call = client.callTool(
      { name: 'big', arguments: { size: 11 * 1024 * 1024 } },
      { timeout: 600_000 },
    );
    await expect(call).rejects.toMatchObject({ code: SdkErrorCode.ConnectionClosed });
  });

  it('an idle server keeps the host alive', async () => {
    const { config } = await fixtureServer();
    const script = `
      import { Client } from '@modelcontextprotocol/client';
      import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
      await new Client({ name: 'bare', version: '1' }).connect(new StdioClientTransport(${JSON.stringify(config)}));
      console.log('connected');`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    await once(host.stdout, 'data');
    await new Promise(resolve => setTimeout(resolve, 1000));
    expect(host.exitCode).toBeNull();
  });

  it('a missing directory is reported as a missing program', async () => {
    const transport = new StdioClientTransport({ command: process.execPath, cwd: '/does/not/exist' });
    await expect(connect(transport)).rejects.toMatchObject({
      code: 'ENOENT',
      message: `spawn ${process.execPath} ENOENT`,
    });
  });
});

describe('negotiation', () => {
  it('a process that ends at `server/discover` is not started again, unless the transport is of the SDK', async () => {
    const { config } = await discoverlessServer('exits');
    const connecting = connect(createStdioTransport(config), { versionNegotiation: { mode: 'auto' } });
    await expect(connecting).rejects.toMatchObject({ code: SdkErrorCode.EraNegotiationFailed });
  });

  it('an HTTP server that ignores `server/discover` is not asked for an older revision', async () => {
    const methods: string[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      methods.push(JSON.parse(body || '{}').method);
      if (!body.includes('server/discover')) response.writeHead(400).end();
    });
    const connecting = connect(new StreamableHTTPClientTransport(url), {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: 200, maxRetries: 0 } },
    });
    await expect(connecting).rejects.toEqual(timedOut);
    expect(methods).not.toContain('initialize');
  });

  it.each([200, 500])('nor is one that responds with %i and nothing', async status => {
    const methods: string[] = [];
    const url = await serve(async (request, response) => {
      methods.push((JSON.parse(await text(request)) as Request).method);
      response.writeHead(status).end();
    });
    const connecting = connect(new StreamableHTTPClientTransport(url), {
      versionNegotiation: { mode: 'auto' },
    });
    await expect(connecting).rejects.toThrow();
    expect(methods).toEqual(['server/discover']);
  });
});

describe('requests', () => {
  it('the total time is checked only when progress arrives', async () => {
    const client = await openStdio();
    const start = performance.now();
    const options = { timeout: 900, maxTotalTimeout: 100 };
    await expect(client.callTool({ name: 'silent', arguments: {} }, options)).rejects.toEqual(timedOut);
    expect(performance.now() - start).toBeGreaterThan(800);
  });

  it('progress does not restart the time without `onprogress`', async () => {
    const client = await openStdio();
    const call = client.callTool(
      { name: 'progress', arguments: { steps: 10, pause: 100 } },
      { timeout: 500, resetTimeoutOnProgress: true },
    );
    await expect(call).rejects.toEqual(timedOut);
  });

  it('a timeout without end fires at once', async () => {
    const client = await openStdio();
    const call = client.callTool({ name: 'silent', arguments: {} }, { timeout: Number.POSITIVE_INFINITY });
    await expect(call).rejects.toEqual(timedOut);
  });

  it('an abort has the code of a timeout', async () => {
    const client = await openStdio();
    const signal = AbortSignal.timeout(100);
    await expect(client.callTool({ name: 'silent', arguments: {} }, { signal })).rejects.toEqual(timedOut);
  });

  it('the time in which the server waits for the host counts', async () => {
    const client = await openStdio('plain', { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => {
      await new Promise(resolve => setTimeout(resolve, 1000));
      return { action: 'decline' };
    });
    const call = client.callTool({ name: 'ask', arguments: {} }, { timeout: 400 });
    await expect(call).rejects.toEqual(timedOut);
  });
});

describe('results', () => {
  const malformed = [toTool('good'), { name: 'no-schema' }];

  it('one malformed tool loses the others, also in a request with another schema', async () => {
    const { client } = await openModern({ 'tools/list': () => toList(malformed) });
    const invalid = { code: SdkErrorCode.InvalidResult };
    await expect(client.listTools()).rejects.toMatchObject(invalid);
    await expect(client.request({ method: 'tools/list' }, looseResult)).rejects.toMatchObject(invalid);
  });

  it('one malformed resource loses the others', async () => {
    const { client } = await openModern(
      { 'resources/list': () => ({ resources: [{ uri: 'a:b' }], ttlMs: 0, cacheScope: 'private' }) },
      { capabilities: { resources: {} } },
    );
    await expect(client.listResources()).rejects.toMatchObject({ code: SdkErrorCode.InvalidResult });
  });

  it('a block of an unknown type loses the result', async () => {
    const { client } = await openModern({ 'tools/call': () => ({ content: [{ type: 'hologram' }] }) });
    const call = client.callTool({ name: 'show', arguments: {} });
    await expect(call).rejects.toMatchObject({ code: SdkErrorCode.InvalidResult });
  });

  it('a result that differs from its output schema is rejected', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const { client } = await openModern({
      'tools/list': () => toList([toTool('count', { outputSchema })]),
      'tools/call': () => toText('one'),
    });
    await client.listTools();
    await expect(client.callTool({ name: 'count', arguments: {} })).rejects.toThrow('output schema');
  });

  it('arguments are not repeated as headers in a request with another schema', async () => {
    const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
    const { server, client } = await openModern({
      'tools/list': () => toList([toTool('route', { inputSchema: { type: 'object', properties } })]),
      'tools/call': () => toText('done'),
    });
    await client.listTools();
    const params = { name: 'route', arguments: { region: 'eu' } };
    await client.callTool(params);
    await client.request({ method: 'tools/call', params }, looseResult);
    const calls = server.requests.filter(({ method }) => method === 'tools/call');
    expect(calls.map(({ headers }) => headers['mcp-param-region'])).toEqual(['eu', undefined]);
  });

  it('a stream for announcements is not opened again', async () => {
    const { server, client } = await openModern({ 'tools/list': () => toList([]) });
    const { closed } = await client.listen({ toolsListChanged: true });
    server.dropStreams();
    expect(await closed).toBe('remote');
    await new Promise(resolve => setTimeout(resolve, 2000));
    expect(server.count('subscriptions/listen')).toBe(1);
  });
});

describe('errors', () => {
  it('the SSE transport has the HTTP status of a request only in the message', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'POST') return void response.writeHead(503).end('busy');
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('event: endpoint\ndata: /mcp\n\n');
    });
    const error = await connect(new SSEClientTransport(url)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'Error POSTing to endpoint (HTTP 503): busy' });
    expect(error).not.toHaveProperty('status');
  });

  it('a failed negotiation hides the HTTP error in its cause', async () => {
    const url = await serve((_request, response) => void response.writeHead(500).end('broken'));
    const connecting = connect(new StreamableHTTPClientTransport(url), {
      versionNegotiation: { mode: 'auto' },
    });
    const error = await connecting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({ code: SdkErrorCode.EraNegotiationFailed });
  });
});
