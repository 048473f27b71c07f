// Pays once with a tool that logs each payment, and prints the response. The test kills this process and starts it again.
import { appendFileSync } from 'node:fs';
import { generateText } from 'ai';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { openStore } from './_result-stores.js';

const [baseURL = '', location = '', journal = ''] = process.argv.slice(2);
const store = openStore(location);
const provider = createKelivoResponsesProvider({
  baseURL,
  tools: {
    pay: {
      inputSchema: z.object({ amount: z.number() }),
      execute({ amount }: { amount: number }) {
        appendFileSync(journal, `paid ${amount}\n`);
        return `paid ${amount} by process ${process.pid}`;
      },
    },
  },
  toolLoop: { resultStore: store },
});
const { text } = await generateText({
  model: provider('gpt-5'),
  prompt: 'Pay 5.',
  providerOptions: { kelivo: { turnId: 'turn-1' } },
});
console.log(text);
await provider.close();
await store.close();
