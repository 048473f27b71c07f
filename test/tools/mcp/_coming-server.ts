import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { findFreePort } from '../../_free-port.js';
import { type Request, toPlainAnswer } from './_odd-server.js';

/** A server that can go away and come back at the same address. */
export interface ComingServer {
  readonly config: McpServerConfig;
  /** The tool of a version is `tool_<version>`, and returns its text. The tool `hang`, which reads, is never answered. */
  start(version: number): Promise<void>;
  stop(): Promise<void>;
  /** Returns true if it has received a call of `hang`. */
  isHanging(): Promise<boolean>;
  /** The warning while nothing is there. */
  readonly absence: RegExp;
}

export const toAnswer = (message: Request, version: number): object => {
  const answer = toPlainAnswer(message);
  const { arguments: input } = (message.params ?? {}) as { arguments?: { text?: string } };
  if (input?.text !== undefined)
    return { ...answer, result: { content: [{ type: 'text', text: input.text }] } };
  const tools = [
    { name: `tool_${version}`, inputSchema: {} },
    { name: 'hang', inputSchema: {}, annotations: { readOnlyHint: true } },
  ];
  return message.method === 'tools/list' ? { ...answer, result: { tools } } : answer;
};

const isHanging = ({ method, params }: Request): boolean =>
  method === 'tools/call' && params?.name === 'hang';

/** Creates a server in this process. */
export async function comingServer(type: 'http' | 'sse'): Promise<ComingServer> {
  const port = await findFreePort();
  let server: Server | undefined;
  let hangs = false;
  const stop = async () => {
    server?.closeAllConnections();
    await new Promise<void>(resolve => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
  };
  onTestFinished(stop);
  return {
    config: { type, url: `http://127.0.0.1:${port}/mcp` },
    absence: /is not reachable at .* \(ECONNREFUSED\)\. Is it running\?/,
    stop,
    isHanging: async () => hangs,
    async start(version) {
      let events: ServerResponse | undefined;
      const session = `session-${version}`;
      server = createServer(async (request, response) => {
        if (request.method === 'GET' && type === 'sse') {
          events = response.writeHead(200, { 'content-type': 'text/event-stream' });
          return void events.write('event: endpoint\ndata: /mcp\n\n');
        }
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const message = JSON.parse(await text(request)) as Request;
        const { 'mcp-session-id': sent } = request.headers;
        if (type === 'http' && sent !== undefined && sent !== session)
          return void response.writeHead(404).end();
        if (message.id === undefined || isHanging(message)) {
          hangs ||= isHanging(message);
          if (message.id === undefined || type === 'sse') response.writeHead(202).end();
          return;
        }
        const answer = JSON.stringify(toAnswer(message, version));
        if (type === 'sse') {
          response.writeHead(202).end();
          return void events?.write(`data: ${answer}\n\n`);
        }
        if (message.method === 'initialize') response.setHeader('mcp-session-id', session);
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
