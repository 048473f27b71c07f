import { hermesFormat } from '../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../text-tools/reasoning.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

/** Hermes and Granite 4 write calls in the JSON format of Qwen, Nemotron 3 in the XML format of Qwen3-Coder. */
export const hermes = defineModelAdapter({
  name: 'hermes',
  appliesTo: matchModelName('hermes', 'granite', 'nemotron'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, qwenXmlFormat], reasoning: [thinkTags] }),
});
