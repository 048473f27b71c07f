import { hermesFormat } from '../text-tools/formats/hermes.js';
import { bareListFormat, createJsonListFormat } from '../text-tools/formats/json-list.js';
import { thinkTags } from '../text-tools/reasoning.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

/** `[TOOL_CALLS][{"name": …, "arguments": {…}}]`, one of the markers that xLAM puts before its lists. */
export const xlamFormat: TextToolFormat = createJsonListFormat('xlam', { openers: ['[TOOL_CALLS]'] });

/** xLAM responds with a bare list of calls, also after `<think>`, or with a list after markers of other families. */
export const xlam = defineModelAdapter({
  name: 'xlam',
  appliesTo: matchModelName('xlam'),
  middleware: textToolsMiddleware({
    formats: [xlamFormat, hermesFormat, bareListFormat],
    reasoning: [thinkTags],
  }),
});
