// Streams until an MCP tool runs, aborts the stream and prints the event. It never calls `close()`.
import { streamText } from 'ai';
import { createKelivoResponsesProvider } from '../../src/index.js';

const [baseURL = '', server = ''] = process.argv.slice(2);
const controller = new AbortController();
const provider = createKelivoResponsesProvider({
  baseURL,
  mcpServers: { fixture: JSON.parse(server) },
  toolLoop: {
    onEvent: ({ type }) => {
      if (type === 'tool-start') setTimeout(() => controller.abort(), 50);
    },
  },
});
const { fullStream } = streamText({
  model: provider('gpt-5'),
  prompt: 'Go.',
  abortSignal: controller.signal,
});
for await (const { type } of fullStream) if (type === 'abort' || type === 'error') console.log(type);
