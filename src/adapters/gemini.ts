import { defineModelAdapter } from './define-model-adapter.js';
import { missingCallIdsMiddleware } from '../parts/missing-call-ids.js';
import { thoughtSignaturesMiddleware } from './gemini-thought-signatures.js';
import { joinMiddlewares } from './join-middlewares.js';
import { matchModelName } from './match-model-name.js';
import { toolNamesMiddleware } from './tool-names.js';

/**
 * Gemini's OpenAI-compatible endpoints give calls empty ids (camel-ai/camel#3027), sign calls in a field of their own,
 * and name tools with the module they are shown in, as `default_api.get_weather`.
 */
export const gemini = defineModelAdapter({
  name: 'gemini',
  appliesTo: matchModelName('gemini'),
  middleware: joinMiddlewares(missingCallIdsMiddleware, toolNamesMiddleware, thoughtSignaturesMiddleware),
});
