// A server with resources, prompts and completions, on the second SDK.
// Arguments: "dual" (both eras), "modern" or "legacy"; then "stdio" or "http", which prints its URL.
// With FEATURE_JOURNAL it records requests. With FEATURE_LACKS it declares none of the features, with FEATURE_LISTS it
// lists more resources, with FEATURE_CRASHES it ends when they are listed, and with FEATURE_TOOL it has one more tool.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { record } from './_journal.mjs';

const [era = 'dual', transport = 'stdio'] = process.argv.slice(2);
const journal = process.env.FEATURE_JOURNAL;
const recorded = () => (journal ? readFileSync(journal, 'utf8').split('\n') : []);
record(journal, 'start');

const encode = text => Buffer.from(text).toString('base64');
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const staticResources = {
  'demo://text': { mimeType: 'text/plain', text: 'plain text' },
  'demo://data.csv': { mimeType: 'text/csv', blob: encode('a;ä') },
  'demo://pixel.png': { mimeType: 'image/png', blob: pixel },
  'demo://report.pdf': { mimeType: 'application/pdf', blob: encode('%PDF-1.4') },
  'demo://archive.zip': { mimeType: 'application/zip', blob: encode('PK..') },
  'ui://page': { mimeType: 'text/html;profile=mcp-app', text: '<p>page</p>' },
};

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Asks the user for a city, and continues with it. */
function withCity(ctx, useCity) {
  const answer = acceptedContent(ctx.mcpReq.inputResponses, 'city');
  if (answer) return useCity(answer.city);
  const params = { message: 'Which city?', requestedSchema: city };
  return inputRequired({ inputRequests: { city: inputRequired.elicit(params) } });
}

const toMessage = (role, content) => ({ role, content });
const toText = text => ({ type: 'text', text });

function create() {
  const server = new McpServer({ name: 'feature-server', version: '1.0.0' });
  server.registerTool('link', { inputSchema: z.object({}) }, () => ({
    content: [
      toText('See:'),
      { type: 'resource_link', uri: 'demo://hidden', name: 'Hidden', mimeType: 'text/plain' },
    ],
  }));
  server.registerTool('roots', { inputSchema: z.object({}) }, async (_input, ctx) => {
    const { roots } = ctx.mcpReq.inputResponses?.roots ?? {};
    if (roots) return { content: [toText(JSON.stringify(roots))] };
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  const name = process.env.FEATURE_TOOL;
  if (name) {
    const content = [toText(`${name} of the server`)];
    server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content }));
  }
  if (process.env.FEATURE_LACKS) return server;

  // Both eras of subscriptions and log levels.
  server.server.registerCapabilities({ resources: { subscribe: true }, logging: {} });
  if (era === 'legacy') {
    for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']) {
      server.server.setRequestHandler(method, ({ params }) => {
        record(journal, `${method} ${params.uri ?? params.level}`);
        return {};
      });
    }
  }
  server.registerTool('touch', { inputSchema: z.object({}) }, async () => {
    await server.server.sendResourceUpdated({ uri: 'demo://text' });
    return { content: [toText('touched')] };
  });

  for (const [uri, contents] of Object.entries(staticResources)) {
    const { mimeType } = contents;
    server.registerResource(uri.slice(7), uri, { mimeType, description: `About ${uri}` }, () => {
      record(journal, `read ${uri}`);
      return { contents: [{ uri, ...contents }] };
    });
  }
  const template = new ResourceTemplate('demo://items/{id}', {
    list: undefined,
    complete: { id: value => ['one', 'two', 'three'].filter(id => id.startsWith(value)) },
  });
  server.registerResource('items', template, {}, ({ href }, { id }) => ({
    contents: [
      { uri: href, text: `item ${id}` },
      { uri: `${href}/more`, text: 'more' },
    ],
  }));
  const listMore = () => {
    if (process.env.FEATURE_CRASHES) process.exit(3);
    const uris = process.env.FEATURE_LISTS?.split(' ') ?? [];
    return { resources: uris.map(uri => ({ uri, name: uri })) };
  };
  const special = new ResourceTemplate('demo://{name}', { list: listMore });
  server.registerResource('special', special, {}, ({ href: uri }, { name }, ctx) => {
    record(journal, `read ${uri}`);
    const respond = text => ({ contents: [{ uri, mimeType: 'text/plain', text }] });
    if (name === 'hidden') return respond('hidden text');
    if (name === 'ask') return withCity(ctx, answer => respond(`weather in ${answer}`));
    if (name === 'silent') {
      ctx.mcpReq.signal.addEventListener('abort', () => record(journal, 'cancelled'));
      return new Promise(() => {});
    }
    if (name === 'crash-first') {
      if (recorded().filter(line => line === `read ${uri}`).length === 1) process.exit(3);
      return respond('after the crash');
    }
    throw new Error(`There is no ${name}.`);
  });

  const codes = ['de', 'en', 'fr'];
  const language = completable(z.string(), value => codes.filter(code => code.startsWith(value))).optional();
  const argsSchema = z.object({ name: z.string(), language });
  server.registerPrompt('greet', { description: 'Greets.', argsSchema }, values => ({
    description: 'A greeting',
    messages: [
      toMessage('user', toText(`Hello ${values.name}, ${values.language ?? 'no language'}`)),
      toMessage('assistant', toText('Hi!')),
      toMessage('user', { type: 'image', data: pixel, mimeType: 'image/png' }),
      toMessage('user', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }),
      toMessage('user', { type: 'resource', resource: { uri: 'demo://text', text: 'embedded' } }),
      toMessage('user', { type: 'resource_link', uri: 'demo://hidden', name: 'Hidden' }),
    ],
  }));
  server.registerPrompt('ask', {}, ctx =>
    withCity(ctx, answer => ({ messages: [toMessage('user', toText(`Weather in ${answer}?`))] })),
  );
  return server;
}

const legacy = era === 'modern' ? 'reject' : 'serve';
if (transport === 'stdio' && era === 'legacy') {
  await create().connect(new StdioServerTransport());
} else if (transport === 'stdio') {
  serveStdio(create, { legacy });
} else {
  const handler = toNodeHandler(
    createMcpHandler(create, { legacy: era === 'modern' ? 'reject' : 'stateless' }),
  );
  const server = createServer((request, response) => void handler(request, response));
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
