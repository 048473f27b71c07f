// A server of SDK 1.x, which speaks revisions up to 2025-11-25. The argument is its transport: stdio, http or sse.
// `POST /forget` ends all sessions, as a restart does.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/v4';
import { listen, registerFeatures } from './_features.mjs';

const toText = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

/** Accepted URLs, which a server would learn from the page that the user opens. */
let isSignedIn = false;

function createFeatureServer() {
  const server = new McpServer({ name: 'sdk-1', version: '1.0.0' });
  registerFeatures(server, {
    signalOf: ({ signal }) => signal,
    progressTokenOf: ({ _meta }) => _meta?.progressToken,
    notify: ({ sendNotification }, notification) => sendNotification(notification),
    announce: (_context, register) => register(),
    toArgsSchema: shape => shape,
    async ask(kind, question, { sendRequest }) {
      if (kind === 'sampling') {
        const request = { method: 'sampling/createMessage', params: question };
        return toText(await sendRequest(request, CreateMessageResultSchema));
      }
      const params = kind === 'url' ? { ...question, mode: 'url', elicitationId: 'sign-in-1' } : question;
      return toText(await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema));
    },
  });
  // The other form of a URL request: an error, after which the host repeats the call.
  server.registerTool('require-url', { inputSchema: z.object({}) }, () => {
    if (isSignedIn) return toText('signed in');
    isSignedIn = true;
    const url = 'https://shop.example/sign-in?code=18';
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Sign in first.', url, elicitationId: 'sign-in-2' },
    ]);
  });
  return server;
}

const sessions = new Map();

async function handleHttp(request, response) {
  const sessionId = request.headers['mcp-session-id'];
  const known = sessions.get(sessionId);
  if (known !== undefined) return known.handleRequest(request, response);
  if (sessionId !== undefined) return response.writeHead(404).end('Session not found');
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: id => sessions.set(id, transport),
  });
  await createFeatureServer().connect(transport);
  return transport.handleRequest(request, response);
}

async function handleSse(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  if (request.method === 'GET' && pathname === '/sse') {
    const transport = new SSEServerTransport('/message', response);
    sessions.set(transport.sessionId, transport);
    return createFeatureServer().connect(transport);
  }
  const transport = sessions.get(searchParams.get('sessionId'));
  return transport === undefined
    ? response.writeHead(404).end('Session not found')
    : transport.handlePostMessage(request, response);
}

const [, , transportName] = process.argv;
if (transportName === 'stdio') {
  await createFeatureServer().connect(new StdioServerTransport());
} else {
  const handle = transportName === 'sse' ? handleSse : handleHttp;
  listen(
    createServer((request, response) => {
      if (request.url !== '/forget') return void handle(request, response);
      sessions.clear();
      response.end('forgotten');
    }),
  );
}
