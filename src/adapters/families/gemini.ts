import { withCallIds } from '../../core/call-ids.js';
import { thoughtSignaturesMiddleware } from './gemini-thought-signatures.js';
import { createMiddleware, joinMiddlewares } from '../middleware.js';
import { toolNamesMiddleware } from '../tool-names.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * Gemini's OpenAI-compatible endpoints return calls with empty ids (camel-ai/camel#3027), put the signatures of calls
 * into a separate field, and prefix tool names with a module, as in `default_api.get_weather`.
 */
export const gemini = defineModelAdapter({
  name: 'gemini',
  appliesTo: matchModelName('gemini'),
  middleware: joinMiddlewares(
    createMiddleware({ wrap: withCallIds }),
    toolNamesMiddleware,
    thoughtSignaturesMiddleware,
  ),
});
