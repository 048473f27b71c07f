import { olmoFormat } from '../../text-tools/formats/pythonic.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** OLMo 3 writes one Python call per line in `<function_calls>`. The prompt of its Think models ends in `<think>`. */
export const olmo3 = defineModelAdapter({
  name: 'olmo3',
  appliesTo: matchModelName('olmo-?3'),
  middleware: textToolsMiddleware({
    formats: [olmoFormat],
    reasoning: [thinkTags],
    startsInReasoning: modelId => /think/i.test(modelId),
  }),
});
