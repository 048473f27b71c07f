// An MCP server over stdio whose tool `record` appends a line to a file for each run. The result of step 1 contains an
// image of `IMAGE_BYTES` bytes that begins with the key of its conversation.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { EFFECTS = '', IMAGE_BYTES = '0' } = process.env;
const size = Number(IMAGE_BYTES);

const tool = {
  name: 'record',
  description: 'Records a step of a conversation.',
  inputSchema: {
    type: 'object',
    properties: { key: { type: 'string' }, step: { type: 'number' } },
    required: ['key', 'step'],
  },
};

function record({ key, step }) {
  appendFileSync(EFFECTS, `record ${key} ${step}\n`);
  const text = { type: 'text', text: `record ${key} ${step}` };
  if (step !== 1 || size === 0) return { content: [text] };
  const data = Buffer.alloc(size, `${key};`).toString('base64');
  return { content: [text, { type: 'image', data, mimeType: 'image/png' }] };
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'recording', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: input }) => record(input),
  ping: () => ({}),
};

const unknownMethod = { code: -32601, message: 'Method not found' };

createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    // A server that ends at an unknown method is started twice.
    const answer = methods[method] ? { result: methods[method](params) } : { error: unknownMethod };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  })
  .on('close', () => process.exit(0));
