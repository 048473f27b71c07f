import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fileURLToPath } from 'node:url';
import type { ServerInspection } from '../../../playground/shared/mcp-inspection.js';
import type { ServersResponse } from '../../../playground/shared/playground-state.js';
import { holdClosedPort } from '../../_server.js';
import { openPlayground } from './_playground.js';

/** Starts an endpoint with one response, and a playground that uses it. */
async function openWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return openAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
}

async function openAt(endpoint: string) {
  const playground = await openPlayground();
  await playground.call('/api/state', { method: 'PATCH', body: { endpoint } });
  return playground;
}

it.each([
  ['a missing key', 401, /enter it under “API key” in the setup/],
  ['a server without the API', 405, /Check “Base URL” in the setup/],
])('speaks to the person at the page about %s', async (_title, status, expected) => {
  const { ask } = await openWith(status, '{"error":{"message":"No."}}');
  const { trace } = await ask('Hello');

  expect(trace.end?.message).toMatch(expected);
  expect(trace.end?.message).not.toMatch(/`|apiKey|baseURL|OPENAI_/);
});

it.each([
  ['7', /Too fast\. Try again in 7 seconds\.$/],
  ['1', /Too fast\. Try again in a second\.$/],
  ['later', /Too fast$/],
])('says when a server with the limit "%s" accepts the next request', async (wait, expected) => {
  const { ask } = await openWith(429, '{"error":{"message":"Too fast"}}', { 'retry-after': wait });
  const { trace } = await ask('Hello');

  expect(trace.end?.message).toMatch(expected);
});

it('says that nothing answers at an address', async () => {
  const { ask } = await openAt(`http://127.0.0.1:${await holdClosedPort()}/v1`);
  const { trace } = await ask('Hello');

  expect(trace.end?.message).toContain('Base URL');
  expect(trace.end?.message).not.toMatch(/`|baseURL|fetch failed/);
});

it('records the complete body of a failed response', async () => {
  const body = JSON.stringify({ error: { message: 'No.', details: 'x'.repeat(30_000) } });
  const { ask } = await openWith(422, body);
  const { trace } = await ask('Hello');

  expect(trace.exchanges.map(({ status, bodyText }) => [status, bodyText])).toEqual([[422, body]]);
});

it('says that a server was disconnected while it was asked, in its log and in the response', async () => {
  const args = [fileURLToPath(new URL('../../browser/_task-server.mjs', import.meta.url))];
  const { call } = await openPlayground({ mcpServers: { oven: { command: process.execPath, args } } });
  const reconnect = () => call('/api/servers/oven/reconnect', { method: 'POST' });
  await reconnect();
  const reading = call('/api/mcp/oven/call', { method: 'POST', body: { toolName: 'hold', input: {} } });
  for (;;) {
    const { messages } = (await call('/api/mcp/oven')).json as ServerInspection;
    if (JSON.stringify(messages).includes('"name":"hold"')) break;
  }
  const listing = call('/api/mcp/oven/read', { method: 'POST', body: { uri: 'oven://never' } });
  await Promise.all([reconnect(), reconnect()]);
  const shown = [(await reading).text, (await listing).text];
  const { servers } = (await call('/api/servers')).json as ServersResponse;
  const log = servers[0]?.log.map(({ text }) => text) ?? [];

  expect(shown.join('\n')).toContain('disconnected');
  expect([...shown, ...log].join('\n')).not.toMatch(/`|close\(\)/);
});
