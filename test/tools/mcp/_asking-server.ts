import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/v4';
import { listenOnFreePort } from './_free-port-server.js';

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;

/**
 * Starts a Streamable HTTP server of the SDK whose tool `ask` sends a form on the response stream of its call, and
 * whose tool `ask-aside` sends it on the separate stream, without naming its call. `wait` responds when `release` is
 * called, and `silent` never.
 */
export async function startAskingServer(): Promise<{ url: string; release: () => void }> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  let release = (): void => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const mcp = new McpServer({ name: 'asking', version: '1' });
    const inputSchema = { message: z.string() };
    mcp.registerTool('ask', { inputSchema }, async ({ message }, { sendRequest }) => {
      const request = { method: 'elicitation/create' as const, params: { message, requestedSchema } };
      return toResult(JSON.stringify(await sendRequest(request, ElicitResultSchema)));
    });
    mcp.registerTool('ask-aside', { inputSchema }, async ({ message }) =>
      toResult(
        await mcp.server.elicitInput({ message, requestedSchema }).then(
          reply => JSON.stringify(reply),
          (error: Error) => error.message,
        ),
      ),
    );
    mcp.registerTool('wait', {}, () => released.then(() => toResult('released')));
    mcp.registerTool('silent', {}, () => new Promise(() => {}));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: id => void transports.set(id, transport),
    });
    await mcp.connect(transport);
    return transport;
  }

  const origin = await listenOnFreePort((request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    void (async () => (known ?? (await openSession())).handleRequest(request, response))();
  });
  return { url: `${origin}/mcp`, release };
}

const toResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });
