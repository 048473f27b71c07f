// Closes a provider while an approval is waiting and a server is starting, and approves afterwards.
import { streamText } from 'ai';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';

const [baseURL = '', servers = ''] = process.argv.slice(2);
let approve: (decision: boolean) => void = () => {};
let onAsked: () => void = () => {};
const asked = new Promise<void>(resolve => {
  onAsked = resolve;
});
const provider = createKelivoResponsesProvider({
  baseURL,
  mcpServers: JSON.parse(servers),
  toolLoop: {
    approvals: 'always',
    approve: () => {
      onAsked();
      return new Promise<boolean>(resolve => {
        approve = resolve;
      });
    },
  },
});
process.on('exit', () => console.log('exit'));
globalThis.AI_SDK_LOG_WARNINGS = false;
const result = streamText({
  model: provider('gpt-5'),
  prompt: 'Go.',
  onError: ({ error }) => console.log('error', KelivoError.isInstance(error) ? error.code : error),
});
const turn = result.consumeStream();
await asked;
console.log('asked');
await provider.close();
console.log('closed');
approve(true);
await turn;
