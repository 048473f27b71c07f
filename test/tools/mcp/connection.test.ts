import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { comingServer } from './_coming-server.js';
import { startEverythingServer } from './_everything-server.js';
import { call, fixtureServer, isAlive, namesOf, openTools, startedPid, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';
import { type Request, toPlainAnswer } from './_odd-server.js';

const countStarts = async (journal: () => Promise<string[]>) =>
  (await journal()).filter(entry => entry.startsWith('start')).length;

const toRpcError = (message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });

describe('a lost HTTP session', () => {
  it.each([
    [404, ''],
    [404, '<html>gone</html>'],
    [400, toRpcError('Bad Request: No valid session ID provided')],
    [400, toRpcError('Bad Request: Server not initialized')],
  ])('is reopened after status %i with the body "%s"', async (forgottenStatus, body) => {
    const server = await startHttpServer({ forgottenStatus, body });
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    server.forgetSessions();
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(2);
  });

  it('is reopened once for concurrent calls', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    await tools.listTools();
    server.forgetSessions();
    const outputs = await Promise.all(Array.from({ length: 5 }, () => call(tools, 'write')));
    expect(outputs).toEqual(Array(5).fill({ type: 'text', value: 'written' }));
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(2);
  });
});

describe('a request that failed', () => {
  const sessionOfYoga = 'The lesson was booked, but your session of yoga is invalid: not initialized';

  it.each([
    [400, sessionOfYoga, false],
    [400, toRpcError(sessionOfYoga), false],
    [408, 'Request timeout', true],
    [422, 'No such row', false],
    [500, 'Internal error', true],
    [502, 'Bad gateway', true],
    [503, 'Service unavailable', true],
    [504, 'Gateway timeout', true],
  ])('runs once at status %i with the body "%s"', async (status, body, mayHaveRun) => {
    const server = await startHttpServer({ writeFailure: { status, body } });
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    const { type, value } = await call(tools, 'write');
    expect(type).toBe('error-text');
    expect(value).toContain(`returned HTTP ${status}`);
    expect(String(value).includes('The tool "write" may or may not have been executed.')).toBe(mayHaveRun);
    expect(server.requests.filter(({ action }) => action === 'write')).toHaveLength(1);
  });
});

describe('a replaced session', () => {
  it('ends at `close()`, together with its pending call', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    const pending = call(tools, 'hang');
    await until(() => server.openStreams === 1);
    server.forgetSessions();
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    await tools.close();
    expect(await pending).toEqual({
      type: 'error-text',
      value: 'MCP server "web" closed the connection. The tool "hang" may or may not have been executed.',
    });
    await until(() => server.openStreams === 0);
  });
});

describe('a tool list over HTTP', () => {
  it('is read again after half a minute, because changes are not announced', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    await tools.listTools();
    server.toolNames.push('new');
    vi.setSystemTime(Date.now() + 29_000);
    expect(await namesOf(tools)).not.toContain('new');
    vi.setSystemTime(Date.now() + 2_000);
    expect(await namesOf(tools)).toContain('new');
  });
});

describe('a request over HTTP', () => {
  it('contains the headers of its server', async () => {
    const server = await startHttpServer();
    await openTools({ web: { url: server.url, headers: { Authorization: 'Bearer one' } } }).listTools();
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer one']),
    );
  });

  it('contains the token of its auth provider', async () => {
    const server = await startHttpServer();
    const authProvider: OAuthClientProvider = {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => undefined,
      tokens: () => ({ access_token: 'two', token_type: 'Bearer' }),
      saveTokens: () => {},
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    };
    await openTools({ web: { url: server.url, authProvider } }).listTools();
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer two']),
    );
  });

  it('uses the configured `fetch`', async () => {
    const server = await startHttpServer();
    const seen: string[] = [];
    const tools = openTools(
      { web: { url: server.url } },
      {
        fetch: (url, init) => {
          seen.push(String(url));
          return fetch(url, init);
        },
      },
    );
    await tools.listTools();
    expect(seen).toHaveLength(server.requests.length);
  });

  it('sends the name and version of the package', async () => {
    const server = await startHttpServer();
    await openTools({ web: { url: server.url } }).listTools();
    const { name, version } = JSON.parse(
      await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
    );
    expect(server.clientInfo).toEqual({ name, version });
  });
});

