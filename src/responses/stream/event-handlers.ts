import type { APICallError } from '@ai-sdk/provider';
import type { FinishReason, Usage } from '../../core/part.js';
import { addUsage, NO_USAGE, toUsage as toCoreUsage } from '../../core/finish.js';
import { createCallError, type ErrorContext, toStreamError } from '../../core/http/api-error.js';
import { toCamelCase, toSdkNames } from '../../core/shared/names.js';
import {
  asJson,
  idOf,
  isNonEmptyArray,
  isPlainObject,
  type JSONObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../../core/shared/json.js';
import { hostedEvents } from '../hosted-tools/index.js';
import type { EventMapper } from './event-mapper.js';

type EventHandler = (fields: PlainObject, mapper: EventMapper) => void;

const handlers: Readonly<Record<string, EventHandler>> = {
  'response.created': (fields, mapper) => {
    // A gateway that runs tools itself sends several lifecycles in one stream (BerriAI/litellm#40118).
    if (mapper.state === 'terminal' || mapper.state === 'steered') {
      // The gateway has run the calls of the earlier response. Nobody has run those of a steered response.
      if (mapper.state === 'terminal') {
        mapper.hasCalls = false;
        mapper.onCallsRun?.();
      }
      mapper.state = 'open';
      mapper.earlierUsage = mapper.usage;
      mapper.hasRefusal = false;
      mapper.removedReasoning = undefined;
      mapper.responseId = undefined;
      mapper.announcedModel = undefined;
      mapper.items.beginResponse();
    }
    announceResponse(fields, mapper);
  },
  'response.queued': announceResponse,
  'response.in_progress': announceResponse,

  'response.output_item.added': (fields, mapper) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) mapper.items.of(wire).announce(fields, wire);
  },
  'response.output_item.done': (fields, mapper) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) mapper.items.of(wire).finish(fields, wire);
  },

  'response.output_text.delta': (fields, mapper) => {
    mapper.items.message.at(fields)?.writeText(stringOf(fields.delta));
    if (isNonEmptyArray(fields.logprobs)) mapper.logprobs.push(fields.logprobs);
  },
  'response.output_text.done': (fields, mapper) => {
    mapper.items.message.at(fields)?.completeText(stringOf(fields.text));
  },
  'response.output_text.annotation.added': (fields, mapper) => {
    const annotation = objectOf(fields.annotation);
    if (annotation !== undefined) mapper.items.message.at(fields)?.annotate(annotation);
  },
  'response.refusal.delta': (fields, mapper) => {
    mapper.items.message.at(fields)?.writeRefusal(stringOf(fields.delta));
  },
  'response.refusal.done': (fields, mapper) => {
    mapper.items.message.at(fields)?.completeRefusal(stringOf(fields.refusal));
  },

  'response.reasoning_summary_part.added': (fields, mapper) => {
    mapper.items.reasoning.at(fields)?.openPart(summaryIndexOf(fields));
  },
  'response.reasoning_summary_text.delta': (fields, mapper) => {
    mapper.items.reasoning.at(fields)?.writeDelta('summary', summaryIndexOf(fields), stringOf(fields.delta));
  },
  'response.reasoning_summary_text.done': (fields, mapper) => {
    mapper.items.reasoning.at(fields)?.completePart('summary', summaryIndexOf(fields), stringOf(fields.text));
  },
  'response.reasoning_text.delta': writeReasoning,
  'response.reasoning_text.done': completeReasoning,
  // The names of the Open Responses specification.
  'response.reasoning.delta': writeReasoning,
  'response.reasoning.done': completeReasoning,

  'response.function_call_arguments.delta': (fields, mapper) => {
    mapper.items.function_call.at(fields)?.writeArguments(stringOf(fields.delta));
  },
  'response.function_call_arguments.done': (fields, mapper) => {
    mapper.items.function_call.at(fields)?.completeArguments(fields);
  },

  'response.completed': completeResponse,
  'response.done': completeResponse,
  'response.incomplete': (fields, mapper) => completeResponse(fields, mapper, 'incomplete'),
  'response.failed': failResponse,
  'response.cancelled': failResponse,
  error: (fields, mapper) => mapper.fail(toStreamError(fields, mapper.errorContext)),
  'chat.completion': (_fields, mapper) => mapper.fail(toWrongProtocolError(mapper.errorContext)),
};

