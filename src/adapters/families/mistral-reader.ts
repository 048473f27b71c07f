import { mistral } from '../text-tools/formats/token-calls.js';
import { thinkTags } from '../text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../kit/text-tools-middleware.js';

/** Reads the calls and the reasoning in the text of Mistral's models. */
export const reader = textToolsMiddleware({
  formats: [mistral],
  reasoning: [{ open: '[THINK]', close: '[/THINK]' }, thinkTags],
});
