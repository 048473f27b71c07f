import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createJsonListFormat } from '../../text-tools/formats/json-list.js';
import { type ReasoningTags, thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * `<|tool_call|>[{"name": …, "arguments": {…}}]` of Granite 3, and `<function_call>{…}` for each call of Granite 20B.
 * With reasoning, Granite 3.3 writes its answer in `<response>`.
 */
export const graniteFormat: TextToolFormat = createJsonListFormat('granite', {
  openers: ['<|tool_call|>', '<function_call>'],
  closers: ['</function_call>'],
  turnEnds: ['<|end_of_text|>'],
  wrappers: [{ open: '<response>', close: '</response>' }],
});

/** The reasoning of Granite 3.2, which has headings in place of tags. */
const thoughtHeadings: ReasoningTags = {
  open: 'Here is my thought process:',
  close: 'Here is my response:',
};

/** Granite 3.1 and 4 write calls in the format of Hermes, the other versions after markers of their own. */
export const granite = defineModelAdapter({
  name: 'granite',
  appliesTo: matchModelName('granite(?!-?(?:speech|timeseries|geospatial))'),
  middleware: textToolsMiddleware({
    formats: [graniteFormat, hermesFormat],
    reasoning: [thinkTags, thoughtHeadings],
  }),
});
