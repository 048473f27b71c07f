import { RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import { isNestedDeeper } from '../../http/limits.js';
import type { SseEvent } from '../../http/sse-parser.js';
import { isPlainObject, type PlainObject } from '../../shared/json.js';

/** One event of the Responses API, as far as it can be told: a type, and fields that are read with care. */
export interface ResponsesEvent {
  readonly type: string;
  readonly fields: PlainObject;
}

/** The end marker that chat-completions servers send and that some Responses servers kept. */
export const DONE_MARKER = '[DONE]';

/**
 * The event in one SSE dispatch, or undefined where there is none: no JSON, or JSON of no known kind.
 * The type is `data.type`, else the `event:` line, else what the shape of the object tells.
 *
 * @throws AnswerLimitError for an event that is nested too deep.
 */
export function toResponsesEvent({ event, data }: SseEvent): ResponsesEvent | undefined {
  if (!data.startsWith('{') && data.trim() === DONE_MARKER) return { type: DONE_MARKER, fields: {} };
  const fields = parse(data);
  if (!isPlainObject(fields)) return undefined;
  return typeof fields.type === 'string' ? { type: fields.type, fields } : toUntypedEvent(fields, event);
}

function parse(data: string): unknown {
  if (isNestedDeeper(data, RESPONSE_LIMITS.nesting))
    throw new ResponseLimitError('nesting', 'arrays and objects in each other');
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/**
 * An event for an object that does not name its type: a whole response object (the agentic-api gateway puts
 * one into a `data:` line, and an answer that is not streamed is one), a bare error, a chat completion.
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
