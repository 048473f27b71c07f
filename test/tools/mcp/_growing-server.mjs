// A server whose tool list grows, on the SDK of the argument: "v1" or "v2". With "v2", only revision 2026-07-28 is served.
// The list is fresh for a minute. With GROWING_JOURNAL it records each listing.
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { record } from './_journal.mjs';

const info = { name: 'growing', version: '1.0.0' };
const toResult = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

function register(server, { readMeta, log }) {
  server.registerTool('grow', { description: 'Adds a tool.' }, () => {
    server.registerTool('added', { description: 'Is new.' }, () => toResult('added'));
    return toResult('done');
  });
  server.registerTool('show-meta', { description: 'Returns the metadata of the call.' }, context => ({
    ...toResult(readMeta(context)),
    _meta: { 'example.com/cost': 3 },
  }));
  server.registerTool('log', { description: 'Logs two messages.' }, async context => {
    await log(context, 'debug', 'a detail');
    await log(context, 'warning', 'a warning');
    return toResult('done');
  });
  return server;
}

if (process.argv[2] === 'v1') {
  const server = new McpServerV1(info, { capabilities: { logging: {} } });
  register(server, {
    readMeta: ({ _meta }) => _meta,
    log: (_context, level, data) => server.sendLoggingMessage({ level, data }),
  });
  await server.connect(new StdioServerTransport());
} else {
  serveStdio(
    () => {
      const server = new McpServer(info, {
        capabilities: { logging: {} },
        cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'private' } },
      });
      return register(server, {
        readMeta: ({ mcpReq }) => mcpReq._meta,
        log: ({ mcpReq }, level, data) => mcpReq.log(level, data),
      });
    },
    { legacy: 'reject' },
  );
}

const journal = process.env.GROWING_JOURNAL;
if (journal) {
  process.stdin.on('data', chunk => {
    for (const [method] of String(chunk).matchAll(/tools\/list|subscriptions\/listen|logging\/setLevel/g))
      record(journal, method);
  });
}