function writeReasoning(fields: PlainObject, mapper: EventMapper): void {
  mapper.items.reasoning.at(fields)?.writeDelta('text', 0, stringOf(fields.delta));
}

function completeReasoning(fields: PlainObject, mapper: EventMapper): void {
  mapper.items.reasoning.at(fields)?.completePart('text', 0, stringOf(fields.text));
}

const summaryIndexOf = (fields: PlainObject): number => numberOf(fields.summary_index) ?? 0;

/**
 * The handlers by event type. Events without a handler are ignored: servers send many types that only they know, and the
 * finished items contain all content.
 */
export const EVENT_HANDLERS: ReadonlyMap<string, EventHandler> = new Map([
  ...Object.entries(handlers),
  ...hostedEvents.map((type): [string, EventHandler] => [
    type,
    (fields, mapper) => mapper.items.hosted.at(fields)?.handle(type, fields),
  ]),
]);

function announceResponse(fields: PlainObject, mapper: EventMapper): void {
  const response = objectOf(fields.response);
  if (response === undefined) return;
  mapper.facts ??= mapper.onResponse?.(response);
  mapper.onResponse = undefined;
  if (mapper.removedReasoning === undefined) {
    // Items that the API could not use, and that need not be sent again.
    const removed: string[] = [];
    for (const { id, type, action } of objectsOf(response.input_transformations))
      if (type === 'reasoning' && action === 'removed' && typeof id === 'string') removed.push(id);
    if (removed.length > 0) mapper.removedReasoning = removed;
  }
  const id = idOf(response.id);
  const modelId = idOf(response.model);
  // Written once, and again if the model becomes known later. GitHub Copilot changes the id in every event.
  if (mapper.responseId !== undefined && (mapper.announcedModel !== undefined || modelId === undefined))
    return;
  if (id === undefined && modelId === undefined) return;
  mapper.responseId ??= id;
  mapper.announcedModel ??= modelId;
  const timestamp = new Date((numberOf(response.created_at) ?? Number.NaN) * 1000);
  mapper.write({
    type: 'response-metadata',
    ...(mapper.responseId !== undefined && { id: mapper.responseId }),
    ...(modelId !== undefined && { modelId }),
    // Formatting an invalid date would throw an error later.
    ...(!Number.isNaN(timestamp.getTime()) && { timestamp }),
  });
}

/** `event` is the status that the type of the event expresses. The status of the response is more reliable. */
function completeResponse(
  fields: PlainObject,
  mapper: EventMapper,
  event: 'completed' | 'incomplete' = 'completed',
): void {
  if (mapper.state === 'steered') return;
  const response = objectOf(fields.response) ?? {};
  if (response.status === 'failed' || response.status === 'cancelled' || isPlainObject(response.error)) {
    failResponse(fields, mapper);
    return;
  }
  announceResponse(fields, mapper);
  mapper.response = response;
  const usage = toUsage(response.usage);
  // llama.cpp reports a response that the limit ended as completed.
  const { total } = usage.outputTokens;
  const isAtLimit = total !== undefined && total >= (mapper.maxOutputTokens ?? Infinity);
  const reason =
    idOf(objectOf(response.incomplete_details)?.reason) ?? (isAtLimit ? 'max_output_tokens' : undefined);
  const status =
    response.status === 'completed' || response.status === 'incomplete' ? response.status : event;
  const isIncomplete = status === 'incomplete' || reason !== undefined;
  mapper.items.complete(objectsOf(response.output), { incomplete: isIncomplete });
  mapper.items.closeAll({ broken: isIncomplete, failed: false });
  mapper.onCompleted?.();
  mapper.isIncomplete = isIncomplete;
  mapper.usage = addUsage(mapper.earlierUsage, usage);
  mapper.metadata = toFinishMetadata(response);
  mapper.incompleteReason = reason;
  mapper.finishReason = toFinishReason(reason, {
    incomplete: isIncomplete || mapper.hasPartialCalls || mapper.unnamedCalls.length > 0,
    hasCalls: mapper.hasCalls,
    hasRefusal: mapper.hasRefusal,
  });
  if (mapper.state === 'open') mapper.state = reason === 'steered' ? 'steered' : 'terminal';
}

