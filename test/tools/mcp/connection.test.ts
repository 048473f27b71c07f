import { readFile } from 'node:fs/promises';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEverythingServer } from './_everything-server.js';
import { call, namesOf, openTools, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

describe('a lost HTTP session', () => {
  it.each([
    [404, ''],
    [404, '<html>gone</html>'],
    [400, 'Bad Request: No valid session ID provided'],
  ])('is opened again after status %i with the body "%s"', async (forgottenStatus, body) => {
    const server = await startHttpServer({ forgottenStatus, body });
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    server.forgetSessions();
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(2);
  });

  it('is opened once for calls that lose it together', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    await tools.listTools();
    server.forgetSessions();
    const outputs = await Promise.all(Array.from({ length: 5 }, () => call(tools, 'write')));
    expect(outputs).toEqual(Array(5).fill({ type: 'text', value: 'written' }));
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(2);
  });
});

describe('a session that another has replaced', () => {
  it('ends with `close()`, and the call that still waits on it', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    const pending = call(tools, 'hang');
    await until(() => server.openStreams === 1);
    server.forgetSessions();
    expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    await tools.close();
    const start = performance.now();
    expect(await pending).toEqual({
      type: 'error-text',
      value: 'MCP server "web" closed the connection; the tool "hang" may or may not have been executed.',
    });
    expect(performance.now() - start).toBeLessThan(500);
    await until(() => server.openStreams === 0);
  });
});

describe('a tool list over HTTP', () => {
  it('is read again after half a minute, because nothing announces its changes', async () => {
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
  it('bears the headers of its server', async () => {
    const server = await startHttpServer();
    await openTools({ web: { url: server.url, headers: { Authorization: 'Bearer one' } } }).listTools();
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer one']),
    );
  });

  it('bears the token of its authorization provider', async () => {
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

  it('goes through the given fetch', async () => {
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

  it('introduces the package by its name and version', async () => {
    const server = await startHttpServer();
    await openTools({ web: { url: server.url } }).listTools();
    const { name, version } = JSON.parse(
      await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
    );
    expect(server.clientInfo).toEqual({ name, version });
  });
});

describe('the end of an HTTP session', () => {
  it('is announced to the server', async () => {
    const server = await startHttpServer();
    const tools = openTools({ web: { url: server.url, type: 'http' } });
    await tools.listTools();
    await tools.close();
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', sessionId: 'session-1' });
  });
});

describe('a URL without a type', () => {
  it('falls back to SSE when the server refuses Streamable HTTP', async () => {
    const server = await startEverythingServer('sse');
    const tools = openTools({ web: { url: server.config.url } });
    expect(await namesOf(tools)).toContain('echo');
    await tools.close();
    await server.close();
  });

  it('reports the refusal of Streamable HTTP when SSE fails as well', async () => {
    const server = await startHttpServer({ openingStatus: 405 });
    const { warnings } = await openTools({ web: { url: server.url } }).listTools();
    expect(warnings).toEqual([
      `MCP server "web" answered HTTP 405 at ${new URL(server.url).origin}: not here.`,
    ]);
  });

  it('is not tried over SSE when the server wants authorization', async () => {
    const server = await startHttpServer({ openingStatus: 401 });
    const { warnings } = await openTools({ web: { url: server.url } }).listTools();
    expect(warnings).toEqual([
      `MCP server "web" needs authorization at ${new URL(server.url).origin}. ` +
        'Check its `headers`, or give it an `authProvider`.',
    ]);
    expect(server.requests).toHaveLength(1);
  });
});

it('fails the call when an SSE server goes away, and connects anew when it is back', async () => {
  const server = await startEverythingServer('sse');
  const tools = openTools({ web: server.config }, { retryFailedAfter: 1 });
  await tools.listTools();
  const pending = call(tools, 'trigger-long-running-operation', { duration: 30, steps: 1 });
  await new Promise(resolve => setTimeout(resolve, 100));
  const start = performance.now();
  await server.close();
  // The tool is read-only, so it was tried once more before this was said.
  expect(await pending).toMatchObject({
    type: 'error-text',
    // Whether the port or the dying connection answers first is the system's business.
    value: expect.stringMatching(
      /^MCP server "web" (is not|could not be) reach(able|ed) at .* \(ECONN(REFUSED|RESET)\)/,
    ),
  });
  expect(performance.now() - start).toBeLessThan(2000);

  const again = await startEverythingServer('sse', { port: Number(new URL(server.config.url).port) });
  expect(await call(tools, 'echo', { message: 'back' })).toMatchObject({ value: 'Echo: back' });
  await tools.close();
  await again.close();
});
