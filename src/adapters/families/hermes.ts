import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Hermes writes calls as JSON in `<tool_call>`. */
export const hermes = defineModelAdapter({
  name: 'hermes',
  appliesTo: matchModelName('hermes'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, qwenXmlFormat], reasoning: [thinkTags] }),
});
