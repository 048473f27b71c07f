import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** EXAONE 4 writes calls in the format of Hermes, K-EXAONE 2 in that of Qwen3-Coder. */
export const exaone = defineModelAdapter({
  name: 'exaone',
  appliesTo: matchModelName('exaone'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, qwenXmlFormat], reasoning: [thinkTags] }),
});
