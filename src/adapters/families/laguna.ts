import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { glmFormat } from './glm.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Laguna writes calls in the format of GLM. The chat template of Laguna S ends in `<think>`. */
export const laguna = defineModelAdapter({
  name: 'laguna',
  appliesTo: matchModelName('laguna'),
  middleware: textToolsMiddleware({
    formats: [hermesFormat, glmFormat],
    reasoning: [thinkTags],
    startsInReasoning: modelId => /laguna[-_.]s(?![a-z])/i.test(modelId),
  }),
});
