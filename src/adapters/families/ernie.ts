import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** ERNIE 4.5 Thinking writes calls in the format of Hermes. It starts in reasoning, and answers in `<response>`. */
export const ernie = defineModelAdapter({
  name: 'ernie',
  appliesTo: matchModelName('ernie(?!.?(?:image|[1-3](?!\\d)))'),
  middleware: textToolsMiddleware({
    formats: [{ ...hermesFormat, wrappers: [{ open: '<response>', close: '</response>' }] }],
    reasoning: [thinkTags],
    startsInReasoning: modelId => /thinking/i.test(modelId),
  }),
});
