import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Trinity writes calls in the format of Hermes. */
export const trinity = defineModelAdapter({
  name: 'trinity',
  appliesTo: matchModelName('trinity'),
  middleware: textToolsMiddleware({ formats: [hermesFormat], reasoning: [thinkTags] }),
});
