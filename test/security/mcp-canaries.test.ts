import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { McpServerConfig } from '../../src/tools/mcp/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { findCanary } from './_find-canary.js';

const CANARY = 'canary-4c6d2e90';

/** Returns all outputs of a turn that calls the tool `look` of an MCP server with a secret. */
async function outputsOf(server: McpServerConfig): Promise<unknown[]> {
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'look', arguments: {} }], [{ text: 'Done' }]);
  const outputs: unknown[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'sk-key-of-nobody',
    mcpServers: { files: server },
    toolLoop: { onEvent: event => void outputs.push(event) },
  });
  onTestFinished(() => provider.close());
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Look' }] }];
  const { stream, request, response } = await provider('gpt-5').doStream({ prompt });
  outputs.push(request, response);
  for await (const part of stream) outputs.push(part);
  // Includes everything that the model receives.
  return [...outputs, ...emulator.requests.map(({ body }) => body)];
}

/** An MCP server that fails as its argument selects, and reveals its environment. */
const script = `
  const secret = process.env.API_TOKEN;
  const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  if (process.argv[1] === 'start') { console.error('bad token ' + secret); process.exit(1); }
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') {
      const serverInfo = { name: 'leaky', version: '1' };
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === 'tools/list') {
      if (process.argv[1] === 'list') send({ id, error: { code: -32000, message: 'denied for ' + secret } });
      else send({ id, result: { tools: [{ name: 'look', inputSchema: { type: 'object' } }] } });
    } else if (method === 'tools/call') {
      if (process.argv[1] === 'crash') { console.error('last words ' + secret); process.exit(1); }
      if (process.argv[1] === 'result') {
        send({ id, result: { isError: true, content: [{ type: 'text', text: 'no row for ' + secret }] } });
        return;
      }
      send({ id, error: { code: -32000, message: 'cannot sign in with ' + secret, data: secret } });
    }
  });
`;

describe('a secret in the environment of an MCP server', () => {
  it.each(['start', 'list', 'call', 'crash', 'result'])(
    'is redacted when the server fails: %s',
    async failure => {
      const outputs = await outputsOf({
        command: process.execPath,
        args: ['-e', script, failure],
        env: { API_TOKEN: CANARY },
      });
      // Ensures that the failure itself is reported.
      expect(
        findCanary(outputs, ['bad token', 'denied for', 'cannot sign in', 'last words', 'no row for']),
      ).toBeDefined();
      expect(findCanary(outputs, [CANARY])).toBeUndefined();
    },
  );
});

/** Starts an MCP server over HTTP that rejects one method and returns the request headers. */
async function serveRejection(status: number, rejected: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}');
    if (method === rejected)
      return void response.writeHead(status).end(`rejected: ${JSON.stringify(request.headers)}`);
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'leaky', version: '1' },
      },
      'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('a secret in the headers of an MCP server', () => {
  it.each([
    [401, 'initialize'],
    [500, 'initialize'],
    [500, 'tools/list'],
    [401, 'tools/call'],
    [500, 'tools/call'],
  ])('is redacted in status %d for %s', async (status, method) => {
    const url = await serveRejection(status, method);
    const outputs = await outputsOf({
      type: 'http',
      url,
      headers: { Authorization: `Bearer ${CANARY}`, 'X-Key': CANARY },
    });
    expect(findCanary(outputs, ['MCP server \\"files\\"', 'MCP server "files"'])).toBeDefined();
    expect(findCanary(outputs, [CANARY])).toBeUndefined();
  });
});
