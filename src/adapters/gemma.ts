import { toolRequestFormat } from '../text-tools/formats/tool-request.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** Gemma has no form of its own for calls and takes that of the prompt: `[TOOL_REQUEST]` under LM Studio. */
export const gemma = defineModelAdapter({
  name: 'gemma',
  appliesTo: matchModelName('gemma', 'functiongemma'),
  middleware: textToolsMiddleware({ formats: [toolRequestFormat] }),
});
