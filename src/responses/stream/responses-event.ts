import { isNestedDeeper, RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import type { SseEvent } from '../../http/sse-parser.js';
import { isPlainObject, type PlainObject, tryParseJson } from '../../shared/json.js';

/** One event of the Responses API: a type and unchecked fields. */
export interface ResponsesEvent {
  readonly type: string;
  readonly fields: PlainObject;
}

/** The end marker of chat completions, which some Responses servers send as well. */
export const DONE_MARKER = '[DONE]';

/**
 * Returns the event of one SSE dispatch, or undefined for invalid or unknown JSON. The type is `data.type`, or the
 * `event:` line, or is inferred from the shape of the object.
 *
 * @throws ResponseLimitError for an event that is nested too deeply.
 */
export function toResponsesEvent({ event, data }: SseEvent): ResponsesEvent | undefined {
  if (!data.startsWith('{') && data.trim() === DONE_MARKER) return { type: DONE_MARKER, fields: {} };
  const fields = parse(data);
  if (!isPlainObject(fields)) return undefined;
  return typeof fields.type === 'string' ? { type: fields.type, fields } : toUntypedEvent(fields, event);
}

function parse(data: string): unknown {
  if (isNestedDeeper(data, RESPONSE_LIMITS.nesting))
    throw new ResponseLimitError('nesting', 'levels of nesting');
  return tryParseJson(data);
}

/**
 * Converts an object without a type: a complete response object (a response that was not streamed, or a `data:` line of the
 * agentic-api gateway), a plain error or a chat completion.
 */
export function toUntypedEvent(fields: PlainObject, event?: string): ResponsesEvent | undefined {
  if (event !== undefined && event !== 'message' && event !== '') return { type: event, fields };
  if (fields.object === 'response' || Array.isArray(fields.output)) {
    return { type: `response.${String(fields.status ?? 'completed')}`, fields: { response: fields } };
  }
  if (isChatCompletion(fields)) return { type: 'chat.completion', fields };
  if (fields.error !== undefined && fields.error !== null) return { type: 'error', fields };
  return undefined;
}

const isChatCompletion = (fields: PlainObject): boolean =>
  Array.isArray(fields.choices) ||
  (typeof fields.object === 'string' && fields.object.startsWith('chat.completion'));
