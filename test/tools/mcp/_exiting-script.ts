// Starts a server, and ends the process while the server is starting.
import { createMcpTools } from '../../../src/tools/mcp/index.js';

const [config = ''] = process.argv.slice(2);
const tools = createMcpTools({ fixture: JSON.parse(config) });
tools.listTools().catch(() => {});
setTimeout(() => process.exit(7), 500);
