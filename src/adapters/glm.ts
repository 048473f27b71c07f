import { glmFormat } from '../text-tools/formats/glm.js';
import { hermesFormat } from '../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** GLM 4.5 and later write calls as pairs of `<arg_key>` and `<arg_value>`; under prompts of others as those do. */
export const glm = defineModelAdapter({
  name: 'glm',
  appliesTo: matchModelName('glm', 'chatglm'),
  middleware: textToolsMiddleware({
    formats: [hermesFormat, qwenXmlFormat, glmFormat],
    reasoning: [thinkTags],
  }),
});