describe('the end of an HTTP session', () => {
  it('is reported to the server', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    await tools.listTools();
    await tools.close();
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', sessionId: 'session-1' });
  });
});

describe('a URL without a type', () => {
  it('falls back to SSE if the server rejects Streamable HTTP', async () => {
    const server = await startEverythingServer('sse');
    const tools = openTools({ web: { url: server.config.url } });
    expect(await namesOf(tools)).toContain('echo');
    await tools.close();
    await server.close();
  });

  it('reports the error of Streamable HTTP if SSE fails too', async () => {
    const server = await startHttpServer({ openingStatus: 405 });
    const { warnings } = await openTools({ web: { url: server.url } }).listTools();
    expect(warnings).toEqual([
      `MCP server "web" returned HTTP 405 at ${new URL(server.url).origin}: not here.`,
    ]);
  });

  it('is not tried over SSE if the server requires authorization', async () => {
    const server = await startHttpServer({ openingStatus: 401 });
    const { warnings } = await openTools({ web: { url: server.url } }).listTools();
    expect(warnings).toEqual([
      `MCP server "web" requires authorization at ${new URL(server.url).origin}. ` +
        'Check its `headers`, or set an `authProvider`.',
    ]);
    expect(server.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  });
});

it('fails the call when an SSE server goes away, and reconnects when it is back', async () => {
  const server = await comingServer('sse');
  await server.start(1);
  const tools = openTools({ web: { ...server.config, trustAnnotations: true } }, { retryFailedAfter: 1 });
  await tools.listTools();
  const pending = call(tools, 'hang');
  await until(() => server.isHanging());
  await server.stop();
  // The tool is read-only, so the call was retried once.
  expect(await pending).toMatchObject({
    type: 'error-text',
    // Depends on whether the port or the closing connection responds first.
    value: expect.stringMatching(
      /^MCP server "web" (is not|could not be) reach(able|ed) at .* \(ECONN(REFUSED|RESET)\)/,
    ),
  });

  await server.start(1);
  expect(await call(tools, 'tool_1', { text: 'back' })).toMatchObject({ value: 'back' });
});

describe('an unused connection', () => {
  it('ends its server after the idle timeout and starts it again for the next call', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ server: config }, { idleTimeout: 150 });
    expect(await call(tools, 'echo', { text: 'a' })).toMatchObject({ type: 'text' });
    const pid = await startedPid(journal);
    await until(async () => !(await isAlive(pid)));
    expect(tools.status()).toMatchObject([{ state: 'idle' }]);
    expect(await call(tools, 'echo', { text: 'b' })).toMatchObject({ type: 'text' });
    expect(await countStarts(journal)).toBe(2);
  });

  it('keeps a server during a call, regardless of its duration', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ server: config }, { idleTimeout: 60 });
    const controller = new AbortController();
    const silent = call(tools, 'silent', {}, { signal: controller.signal }).catch(
      (reason: unknown) => reason,
    );
    await until(async () => (await journal()).includes('silent'));
    // Several idle timeouts.
    await new Promise(resolve => setTimeout(resolve, 250));
    expect(await isAlive(await startedPid(journal))).toBe(true);
    controller.abort(new Error('enough'));
    expect(await silent).toMatchObject({ message: 'enough' });
    expect(await countStarts(journal)).toBe(1);
  });
});

