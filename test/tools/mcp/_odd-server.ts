import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { listenOnFreePort } from './_free-port-server.js';

export interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Returns the messages that answer a request, each any JSON value. */
export type Answer = (request: Request, session: { readonly id: string | undefined }) => unknown;

/** The answers of a server of revision 2025-06-18 with the tool `write`. */
export function toPlainAnswer({ id, method, params }: Request): Record<string, unknown> {
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'odd', version: '1' },
      instructions: 'Use it.',
    },
    ping: {},
    'tools/list': { tools: [{ name: 'write', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'written' }], isError: false },
  };
  const { [method]: result } = results;
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
    : { jsonrpc: '2.0', id, result };
}

export type OddTransport = 'json' | 'stream' | 'sse' | 'stdio';

/** Starts a server whose answers need not be valid, over one transport. */
export async function startOddServer(transport: OddTransport, answer: Answer): Promise<McpServerConfig> {
  const origin = await listenOnFreePort((request, response) => void respond(request, response));
  const url = `${origin}/mcp`;
  let events: ServerResponse | undefined;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && transport === 'sse') {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void events.write('event: endpoint\ndata: /mcp\n\n');
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as Request;
    if (message.id === undefined) return void response.writeHead(202).end();
    const sent = JSON.stringify(answer(message, { id: request.headers['mcp-session-id']?.toString() }));
    if (transport === 'sse') {
      response.writeHead(202).end();
      events?.write(`data: ${sent}\n\n`);
    } else if (transport === 'json' || transport === 'stdio') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(sent);
    } else {
      // A stream that stays open: only the answer can end the call.
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${sent}\n\n`);
    }
  }

  if (transport !== 'stdio') return { type: transport === 'sse' ? 'sse' : 'http', url };
  // Passes each line to the server above, so that the answers are those of the test.
  const script =
    `const lines = require('node:readline').createInterface({ input: process.stdin });` +
    `let last = Promise.resolve(); lines.on('line', line => { last = last.then(async () => {` +
    `const response = await fetch(${JSON.stringify(url)}, { method: 'POST', body: line });` +
    `const text = await response.text(); if (text !== '') console.log(text); }).catch(() => {}); });`;
  return { command: process.execPath, args: ['-e', script] };
}
