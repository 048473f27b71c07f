import { missingCallIdsMiddleware } from '../parts/missing-call-ids.js';
import { thoughtSignaturesMiddleware } from './gemini-thought-signatures.js';
import { joinMiddlewares } from './middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';
import { toolNamesMiddleware } from './tool-names.js';

/**
 * Gemini's OpenAI-compatible endpoints return calls with empty ids (camel-ai/camel#3027), put the signatures of calls
 * into a separate field, and prefix tool names with a module, as in `default_api.get_weather`.
 */
export const gemini = defineModelAdapter({
  name: 'gemini',
  appliesTo: matchModelName('gemini'),
  middleware: joinMiddlewares(missingCallIdsMiddleware, toolNamesMiddleware, thoughtSignaturesMiddleware),
});
