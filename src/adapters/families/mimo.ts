import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createFunctionFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** The format of Qwen3-Coder with the values between the tags. A line break on one side only belongs to the value. */
export const mimoFormat: TextToolFormat = createFunctionFormat('mimo', {
  open: '<tool_call>',
  close: '</tool_call>',
  trims: 'pair',
});

/** MiMo V2 writes calls in the XML of Qwen3-Coder, MiMo-7B and MiMo-VL in the JSON of Hermes. */
export const mimo = defineModelAdapter({
  name: 'mimo',
  appliesTo: matchModelName('mimo(?!-audio)'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, mimoFormat], reasoning: [thinkTags] }),
});
