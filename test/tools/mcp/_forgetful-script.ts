// Uses a server over stdio, waits briefly without a running call, and ends without `close()`.
import { createMcpTools } from '../../../src/tools/mcp/index.js';

const tools = createMcpTools({ fixture: JSON.parse(process.argv[2] ?? '') });
await tools.listTools();
await new Promise(resolve => setTimeout(resolve, 50));
const { value } = await tools.callTool(
  { toolCallId: 'call_1', toolName: 'echo', input: { text: 'from a script' } },
  { signal: new AbortController().signal },
);
console.log(value);
