// Runs one turn with the messages of standard input, in a process of its own. Prints the new messages.
import { text } from 'node:stream/consumers';
import type { ModelMessage } from 'ai';
import { hosts } from '../host-matrix/_host.js';
import { recordingServer } from './_recording-server.js';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [baseURL = '', hostName = '', effects = '', secret = ''] = process.argv.slice(2);
const host = hosts.find(({ name }) => name === hostName);
if (host === undefined) throw new Error(`There is no host ${hostName}.`);
const provider = host.createProvider({
  baseURL,
  apiKey: 'sk-test-0123456789',
  mcpServers: recordingServer(effects),
  toolLoop: {
    approve: 'host',
    ...(secret !== '' && { hostApprovals: { secret, claim: () => true } }),
  },
});
const messages = JSON.parse(await text(process.stdin)) as ModelMessage[];
const result = await host.sdk.generateText({ model: provider('gpt-5'), messages, maxRetries: 0 });
console.log(JSON.stringify(result.response.messages));
await provider.close();
