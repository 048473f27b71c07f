// Sends histories in a process of its own. Reads the address, the major of `ai`, the settings of providers and the histories
// as JSON from standard input, and prints the warnings of each call.
import { text } from 'node:stream/consumers';
import type { ModelMessage } from 'ai';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { createKelivoResponsesProvider as createV3 } from '../../../src/v3.js';
import { createKelivoResponsesProvider as createV4 } from '../../../src/v4.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

interface Task {
  readonly baseURL: string;
  readonly major: 5 | 6 | 7;
  readonly scope: string;
  readonly settings: readonly KelivoResponsesSettings[];
  readonly histories: readonly ModelMessage[][];
}

const { baseURL, major, scope, settings, histories } = JSON.parse(await text(process.stdin)) as Task;
const hosts = {
  5: [ai5, createKelivoResponsesProvider],
  6: [ai6, createV3],
  7: [ai7, createV4],
} as unknown as Record<Task['major'], readonly [typeof ai5, typeof createKelivoResponsesProvider]>;
const [sdk, createProvider] = hosts[major];
const warnings: unknown[] = [];
for (const own of settings) {
  const provider = createProvider({ baseURL, ...own });
  for (const messages of histories) {
    const outcome = await sdk.generateText({
      model: provider('gpt-5'),
      messages,
      maxRetries: 0,
      tools: { look_up: sdk.tool({ inputSchema: sdk.jsonSchema({ type: 'object' }) }) },
      providerOptions: { kelivo: { scope } },
    });
    warnings.push(outcome.warnings ?? []);
  }
  await provider.close();
}
console.log(JSON.stringify(warnings));
