import { createTextTools, type TextToolsOptions } from '../../text-tools/text-tools.js';
import type { ModelMiddleware } from '../../versions/middleware.js';
import { createMiddleware } from './middleware.js';

/**
 * Creates a middleware that converts tool calls and reasoning in a model's text to parts. For models whose server has no
 * parser for them, or an incorrect one.
 *
 * - Complete calls are converted. Where the request allows none, with `toolChoice: 'none'` or without tools after
 *   earlier calls, they are removed. Calls in code stay text, and calls in reasoning stay reasoning unless they end it
 *   without its closing tag.
 * - Long arguments stream as they arrive; `tool-call` follows when the call is complete. A truncated or invalid call is
 *   emitted as text if its arguments have not started to stream. Otherwise it ends in a `tool-call` whose input is no
 *   complete JSON, which hosts report as invalid.
 * - Calls that the model makes natively are left unchanged. A call that a response contains natively and as text is
 *   emitted once.
 * - The finish reason becomes `tool-calls` if calls were found, unless the response was truncated or filtered.
 */
export const textToolsMiddleware = (options: TextToolsOptions): ModelMiddleware =>
  createMiddleware({ wrap: createTextTools(options), readsText: true });
