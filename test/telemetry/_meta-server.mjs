// An MCP server without dependencies, over stdio or with the argument `http` over Streamable HTTP. It reports `_meta` of
// its requests. `http` prints the port.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const tools = ['meta', 'environment', 'broken'].map(name => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: {} },
}));
const toText = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'meta', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'resources/list': () => ({ resources: [{ uri: 'test://meta', name: 'meta' }] }),
  'resources/read': ({ uri, _meta = {} }) => ({ contents: [{ uri, text: JSON.stringify(_meta) }] }),
  'tools/call': ({ name, _meta = {} }) => {
    if (name === 'broken') throw Object.assign(new Error('canary-failure'), { code: -32042 });
    return toText(name === 'meta' ? _meta : process.env.SECRET);
  },
  ping: () => ({}),
};

function respond({ id, method, params }) {
  if (id === undefined) return undefined;
  try {
    const run = methods[method];
    if (run === undefined) throw Object.assign(new Error('Method not found'), { code: -32601 });
    return { jsonrpc: '2.0', id, result: run(params ?? {}) };
  } catch ({ code, message }) {
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}

if (process.argv[2] === 'http') {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = respond(JSON.parse(body));
    if (answer === undefined) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  createInterface({ input: process.stdin })
    .on('line', line => {
      const answer = respond(JSON.parse(line));
      if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
    })
    .on('close', () => process.exit());
}
