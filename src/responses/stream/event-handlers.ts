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
import { inputDeltaEvents } from '../hosted-tools/index.js';
import { RETRYABLE } from '../../http/retry.js';
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

/** The state of a response. After `failed` no further event matters. */
export type ResponseState = 'open' | 'terminal' | 'failed';

/** The state of one response, which the handlers change. */
export interface Mapping {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly errorContext: ErrorContext;
  /** The requested limit of output tokens. */
  readonly maxOutputTokens: number | undefined;
  readonly items: OutputItems;
  state: ResponseState;
  responseId: string | undefined;
  announcedModel: string | undefined;
  finishReason: LanguageModelV2FinishReason;
  usage: LanguageModelV2Usage;
  /** Usage of earlier lifecycles in the same stream. */
  earlierUsage: LanguageModelV2Usage;
  metadata: JSONObject;
  /** The server's reason for an incomplete response. */
  incompleteReason?: string;
  hasCalls: boolean;
  /** True after a truncated call: the response is then incomplete, even if the server reports it as completed. */
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
      mapping.items.beginResponse();
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

  'response.completed': completeResponse,
  'response.done': completeResponse,
  'response.incomplete': (fields, mapping) => completeResponse(fields, mapping, true),
  'response.failed': failResponse,
  'response.cancelled': failResponse,
  error: (fields, mapping) => {
    // After its terminal event a response is complete.
    if (mapping.state !== 'terminal') mapping.fail(toStreamError(fields, mapping.errorContext));
  },
  // The marker follows a terminal event. A stream that contains only the marker is truncated.
  [DONE_MARKER]: () => {},
  'chat.completion': (_fields, mapping) => mapping.fail(toWrongProtocolError(mapping.errorContext)),
};

const writeHostedInput: Handler = (fields, { items }) => {
  items.at('hosted', fields).writeInput(stringOf(fields.delta));
};

/** The handlers by event type. Events without a handler are ignored. */
export const EVENT_HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...Object.entries(handlers),
  ...inputDeltaEvents.map((type): [string, Handler] => [type, writeHostedInput]),
]);

function announceResponse(fields: PlainObject, mapping: Mapping): void {
  const response = objectOf(fields.response);
  if (response === undefined) return;
  const id = idOf(response.id);
  const modelId = idOf(response.model);
  // Written once, and again if the model becomes known later. GitHub Copilot changes the id in every event.
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

/** Converts seconds to a date. Formatting an invalid date would throw an error later. */
function toDate(seconds: unknown): Date | undefined {
  const date = new Date((numberOf(seconds) ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function completeResponse(fields: PlainObject, mapping: Mapping, incomplete = false): void {
  // A second terminal event (`response.done` after `response.completed`) contains nothing new.
  if (mapping.state === 'terminal') return;
  const response = objectOf(fields.response) ?? {};
  if (response.status === 'failed' || response.status === 'cancelled' || isPlainObject(response.error)) {
    failResponse(fields, mapping);
    return;
  }
  announceResponse(fields, mapping);
  mapping.items.complete(objectsOf(response.output));
  const usage = toUsage(response.usage);
  // llama.cpp reports a response that the limit ended as completed.
  const reason =
    idOf(objectOf(response.incomplete_details)?.reason) ??
    (isAtLimit(usage, mapping) ? 'max_output_tokens' : undefined);
  const isIncomplete = incomplete || response.status === 'incomplete' || reason !== undefined;
  mapping.items.closeAll({ broken: isIncomplete });
  mapping.usage = addUsage(mapping.earlierUsage, usage);
  mapping.metadata = toFinishMetadata(response);
  mapping.incompleteReason = reason;
  mapping.finishReason = toFinishReason(reason, {
    incomplete: isIncomplete || mapping.hasPartialCalls,
    hasCalls: mapping.hasCalls,
  });
  if (mapping.state === 'open') mapping.state = 'terminal';
}

const isAtLimit = (
  { outputTokens }: LanguageModelV2Usage,
  { maxOutputTokens }: Pick<Mapping, 'maxOutputTokens'>,
): boolean => outputTokens !== undefined && maxOutputTokens !== undefined && outputTokens >= maxOutputTokens;

function failResponse(fields: PlainObject, mapping: Mapping): void {
  announceResponse(fields, mapping);
  mapping.usage = toUsage(objectOf(fields.response)?.usage);
  mapping.fail(toStreamError(fields.response, mapping.errorContext));
}

function toWrongProtocolError({ url, requestBody, responseHeaders }: ErrorContext): APICallError {
  return new APICallError({
    message:
      `Expected the events of the Responses API from ${url}, got chat completions. ` +
      'This endpoint or deployment does not support the Responses API: use a chat-completions provider for it, ' +
      'for example @ai-sdk/openai-compatible.',
    url,
    requestBodyValues: requestBody,
    responseHeaders,
    isRetryable: RETRYABLE.unexpectedResponse,
  });
}
