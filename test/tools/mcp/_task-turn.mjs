// Runs a durable turn whose tool runs as a task, and prints its events and its text. With `holds`, the record of the task is
// never written. It uses the built package, which starts faster than the sources.
import { generateText } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { createJournal, createSqliteStore } from 'kelivo-responses/journal';

globalThis.AI_SDK_LOG_WARNINGS = false;
const { baseURL, server, path, onUnknownOutcome, holds = false } = JSON.parse(process.argv[2] ?? '{}');
const store = createSqliteStore({ path });
const journal = createJournal({
  store: {
    ...store,
    async write(key, step, ...rest) {
      if (!step.startsWith('task ')) return store.write(key, step, ...rest);
      console.log('task');
      return holds ? new Promise(() => {}) : store.write(key, step, ...rest);
    },
  },
  lease: 1000,
});
const provider = createKelivoResponsesProvider({
  baseURL,
  apiKey: 'sk-test-0123456789',
  mcpServers: { everything: server },
  mcp: {
    onMessage({ direction, message }) {
      if (direction === 'sent' && message.method === 'tools/call') console.log('call');
    },
  },
  toolLoop: {
    journal,
    onUnknownOutcome,
    onEvent(event) {
      if (event.type === 'tool-progress') console.log(`progress ${event.message}`);
      if (event.type === 'tool-end') console.log(`output ${JSON.stringify(event.output)}`);
    },
  },
});
const { text } = await generateText({
  model: provider('gpt-5'),
  prompt: 'Research tea.',
  providerOptions: { kelivo: { turnId: 'research' } },
});
console.log(text);
await provider.close();
await store.close();
