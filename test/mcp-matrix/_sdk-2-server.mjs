// A server of SDK 2.x, which speaks revision 2026-07-28. The arguments are its transport (stdio or http) and the
// revisions that it accepts: "dual" adds the previous ones, "modern" rejects them.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { listen, registerFeatures } from './_features.mjs';

const toText = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const builders = {
  form: inputRequired.elicit,
  url: inputRequired.elicitUrl,
  sampling: inputRequired.createMessage,
};

function createFeatureServer() {
  const server = new McpServer(
    { name: 'sdk-2', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  registerFeatures(server, {
    signalOf: ({ mcpReq }) => mcpReq.signal,
    progressTokenOf: ({ mcpReq }) => mcpReq._meta?.progressToken,
    notify: ({ mcpReq }, notification) => mcpReq.notify(notification),
    announce: (_context, register) => (handler === undefined ? register() : handler.notify.toolsChanged()),
    ask(kind, question, { mcpReq }) {
      const response = mcpReq.inputResponses?.[kind];
      const state = `asked for ${kind}: ✓`;
      if (response === undefined) {
        return inputRequired({ inputRequests: { [kind]: builders[kind](question) }, requestState: state });
      }
      if (mcpReq.requestState() !== state) throw new Error('The state of the request was changed.');
      return toText(response);
    },
  });
  return server;
}

const [, , transportName, revisions] = process.argv;
let handler;
if (transportName === 'stdio') {
  serveStdio(createFeatureServer, { legacy: revisions === 'modern' ? 'reject' : 'serve' });
} else {
  handler = createMcpHandler(createFeatureServer, {
    legacy: revisions === 'modern' ? 'reject' : 'stateless',
  });
  listen(createServer(toNodeHandler(handler)));
}
