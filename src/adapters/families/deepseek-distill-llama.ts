import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { deepseekFormat, isDeepseek, isDistilledLlama, startsInReasoning } from './deepseek.js';
import { bareJsonFormat, llamaFormat } from './llama.js';
import { defineModelAdapter } from '../model-adapter.js';

/** The distillations of DeepSeek R1 on Llama write calls as DeepSeek or as Llama does. */
export const deepseekDistillLlama = defineModelAdapter({
  name: 'deepseek-distill-llama',
  appliesTo: modelId => isDeepseek(modelId) && isDistilledLlama(modelId),
  middleware: textToolsMiddleware({
    formats: [deepseekFormat, llamaFormat, bareJsonFormat],
    reasoning: [thinkTags],
    startsInReasoning,
  }),
});
