import { createTextTools, type TextToolsOptions } from '../text-tools/text-tools.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import { createMiddleware } from './middleware.js';

/**
 * Creates a middleware that converts tool calls and reasoning in a model's text to parts. For models whose server has no
 * parser for them, or an incorrect one.
 *
 * - Complete calls are converted. Where the request allows none, with `toolChoice: 'none'` or without tools after
 *   earlier calls, they are removed. Calls in code fences, inline code and quotations stay text, and calls in reasoning stay
 *   reasoning unless they are calls of declared tools that end it, and no text and no other call follows.
 * - A call whose tool and arguments a tool result or a text of the user contains as well is a quotation: it stays text, and
 *   `providerMetadata.kelivo.quotedCalls` has its name.
 * - A name means the declared tool of this name. Otherwise a prefix such as `functions.`, an index such as `:0`, white space
 *   and case are ignored if exactly one declared tool remains.
 * - A call is complete when its syntax is closed. If only its end tag is missing after a complete last parameter, it is a call
 *   if the response ends normally and no required parameter is missing.
 * - Values get the types of the schema of the tool, at every level. A misspelt tag is read if its meaning is certain, and makes
 *   the call invalid otherwise.
 * - Long arguments stream as they arrive; `tool-call` follows when the call is complete. A truncated or invalid call is
 *   emitted as text if its arguments have not started to stream. Otherwise it ends in a `tool-call` whose input is no
 *   complete JSON, which hosts report as invalid.
 * - Calls that the model makes natively are left unchanged. A call that a response contains natively and as text is
 *   emitted once, with the native id. Calls of less than 256 characters therefore wait for up to 512 characters after them.
 * - The finish reason becomes `tool-calls` if calls were found, unless the response was truncated or filtered.
 */
export const textToolsMiddleware = (options: TextToolsOptions): ModelMiddleware =>
  createMiddleware({ wrap: createTextTools(options), readsText: true });
