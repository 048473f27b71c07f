import { callListFormat, pairCallFormat } from '../../text-tools/formats/call-lists.js';
import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** The calls of Hunyuan. After its reasoning, A13B writes the answer in `<answer>`. */
export const hunyuanFormat: TextToolFormat = {
  ...callListFormat,
  name: 'hunyuan',
  turnEnds: ['<|eos|>', '<|hy_eos|>'],
  wrappers: [{ open: '<answer>', close: '</answer>' }],
};

/** The tags of the published tokenizer of Hunyuan 3. */
const suffixedThinkTags = { open: '<think:opensource>', close: '</think:opensource>' };

/** Hunyuan A13B writes a JSON list in `<tool_calls>`, Hunyuan 3 pairs of keys and values. */
export const hunyuan = defineModelAdapter({
  name: 'hunyuan',
  appliesTo: matchModelName('hunyuan(?!.?(?:video|3d|image|mt|dit|world|avatar|ocr))', 'hy.?3'),
  middleware: textToolsMiddleware({
    formats: [hunyuanFormat, pairCallFormat, hermesFormat],
    reasoning: [thinkTags, suffixedThinkTags],
  }),
});
