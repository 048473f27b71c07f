import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEverythingServer } from './_everything-server.js';
import { call, fixtureServer, namesOf, openTools } from './_fixture-server.js';

const startsIn = async (journal: () => Promise<string[]>) =>
  (await journal()).filter(entry => entry.startsWith('start')).length;

describe('a server that crashes', () => {
  it('is started once for calls that come together', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await call(tools, 'crash');
    const outputs = await Promise.all(
      Array.from({ length: 5 }, (_, index) => call(tools, 'echo', { text: `${index}` })),
    );
    expect(outputs.map(({ value }) => value)).toEqual(['echo 0', 'echo 1', 'echo 2', 'echo 3', 'echo 4']);
    expect(await startsIn(journal)).toBe(2);
  });

  it('is started again ever more slowly, and left alone after the fifth time', async () => {
    const { config, journal } = await fixtureServer();
    const good = await fixtureServer();
    const tools = openTools({ fixture: config, good: good.config }, { retryFailedAfter: 1000 });
    await tools.listTools();
    const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));
    const start = performance.now();
    for (let count = 1; count <= 5; count++) expect((await call(tools, 'crash')).type).toBe('error-text');
    expect(performance.now() - start).toBeGreaterThan(250 + 500 + 1000);

    const refusal =
      /^MCP server "fixture" ended unexpectedly 5 times within a minute and is left alone for 1 s more\.$/;
    const refusedAt = performance.now();
    await pause(500);
    expect(await call(tools, 'echo')).toEqual({ type: 'error-text', value: expect.stringMatching(refusal) });
    const { tools: offered, warnings } = await tools.listTools();
    expect(performance.now() - refusedAt).toBeLessThan(700); // nothing is waited for
    expect(warnings).toEqual([expect.stringMatching(refusal)]);
    expect(offered.map(({ name }) => name)).toContain('good_echo');
    expect(tools.status()[0]).toMatchObject({ state: 'failed', error: { code: 'mcp-closed' } });
    expect(await startsIn(journal)).toBe(5);

    await pause(600); // since the last crash more than the rest has passed, since the refusal less
    expect(await namesOf(tools)).toContain('crash');
    expect((await call(tools, 'crash')).type).toBe('error-text');
    expect((await call(tools, 'echo')).value).toMatch(/^MCP server "fixture" ended unexpectedly 6 times/);

    await tools.close(); // a new beginning
    expect(await call(tools, 'echo', { text: 'a' })).toEqual({ type: 'text', value: 'echo a' });
  });

  it('is not waited for by a call that is aborted', async () => {
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

describe('an SSE server that was started anew', () => {
  it('is connected to once for calls that come together', async () => {
    const server = await startEverythingServer('sse');
    const port = Number(new URL(server.config.url).port);
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
    expect(await namesOf(tools)).toContain('echo');
    expect(connections).toHaveLength(1);
    await server.close();
    const again = await startEverythingServer('sse', { port });
    onTestFinished(() => again.close());

    const outputs = await Promise.all(
      Array.from({ length: 5 }, (_, index) => call(tools, 'echo', { message: `${index}` })),
    );
    expect(outputs.map(({ value }) => value)).toEqual(['0', '1', '2', '3', '4'].map(text => `Echo: ${text}`));
    expect(connections).toHaveLength(2);
    await tools.close();
  });
});

it('reads on behind lines on standard output that are no messages', async () => {
  const { config } = await fixtureServer();
  expect(await call(openTools({ fixture: config }), 'noise')).toEqual({
    type: 'text',
    value: 'heard in spite of the noise',
  });
});

it('gives up on an HTTP server that never answers `initialize`', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const tools = openTools({ mute: { url: `http://127.0.0.1:${port}/mcp` } }, { connectTimeout: 150 });
  const start = performance.now();
  expect((await tools.listTools()).warnings).toEqual(['MCP server "mute" did not get ready within 150 ms.']);
  expect(performance.now() - start).toBeLessThan(1000);
});
