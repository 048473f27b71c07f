/**
 * Calls a model of the endpoint in `process.argv[2]` and prints the outcome. Runs in a separate process, so that its
 * memory can be measured and running out of memory ends nothing else.
 */
import { createKelivoResponsesProvider } from '../../src/index.js';

const [, , baseURL, settings = '{}', mode = 'stream'] = process.argv;
const provider = createKelivoResponsesProvider({ baseURL, apiKey: 'sk-key', ...JSON.parse(settings) });
const model = provider.responses('m');
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

const memoryBefore = process.memoryUsage().rss;
const cpuBefore = process.cpuUsage();
let parts = 0;
let characters = 0;
let finishReason: string | undefined;
let error: unknown;
try {
  if (mode === 'generate') {
    const result = await model.doGenerate({ prompt });
    ({ finishReason } = result);
    parts = result.content.length;
  } else if (mode === 'embed') {
    await provider.textEmbeddingModel('m').doEmbed({ values: ['Hi'] });
  } else {
    const { stream } = await model.doStream({ prompt });
    for await (const part of stream) {
      parts++;
      if (part.type === 'text-delta') characters += part.delta.length;
      if (part.type === 'error') ({ error } = part);
      if (part.type === 'finish') ({ finishReason } = part);
    }
  }
} catch (thrown) {
  error = thrown;
}

const { name, message, isRetryable, statusCode } = Object(error);
console.log(
  JSON.stringify({
    error: error === undefined ? undefined : { name, message, isRetryable, statusCode },
    finishReason,
    parts,
    characters,
    cpuTime: process.cpuUsage(cpuBefore).user,
    // In MB; `maxRSS` is in KiB.
    memory: Math.round((process.resourceUsage().maxRSS * 1024 - memoryBefore) / 1e6),
  }),
);
