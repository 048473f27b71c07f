// An MCP server over stdio whose outputs contain the key of the call: `k017` returns `out:k017`.
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
const tools = [
  { name: 'find', description: 'Finds a document.', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'photo', description: 'Takes a photo.', inputSchema },
  { name: 'broken_find', description: 'Fails.', inputSchema },
];
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const outputs = {
  find: text => ({ content: [{ type: 'text', text }] }),
  photo: text => ({
    content: [
      { type: 'text', text },
      { type: 'image', data: pixel, mimeType: 'image/png' },
    ],
  }),
  broken_find: text => ({ isError: true, content: [{ type: 'text', text: `${text} was not found.` }] }),
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'keyed', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { key } }) => outputs[name](`out:${key}`),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const run = methods[method];
  const outcome =
    run === undefined
      ? { error: { code: -32601, message: 'Method not found' } }
      : { result: run(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
