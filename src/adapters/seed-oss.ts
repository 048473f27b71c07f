import { hermesFormat } from '../text-tools/formats/hermes.js';
import { seedFormat } from '../text-tools/formats/qwen-xml.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** Seed-OSS writes calls as Qwen3-Coder does, in `<seed:tool_call>`; later Seed models write JSON. */
export const seedOss = defineModelAdapter({
  name: 'seed-oss',
  appliesTo: matchModelName('seed-oss', 'seed'),
  middleware: textToolsMiddleware({
    formats: [seedFormat, hermesFormat],
    reasoning: [{ open: '<seed:think>', close: '</seed:think>' }],
  }),
});
