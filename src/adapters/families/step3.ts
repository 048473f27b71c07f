import { createInvokeFormat } from '../../text-tools/formats/invoke.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * `<｜tool_calls_begin｜>`, then `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="…">` for each call of
 * Step 3. The tokens look like those of DeepSeek, with `_` instead of `▁`.
 */
export const step3Format: TextToolFormat = createInvokeFormat('step3', {
  tagPrefix: 'steptml:',
  lists: [],
  prefixes: [
    '<｜tool_calls_begin｜>',
    '<｜tool_call_begin｜>',
    '<｜tool_call_begin｜>function<｜tool_sep｜>',
  ],
  closers: ['</steptml:invoke>', '<｜tool_call_end｜>', '<｜tool_calls_end｜>', '<|im_end|>'],
  trims: 'space',
});

/** Step 3.5 writes calls in the format of Qwen3-Coder, Step 3 in its own. The chat templates of both end in `<think>`. */
export const step3 = defineModelAdapter({
  name: 'step3',
  appliesTo: matchModelName('step-?3'),
  middleware: textToolsMiddleware({
    formats: [qwenXmlFormat, step3Format],
    reasoning: [thinkTags],
    startsInReasoning: modelId => /step-?3/i.test(modelId),
  }),
});
