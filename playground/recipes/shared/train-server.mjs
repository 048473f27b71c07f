// An MCP server over stdio. It books trains through an HTTP API, which receives the idempotency key of each call.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const inputSchema = z.object({ trip: z.string().describe('For example "Rome to Milan"') });

/** The annotations decide which calls may be repeated after a crash, and which ones need approval. */
const tools = {
  find_trains: {
    description: 'Finds the trains of a trip.',
    annotations: { readOnlyHint: true },
  },
  hold_seat: {
    description: 'Holds a seat on a trip for ten minutes. Holding it twice has no further effect.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  book_seat: {
    description: 'Books and pays a seat on a trip.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  },
};

async function request(action, body, idempotencyKey) {
  const response = await fetch(`${process.env.TRAIN_API}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey ?? '' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The train API returned status ${response.status}.`);
  return response.text();
}

serveStdio(() => {
  const server = new McpServer({ name: 'trains', version: '1.0.0' });
  for (const [name, config] of Object.entries(tools)) {
    server.registerTool(name, { ...config, inputSchema }, async (input, { mcpReq }) => {
      const key = mcpReq._meta?.['com.npmjs.kelivo-responses/idempotencyKey'];
      return { content: [{ type: 'text', text: await request(name, input, key) }] };
    });
  }
  return server;
});