describe('a server that crashes', () => {
  it('is restarted once for concurrent calls', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await call(tools, 'crash');
    const outputs = await Promise.all(
      Array.from({ length: 5 }, (_, index) => call(tools, 'echo', { text: `${index}` })),
    );
    expect(outputs.map(({ value }) => value)).toEqual(['echo 0', 'echo 1', 'echo 2', 'echo 3', 'echo 4']);
    expect(await countStarts(journal)).toBe(2);
  });

  it('is restarted with increasing delays, and after the fifth crash only when a cooldown has passed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const advance = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
    const { config, journal } = await fixtureServer();
    const good = await fixtureServer();
    const tools = openTools({ fixture: config, good: good.config }, { retryFailedAfter: 30_000 });
    await tools.listTools();
    for (let count = 1; count <= 5; count++) {
      expect((await call(tools, 'fixture_crash')).type).toBe('error-text');
      advance(1000);
    }

    advance(9000);
    const rejection =
      'MCP server "fixture" ended unexpectedly 5 times within a minute. It can be started again in 20 s.';
    expect(await call(tools, 'fixture_echo')).toEqual({ type: 'error-text', value: rejection });
    const { tools: offered, warnings } = await tools.listTools();
    expect(warnings).toEqual([rejection]);
    expect(offered.map(({ name }) => name)).toContain('good_echo');
    expect(tools.status()[0]).toMatchObject({ state: 'failed', error: { code: 'mcp-closed' } });
    expect(await countStarts(journal)).toBe(5);

    advance(21_000); // more than the cooldown since the last crash, but less since the rejection
    expect(await namesOf(tools)).toContain('fixture_crash');
    expect((await call(tools, 'fixture_crash')).type).toBe('error-text');
    expect((await call(tools, 'fixture_echo')).value).toMatch(
      /^MCP server "fixture" ended unexpectedly 6 times/,
    );

    await tools.close(); // resets the count
    expect(await call(tools, 'fixture_echo', { text: 'a' })).toEqual({ type: 'text', value: 'echo a' });
  });

  it('does not delay the abort of a call', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    for (let count = 1; count <= 3; count++) await call(tools, 'crash');
    const controller = new AbortController();
    const reason = new Error('enough');
    const pending = call(tools, 'echo', {}, controller);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });
});

it('opens another session if the first one ended while it was opened', async () => {
  const streams: ServerResponse[] = [];
  const web = createServer(async (request, response) => {
    if (request.method === 'GET') {
      streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
      return void response.write('event: endpoint\ndata: /mcp\n\n');
    }
    const message = JSON.parse(await text(request)) as Request;
    response.writeHead(202).flushHeaders();
    // The answer to the first `notifications/initialized` has no end.
    if (message.id !== undefined || streams.length > 1) response.end();
    if (message.id !== undefined)
      streams.at(-1)?.write(`data: ${JSON.stringify(toPlainAnswer(message))}\n\n`);
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  onTestFinished(() => {
    web.closeAllConnections();
    web.close();
  });
  const { port } = web.address() as { port: number };
  const tools = openTools(
    { web: { type: 'sse', url: `http://127.0.0.1:${port}/sse` } },
    {
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (String(init?.body).includes('notifications/initialized') && streams.length === 1)
          streams[0]?.destroy();
        return response;
      },
    },
  );
  expect(await namesOf(tools)).toContain('write');
  expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
  expect(tools.status()).toMatchObject([{ state: 'ready' }]);
  expect(streams).toHaveLength(2);
});

describe('an SSE server that was restarted', () => {
  it('is reconnected once for concurrent calls', async () => {
    const server = await comingServer('sse');
    await server.start(1);
    const connections: string[] = [];
    const tools = openTools(
      { web: server.config },
      {
        retryFailedAfter: 1,
        fetch: (url, init) => {
          if (init?.method !== 'POST') connections.push(String(url));
          return fetch(url, init);
        },
      },
    );
    expect(await namesOf(tools)).toContain('tool_1');
    expect(connections).toHaveLength(1);
    await server.stop();
    await until(() => tools.status()[0]?.state !== 'ready');
    await server.start(1);

    const outputs = await Promise.all(
      Array.from({ length: 5 }, (_, index) => call(tools, 'tool_1', { text: `${index}` })),
    );
    expect(outputs.map(({ value }) => value)).toEqual(['0', '1', '2', '3', '4']);
    expect(connections).toHaveLength(2);
  });
});

it('ignores lines on standard output that are not messages', async () => {
  const { config } = await fixtureServer();
  expect(await call(openTools({ fixture: config }), 'noise')).toEqual({
    type: 'text',
    value: 'heard in spite of the noise',
  });
});

it('fails for an HTTP server that never responds to `initialize`', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const tools = openTools({ mute: { url: `http://127.0.0.1:${port}/mcp` } }, { connectTimeout: 150 });
  expect((await tools.listTools()).warnings).toEqual(['MCP server "mute" was not ready within 150 ms.']);
});
