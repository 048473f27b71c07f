import { bareJsonFormat, llamaFormat } from '../text-tools/formats/llama.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** Llama 3 and 4 answer with the JSON of a call, and nothing around it (vllm-project/vllm#46863). */
export const llama = defineModelAdapter({
  name: 'llama',
  appliesTo: matchModelName('llama', 'meta-llama'),
  middleware: textToolsMiddleware({ formats: [llamaFormat, bareJsonFormat] }),
});
