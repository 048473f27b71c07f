// An MCP server over stdio whose tools send a request with the id of their own call before they respond.
import { createInterface } from 'node:readline';

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const requests = {
  'ask-model': {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Who?' } }], maxTokens: 10 },
  },
  'ask-user': {
    method: 'elicitation/create',
    params: {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  },
};

const methods = {
  initialize: (id, { protocolVersion }) =>
    send({
      id,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'same-id', version: '1' } },
    }),
  'tools/list': id =>
    send({
      id,
      result: { tools: Object.keys(requests).map(name => ({ name, inputSchema: { type: 'object' } })) },
    }),
  'tools/call': (id, { name }) => send({ id, ...requests[name] }),
};

createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params, result } = JSON.parse(line);
    // The id of the response is the id of the call too.
    if (result !== undefined)
      send({ id, result: { content: [{ type: 'text', text: `Received ${JSON.stringify(result)}` }] } });
    else if (Object.hasOwn(methods, method)) methods[method](id, params);
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  })
  .on('close', () => process.exit(0));
