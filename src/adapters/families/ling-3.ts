import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { glmFormat } from './glm.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Ling 3 writes calls in the format of GLM. */
export const ling3 = defineModelAdapter({
  name: 'ling-3',
  appliesTo: matchModelName('ling-?3'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, glmFormat], reasoning: [thinkTags] }),
});
