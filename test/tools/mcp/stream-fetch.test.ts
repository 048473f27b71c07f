import { expect, it } from 'vitest';
import { call, openTools, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

async function openHttpTools() {
  const server = await startHttpServer();
  const tools = openTools({ web: { url: server.url, type: 'http' } });
  await tools.listTools();
  return { server, tools };
}

it.each(['drop', 'drop-hard'])('fails at once when the stream of a call ends early (%s)', async toolName => {
  const { server, tools } = await openHttpTools();
  const start = performance.now();
  expect(await call(tools, toolName)).toMatchObject({
    type: 'error-text',
    value: expect.stringContaining(`the tool "${toolName}" may or may not have been executed`),
  });
  expect(performance.now() - start).toBeLessThan(1000);
  await call(tools, 'echo');
  expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(1);
});

it('leaves a stream with event ids to the SDK, which takes it up again', async () => {
  const { server, tools } = await openHttpTools();
  expect(await call(tools, 'resume')).toEqual({ type: 'text', value: 'resumed' });
  expect(server.requests.at(-1)).toMatchObject({ method: 'GET', lastEventId: 'event-1' });
});

it('does not take up a stream that has brought an error', async () => {
  const { server, tools } = await openHttpTools();
  expect(await call(tools, 'rpc-error')).toMatchObject({ value: expect.stringContaining('No such row.') });
  await call(tools, 'echo');
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(server.requests.filter(({ method }) => method === 'GET')).toEqual([]);
});

it('closes the stream of an aborted call after telling the server', async () => {
  const { server, tools } = await openHttpTools();
  const controller = new AbortController();
  const pending = call(tools, 'hang', {}, controller);
  await until(() => server.openStreams === 1);
  controller.abort(new Error('stop'));
  await expect(pending).rejects.toThrow('stop');
  await until(() => server.openStreams === 0);
  // The stream had event ids, but nobody waits for it any more.
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(server.requests.at(-1)).toMatchObject({ action: 'notifications/cancelled' });
});

it('opens no stream of its own, which would keep an idle Node alive', async () => {
  const { server, tools } = await openHttpTools();
  await call(tools, 'echo');
  expect(server.requests.map(({ method }) => method)).not.toContain('GET');
});

it('gives an HTTP failure as a short text without markup and secrets', async () => {
  const { server, tools } = await openHttpTools();
  const { origin } = new URL(server.url);
  expect(await call(tools, 'broken')).toEqual({
    type: 'error-text',
    value: `MCP server "web" answered HTTP 500 at ${origin}: Oh no.`,
  });
  expect(await call(tools, 'page')).toMatchObject({
    value: `MCP server "web" answered with something that is no MCP at ${origin}: Unexpected content type: text/html.`,
  });
});
