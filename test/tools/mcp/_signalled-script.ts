// Uses a server over stdio until it receives a signal. With "own", its SIGTERM listener calls the server once more and
// then ends the process with code 3. With "last", its listener ends the process if it is the only listener, as the
// package `signal-exit` does. With "grandchild", "throw" or "exit", the server
// starts a grandchild, and with the latter two the process then ends itself.
import { createMcpTools } from '../../../src/tools/mcp/index.js';

const [config = '', mode] = process.argv.slice(2);
const tools = createMcpTools({ fixture: JSON.parse(config) });

async function callTool(toolName: string, input: Record<string, unknown>): Promise<void> {
  const call = { toolCallId: 'call_1', toolName, input };
  console.log((await tools.callTool(call, { signal: new AbortController().signal })).value);
}
const echo = (text: string): Promise<void> => callTool('echo', { text });

if (mode === 'own') process.once('SIGTERM', () => void echo('after the signal').then(() => process.exit(3)));
const endIfLast = () => {
  if (process.listenerCount('SIGTERM') > 1) return;
  process.off('SIGTERM', endIfLast);
  process.kill(process.pid, 'SIGTERM');
};
if (mode === 'last') process.on('SIGTERM', endIfLast);
setInterval(() => {}, 1000);
if (mode === 'grandchild' || mode === 'throw' || mode === 'exit') await callTool('grandchild', {});
else await echo('before the signal');
if (mode === 'exit') process.exit(7);
if (mode === 'throw') setImmediate(() => void Promise.reject(new Error('uncaught')));
