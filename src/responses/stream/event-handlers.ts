import {
  APICallError,
  type JSONObject,
  type LanguageModelV2FinishReason,
  type LanguageModelV2StreamPart,
  type LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { addUsage } from '../../parts/usage.js';
import { kindOf, type OutputItems } from './output-items.js';
import { toFinishMetadata, toFinishReason, toUsage } from './finish.js';
import { DONE_MARKER } from './responses-event.js';
import { type ErrorContext, toStreamError } from '../../http/api-error.js';
import {
  idOf,
  isNonEmptyArray,
  isPlainObject,
  numberOf,
  objectOf,
  objectsOf,
  stringOf,
  type PlainObject,
} from '../../shared/json.js';

/** How far a response is. After `failed` nothing more is worth reading. */
export type ResponseState = 'open' | 'terminal' | 'failed';

/** What the handlers work on. */
export interface Mapping {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly errorContext: ErrorContext;
  readonly items: OutputItems;
  state: ResponseState;
  responseId: string | undefined;
  announcedModel: string | undefined;
  finishReason: LanguageModelV2FinishReason;
  usage: LanguageModelV2Usage;
  /** Usage of lifecycles that the server went on from. */
  earlierUsage: LanguageModelV2Usage;
  metadata: JSONObject;
  /** Why the server ended the response before its end, in its own word. */
  incompleteReason?: string;
  hasCalls: boolean;
  /** Whether a call was cut short: then the answer is not whole, whatever the server says. */
  hasPartialCalls: boolean;
  readonly logprobs: unknown[];
  fail(error: unknown): void;
}

type Handler = (fields: PlainObject, mapping: Mapping) => void;

const handlers: Readonly<Record<string, Handler>> = {
  'response.created': (fields, mapping) => {
    // A gateway that runs tools itself sends several lifecycles in one stream (BerriAI/litellm#40118).
    if (mapping.state === 'terminal') {
      mapping.state = 'open';
      mapping.earlierUsage = mapping.usage;
      mapping.hasCalls = false;
      mapping.items.beginAnew();
    }
    announceResponse(fields, mapping);
  },
  'response.queued': announceResponse,
  'response.in_progress': announceResponse,

  'response.output_item.added': (fields, { items }) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) items.announce(kindOf(wire), fields, wire);
  },
  'response.output_item.done': (fields, { items }) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) items.finish(kindOf(wire), fields, wire);
  },

  'response.output_text.delta': (fields, { items, logprobs }) => {
    items.at('message', fields).writeText(stringOf(fields.delta));
    if (isNonEmptyArray(fields.logprobs)) logprobs.push(fields.logprobs);
  },
  'response.output_text.done': (fields, { items }) => {
    items.at('message', fields).completeText(stringOf(fields.text));
  },
  'response.output_text.annotation.added': (fields, { items }) => {
    const annotation = objectOf(fields.annotation);
    if (annotation !== undefined) items.at('message', fields).annotate(annotation);
  },
  'response.refusal.delta': (fields, { items }) => {
    items.at('message', fields).writeRefusal(stringOf(fields.delta));
  },
  'response.refusal.done': (fields, { items }) => {
    items.at('message', fields).completeRefusal(stringOf(fields.refusal));
  },

  'response.reasoning_summary_part.added': (fields, { items }) => {
    items.at('reasoning', fields).openPart(numberOf(fields.summary_index) ?? 0);
  },
  'response.reasoning_summary_text.delta': (fields, { items }) => {
    items
      .at('reasoning', fields)
      .writeDelta('summary', numberOf(fields.summary_index) ?? 0, stringOf(fields.delta));
  },
  'response.reasoning_summary_text.done': (fields, { items }) => {
    items
      .at('reasoning', fields)
      .completePart('summary', numberOf(fields.summary_index) ?? 0, stringOf(fields.text));
  },
  'response.reasoning_text.delta': (fields, { items }) => {
    items.at('reasoning', fields).writeDelta('text', 0, stringOf(fields.delta));
  },
  'response.reasoning_text.done': (fields, { items }) => {
    items.at('reasoning', fields).completePart('text', 0, stringOf(fields.text));
  },

  'response.function_call_arguments.delta': (fields, { items }) => {
    items.at('function_call', fields).writeArguments(stringOf(fields.delta));
  },
  'response.function_call_arguments.done': (fields, { items }) => {
    items.at('function_call', fields).completeArguments(fields);
  },

  'response.code_interpreter_call_code.delta': (fields, { items }) => {
    items.at('hosted', fields).writeCode(stringOf(fields.delta));
  },

  'response.completed': completeResponse,
  'response.done': completeResponse,
  'response.incomplete': (fields, mapping) => completeResponse(fields, mapping, true),
  'response.failed': failResponse,
  'response.cancelled': failResponse,
  error: (fields, mapping) => {
    // After its terminal event an answer is whole.
    if (mapping.state !== 'terminal') mapping.fail(toStreamError(fields, mapping.errorContext));
  },
  // A terminal event follows or has come; a stream with nothing but this is cut off.
  [DONE_MARKER]: () => {},
  'chat.completion': (_fields, mapping) => mapping.fail(toWrongProtocolError(mapping.errorContext)),
};

