// A process of a host that keeps the credentials of a user in a file. `start` prints the URL to open, and `finish`
// completes the sign-in with a callback and prints the output of a tool.
import { readFileSync, writeFileSync } from 'node:fs';
import { createMcpTools, createOAuthProvider } from '../../../src/tools/mcp/index.js';

const [command, url = '', redirectUrl = '', file = '', callback = ''] = process.argv.slice(2);
const store = {
  get: (key: string) => JSON.parse(readFileSync(file, 'utf8'))[key],
  set(key: string, value: string) {
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), [key]: value }));
  },
};
const tools = createMcpTools({
  server: { url, type: 'http', authProvider: createOAuthProvider({ serverUrl: url, redirectUrl, store }) },
});
if (command === 'start') {
  await tools.listTools();
  console.log(tools.status()[0]?.authorizationUrl);
} else {
  await tools.finishAuth('server', callback);
  const call = { toolCallId: 'call_1', toolName: 'whoami', input: {} };
  console.log((await tools.callTool(call, { signal: AbortSignal.timeout(240_000) })).value);
}
await tools.close();
