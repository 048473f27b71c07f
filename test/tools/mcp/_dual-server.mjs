// A server of version 2 of the SDK. Arguments: "stdio" or "http", and "dual" or "modern" for the revisions that it speaks.
// With DUAL_GATE it starts when that file exists. Over HTTP, it prints its URL.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { record } from './_journal.mjs';

const [transport, era = 'dual'] = process.argv.slice(2);
const legacy = era === 'modern' ? 'reject' : transport === 'stdio' ? 'serve' : 'stateless';
const journal = process.env.DUAL_JOURNAL;
const toText = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const inputSchema = fromJsonSchema({ type: 'object', additionalProperties: true });

record(journal, `start ${process.pid}`);

function createMcpServer() {
  const server = new McpServer({ name: 'dual-fixture', version: '2' }, { capabilities: { tools: {} } });
  const add = (name, run, annotations) => server.registerTool(name, { inputSchema, annotations }, run);

  add('echo', ({ text }) => toText(text), { readOnlyHint: true });
  // Requires input in each of the given rounds, and returns what it received in the last one.
  add('require', ({ rounds }, { mcpReq }) => {
    const state = mcpReq.requestState();
    const round = state === undefined ? 0 : Number(/^round (\d+)/.exec(state)?.[1]);
    record(journal, `require ${mcpReq.id} ${JSON.stringify(mcpReq.inputResponses ?? null)}`);
    if (rounds[round] === undefined) return toText({ responses: mcpReq.inputResponses ?? null, state });
    return inputRequired({
      inputRequests: rounds[round],
      requestState: `round ${round + 1} "\\ü\u2028`,
    });
  });
  add('progress', async ({ steps, pause }, { mcpReq }) => {
    for (let progress = 1; progress <= steps; progress++) {
      await new Promise(resolve => setTimeout(resolve, pause));
      const params = { progressToken: mcpReq._meta.progressToken, progress };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    await new Promise(resolve => setTimeout(resolve, pause));
    return toText(`${steps} steps`);
  });
  add('silent', (_input, { mcpReq }) => {
    record(journal, 'silent started');
    return new Promise(() => {
      mcpReq.signal.addEventListener('abort', () => record(journal, 'silent cancelled'));
    });
  });
  add('crash', () => {
    process.stderr.write('about to fall over\n', () => process.exit(5));
    return new Promise(() => {});
  });
  return server;
}

if (transport === 'stdio') {
  const gate = process.env.DUAL_GATE;
  while (gate && !existsSync(gate)) await new Promise(resolve => setTimeout(resolve, 10));
  serveStdio(createMcpServer, { legacy });
} else {
  const handle = toNodeHandler(createMcpHandler(createMcpServer, { legacy }));
  const server = createServer((request, response) => void handle(request, response));
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