function failResponse(fields: PlainObject, mapper: EventMapper): void {
  announceResponse(fields, mapper);
  mapper.usage = toUsage(objectOf(fields.response)?.usage);
  mapper.fail(toStreamError(fields, mapper.errorContext));
}

const toWrongProtocolError = (context: ErrorContext): APICallError =>
  createCallError(
    'unexpectedResponse',
    context,
    `Expected the events of the Responses API from ${context.url}, got chat completions. ` +
      'This endpoint or deployment does not support the Responses API: use a chat-completions provider for it, ' +
      'for example @ai-sdk/openai-compatible.',
  );

/**
 * Returns the finish reason of a response with a terminal event. `reason` is why it is incomplete, if it is.
 *
 * @internal
 */
export function toFinishReason(
  reason: string | undefined,
  options: { incomplete: boolean; hasCalls: boolean; hasRefusal?: boolean },
): FinishReason['unified'] {
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      if (options.hasCalls) return 'tool-calls';
      if (options.hasRefusal) return 'content-filter';
      return options.incomplete || reason !== undefined ? 'other' : 'stop';
  }
}

/**
 * Returns the metadata of a finished response, under the names of the official provider. Fields that it does not return
 * have the names of the API in camel case.
 */
function toFinishMetadata(response: PlainObject): JSONObject {
  const serviceTier = idOf(response.service_tier);
  const reasoningContext = objectOf(response.reasoning)?.context;
  const diagnostics = objectOf(response.prompt_cache_diagnostics);
  const copied: JSONObject = {};
  for (const name of COPIED_FIELDS) {
    const value = response[name];
    if (value !== undefined && value !== null) copied[toCamelCase(name)] = toSdkNames(value);
  }
  const input = objectOf(objectOf(response.usage)?.input_tokens_details);
  const output = objectOf(objectOf(response.usage)?.output_tokens_details);
  const counts = {
    cacheWriteTokens: input?.cache_write_tokens,
    orchestrationInputTokens: input?.orchestration_input_tokens,
    orchestrationInputCachedTokens: input?.orchestration_input_cached_tokens,
    orchestrationOutputTokens: output?.orchestration_output_tokens,
  };
  const usage: JSONObject = {};
  for (const [name, count] of Object.entries(counts)) if (typeof count === 'number') usage[name] = count;
  return {
    ...(diagnostics !== undefined && { promptCacheDiagnostics: asJson(diagnostics) }),
    ...copied,
    ...(serviceTier !== undefined && { serviceTier }),
    ...(typeof reasoningContext === 'string' && { reasoningContext }),
    ...(Object.keys(usage).length > 0 && { usage }),
  };
}

const COPIED_FIELDS = [
  'access_programs',
  'completed_at',
  'conversation',
  'input_transformations',
  'moderation',
  'tool_usage',
];

export function toUsage(value: unknown): Usage {
  const usage = objectOf(value);
  if (usage === undefined) return NO_USAGE;
  const inputDetails = objectOf(usage.input_tokens_details);
  return toCoreUsage({
    input: numberOf(usage.input_tokens),
    cacheRead: numberOf(inputDetails?.cached_tokens),
    cacheWrite: numberOf(inputDetails?.cache_write_tokens),
    output: numberOf(usage.output_tokens),
    reasoning: numberOf(objectOf(usage.output_tokens_details)?.reasoning_tokens),
    total: numberOf(usage.total_tokens),
    raw: usage as JSONObject,
  });
}
