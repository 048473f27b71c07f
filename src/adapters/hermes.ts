import { hermesFormat } from '../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** Hermes, Granite 4 and Nemotron 3 write calls as Qwen does, the last as Qwen3-Coder. */
export const hermes = defineModelAdapter({
  name: 'hermes',
  appliesTo: matchModelName('hermes', 'granite', 'nemotron'),
  middleware: textToolsMiddleware({ formats: [hermesFormat, qwenXmlFormat], reasoning: [thinkTags] }),
});
