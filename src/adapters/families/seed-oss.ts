import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createFunctionFormat } from '../../text-tools/formats/qwen-xml.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** The format of Qwen3-Coder in `<seed:tool_call>`. Values keep the line breaks around them. */
export const seedFormat: TextToolFormat = createFunctionFormat('seed', {
  open: '<seed:tool_call>',
  close: '</seed:tool_call>',
  trims: false,
});

/** Seed-OSS writes calls in `<seed:tool_call>`. Later Seed models write JSON. */
export const seedOss = defineModelAdapter({
  name: 'seed-oss',
  appliesTo: matchModelName('seed-oss', 'seed'),
  middleware: textToolsMiddleware({
    formats: [seedFormat, hermesFormat],
    reasoning: [{ open: '<seed:think>', close: '</seed:think>' }],
  }),
});
