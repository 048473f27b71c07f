import {
  APICallError,
  type JSONObject,
  type LanguageModelV2FinishReason,
  type LanguageModelV2StreamPart,
  type LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { addUsage, type ModelUsage } from '../../parts/usage.js';
import type { OutputItems } from './output-items.js';
import { toFinishMetadata, toFinishReason, toUsage } from './finish.js';
import { DONE_MARKER } from './responses-event.js';
import { hostedEvents } from '../hosted-tools/index.js';
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

/**
 * The state of a response. After `failed` no further event matters. After `steered` another response follows, because the
 * user has changed the instructions.
 */
export type ResponseState = 'open' | 'steered' | 'terminal' | 'failed';

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
  usage: ModelUsage;
  /** Usage of earlier lifecycles in the same stream. */
  earlierUsage: ModelUsage;
  metadata: JSONObject;
  /** The server's reason for an incomplete response. */
  incompleteReason?: string;
  hasCalls: boolean;
  hasRefusal: boolean;
  /** Ids of the reasoning items of the request that the API has removed. Empty after a part contains them. */
  removedReasoning: string[] | undefined;
  /** The terminal response object. */
  response: PlainObject | undefined;
  /** True after a truncated call: the response is then incomplete, even if the server reports it as completed. */
  hasPartialCalls: boolean;
  readonly logprobs: unknown[];
  /** Hosted MCP servers whose tools the API could not list. */
  readonly mcpErrors: JSONObject[];
  /** Calls without a name, which nothing can run. The response is then incomplete. */
  readonly unnamedCalls: JSONObject[];
  fail(error: unknown): void;
}

type Handler = (fields: PlainObject, mapping: Mapping) => void;

const handlers: Readonly<Record<string, Handler>> = {
  'response.created': (fields, mapping) => {
    // A gateway that runs tools itself sends several lifecycles in one stream (BerriAI/litellm#40118).
    if (mapping.state === 'terminal' || mapping.state === 'steered') {
      // The gateway has run the calls of the earlier response. Nobody has run those of a steered response.
      if (mapping.state === 'terminal') mapping.hasCalls = false;
      mapping.state = 'open';
      mapping.earlierUsage = mapping.usage;
      mapping.hasRefusal = false;
      mapping.removedReasoning = undefined;
      mapping.responseId = undefined;
      mapping.announcedModel = undefined;
      mapping.items.beginResponse();
    }
    announceResponse(fields, mapping);
  },
  'response.queued': announceResponse,
  'response.in_progress': announceResponse,

  'response.output_item.added': (fields, { items }) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) items.announce(fields, wire);
  },
  'response.output_item.done': (fields, { items }) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) items.finish(fields, wire);
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
  'response.incomplete': (fields, mapping) => completeResponse(fields, mapping, 'incomplete'),
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

const toHostedHandler =
  (type: string): Handler =>
  (fields, { items }) =>
    items.at('hosted', fields).handle(type, fields);

/** Events without new content. They show that the connection works, as any other byte does. */
const ignoredEvents = [
  // The text of a content part has its own events, and the finished item repeats it.
  'response.content_part.added',
  'response.content_part.done',
  'response.reasoning_summary_part.done',

  // The finished item contains the input.
  'response.code_interpreter_call_code.done',
  'response.custom_tool_call_input.done',
  'response.mcp_call_arguments.delta',
  'response.mcp_call_arguments.done',

  // The item of the output contains the text. Hosts cannot show a part of a result.
  'response.shell_call_output_content.delta',
  'response.shell_call_output_content.done',

  // The item contains the status of the call.
  'response.code_interpreter_call.in_progress',
  'response.code_interpreter_call.interpreting',
  'response.code_interpreter_call.completed',
  'response.file_search_call.in_progress',
  'response.file_search_call.searching',
  'response.file_search_call.completed',
  'response.image_generation_call.in_progress',
  'response.image_generation_call.generating',
  'response.image_generation_call.completed',
  'response.mcp_call.in_progress',
  'response.mcp_call.completed',
  'response.mcp_call.failed',
  'response.mcp_list_tools.in_progress',
  'response.mcp_list_tools.completed',
  'response.mcp_list_tools.failed',
  'response.web_search_call.in_progress',
  'response.web_search_call.searching',
  'response.web_search_call.completed',

  // The compaction item follows, sometimes after a long pause.
  'response.compaction.compacting',

  // They answer events of a WebSocket client. The steered response continues with `response.created`.
  'response.steer.accepted',
  'response.steer.pending',
  'response.steer.failed',
  'response.inject.created',
  'response.inject.failed',

  'keepalive',
];

/**
 * The handlers by event type. Events without a handler are ignored, too: servers send many types that only they know, and
 * the finished items contain all content.
 */
export const EVENT_HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...ignoredEvents.map((type): [string, Handler] => [type, () => {}]),
  ...Object.entries(handlers),
  ...hostedEvents.map((type): [string, Handler] => [type, toHostedHandler(type)]),
]);

function announceResponse(fields: PlainObject, mapping: Mapping): void {
  const response = objectOf(fields.response);
  if (response === undefined) return;
  if (mapping.removedReasoning === undefined) {
    const removed = toRemovedReasoning(response);
    if (removed.length > 0) mapping.removedReasoning = removed;
  }
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

/** Returns the ids of reasoning items that the API could not use and that need not be sent again. */
const toRemovedReasoning = ({ input_transformations: list }: PlainObject): string[] =>
  objectsOf(list).flatMap(({ id, type, action }) =>
    type === 'reasoning' && action === 'removed' && typeof id === 'string' ? [id] : [],
  );

/** Converts seconds to a date. Formatting an invalid date would throw an error later. */
function toDate(seconds: unknown): Date | undefined {
  const date = new Date((numberOf(seconds) ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** `event` is the status that the type of the event expresses. The status of the response is more reliable. */
function completeResponse(
  fields: PlainObject,
  mapping: Mapping,
  event: 'completed' | 'incomplete' = 'completed',
): void {
  // A second terminal event (`response.done` after `response.completed`) contains nothing new.
  if (mapping.state === 'terminal' || mapping.state === 'steered') return;
  const response = objectOf(fields.response) ?? {};
  if (response.status === 'failed' || response.status === 'cancelled' || isPlainObject(response.error)) {
    failResponse(fields, mapping);
    return;
  }
  announceResponse(fields, mapping);
  mapping.response = response;
  const usage = toUsage(response.usage);
  // llama.cpp reports a response that the limit ended as completed.
  const reason =
    idOf(objectOf(response.incomplete_details)?.reason) ??
    (isAtLimit(usage, mapping) ? 'max_output_tokens' : undefined);
  const status =
    response.status === 'completed' || response.status === 'incomplete' ? response.status : event;
  const isIncomplete = status === 'incomplete' || reason !== undefined;
  mapping.items.complete(objectsOf(response.output), { incomplete: isIncomplete });
  mapping.items.closeAll({ broken: isIncomplete });
  mapping.usage = addUsage(mapping.earlierUsage, usage);
  mapping.metadata = toFinishMetadata(response);
  mapping.incompleteReason = reason;
  mapping.finishReason = toFinishReason(reason, {
    incomplete: isIncomplete || mapping.hasPartialCalls || mapping.unnamedCalls.length > 0,
    hasCalls: mapping.hasCalls,
    hasRefusal: mapping.hasRefusal,
  });
  if (mapping.state === 'open') mapping.state = reason === 'steered' ? 'steered' : 'terminal';
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