/** What each event does. An event that is not in the table does nothing. */
export const EVENT_HANDLERS: ReadonlyMap<string, Handler> = new Map(Object.entries(handlers));

function announceResponse(fields: PlainObject, mapping: Mapping): void {
  const response = objectOf(fields.response);
  if (response === undefined) return;
  const id = idOf(response.id);
  const modelId = idOf(response.model);
  // Told once, and again if more is known later; GitHub Copilot's changing ids change nothing.
  if (mapping.responseId !== undefined && (mapping.announcedModel !== undefined || modelId === undefined))
    return;
  if (id === undefined && modelId === undefined) return;
  mapping.responseId ??= id;
  mapping.announcedModel ??= modelId;
  const timestamp = toDate(response.created_at);
  mapping.write({
    type: 'response-metadata',
    ...(mapping.responseId !== undefined && { id: mapping.responseId }),
    ...(modelId !== undefined && { modelId }),
    ...(timestamp !== undefined && { timestamp }),
  });
}

/** A time in seconds; one that no calendar has would throw wherever it is printed. */
function toDate(seconds: unknown): Date | undefined {
  const date = new Date((numberOf(seconds) ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function completeResponse(fields: PlainObject, mapping: Mapping, incomplete = false): void {
  // A second terminal event (`response.done` after `response.completed`) says nothing new.
  if (mapping.state === 'terminal') return;
  const response = objectOf(fields.response) ?? {};
  if (response.status === 'failed' || response.status === 'cancelled' || isPlainObject(response.error)) {
    failResponse(fields, mapping);
    return;
  }
  announceResponse(fields, mapping);
  mapping.items.fillIn(objectsOf(response.output));
  const isIncomplete = incomplete || response.status === 'incomplete';
  mapping.items.closeAll({ broken: isIncomplete });
  mapping.usage = addUsage(mapping.earlierUsage, toUsage(response.usage));
  mapping.metadata = toFinishMetadata(response);
  mapping.incompleteReason = idOf(objectOf(response.incomplete_details)?.reason);
  mapping.finishReason = toFinishReason(response, {
    incomplete: isIncomplete || mapping.hasPartialCalls,
    hasCalls: mapping.hasCalls,
  });
  if (mapping.state === 'open') mapping.state = 'terminal';
}

function failResponse(fields: PlainObject, mapping: Mapping): void {
  announceResponse(fields, mapping);
  mapping.usage = toUsage(objectOf(fields.response)?.usage);
  mapping.fail(toStreamError(fields.response, mapping.errorContext));
}

function toWrongProtocolError({ url, requestBody, responseHeaders }: ErrorContext): APICallError {
  return new APICallError({
    message:
      `Expected the events of the Responses API from ${url}, got chat completions. ` +
      'This endpoint or deployment does not speak the Responses API: use a chat-completions provider for it, ' +
      'for example @ai-sdk/openai-compatible.',
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: false,
  });
}
