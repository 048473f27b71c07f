import { hermesFormat } from '../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';
import type { ModelAdapter } from './model-adapter.js';

export const qwen: ModelAdapter = defineModelAdapter({
  name: 'qwen',
  appliesTo: matchModelName('qwen', 'qwq'),
  middleware: textToolsMiddleware({
    formats: [hermesFormat, qwenXmlFormat],
    reasoning: [thinkTags],
  }),
});
