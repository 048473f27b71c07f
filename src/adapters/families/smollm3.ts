import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** SmolLM3 writes calls in the format of Hermes. */
export const smollm3 = defineModelAdapter({
  name: 'smollm3',
  appliesTo: matchModelName('smollm-?3'),
  middleware: textToolsMiddleware({ formats: [hermesFormat], reasoning: [thinkTags] }),
});
