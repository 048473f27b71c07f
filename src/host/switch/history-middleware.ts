import { withCallIds } from '../../core/call-ids.js';
import { toModelOf } from '../../core/versions/language-model.js';
import { type ModelMiddleware, toModelMiddleware } from '../../core/versions/middleware.js';
import { VERSIONS, versionOf } from '../../core/versions/versions.js';
import { continueHistories } from './official-call.js';

/**
 * Returns a middleware for `wrapLanguageModel` of `ai` 5, 6 and 7, with which a stock Responses model (`@ai-sdk/openai` 2, 3
 * and 4, `@ai-sdk/azure`) continues conversations of this package, for hosts whose flag is in their own code. It sends calls of
 * the tool loop with their outputs and encrypted reasoning. It leaves out what the model cannot send, with a warning, and
 * thoughts of other vendors. It renames tools whose names the API rejects, and sets `store: false` unless the call sets
 * `store`. The switch and the registry do the same.
 *
 * @example
 * ```ts
 * const model = flags.kelivo
 *   ? kelivo('gpt-5')
 *   : wrapLanguageModel({ model: openai.responses('gpt-5'), middleware: openaiHistoryMiddleware() });
 * ```
 */
export const openaiHistoryMiddleware = (): ModelMiddleware =>
  toModelMiddleware(model => toModelOf(withCallIds(continueHistories(model)), VERSIONS[versionOf(model)]));
