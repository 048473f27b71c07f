import { deepseekFormat } from '../text-tools/formats/deepseek.js';
import { dsmlFormat } from '../text-tools/formats/invoke.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** DeepSeek writes calls between special tokens up to V3.1, and in a markup called DSML since V3.2. */
export const deepseek = defineModelAdapter({
  name: 'deepseek',
  appliesTo: matchModelName('deepseek'),
  middleware: textToolsMiddleware({
    formats: [deepseekFormat, dsmlFormat],
    reasoning: [thinkTags],
    // The template of R1 ends in `<think>`.
    startsInReasoning: modelId => /deepseek-r1/i.test(modelId),
  }),
});
