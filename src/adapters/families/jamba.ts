import { callListFormat } from '../../text-tools/formats/call-lists.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Jamba 1.5 and later write a JSON list in `<tool_calls>`. */
export const jamba = defineModelAdapter({
  name: 'jamba',
  appliesTo: matchModelName('jamba'),
  middleware: textToolsMiddleware({ formats: [callListFormat] }),
});
