import type { APICallError } from '@ai-sdk/provider';
import type { FinishReason, Part, Usage } from '../../core/part.js';
import type { PartFacts } from '../../core/prompt.js';
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
import type { OutputItems } from './output-items.js';

/**
 * The state of a response. After `failed` no further event matters. After `steered` another response follows, because the
 * user has changed the instructions.
 */
export type ResponseState = 'open' | 'steered' | 'terminal' | 'failed';

/** The state of one response, which the handlers change. */
export interface Mapping {
  readonly write: (part: Part) => void;
  readonly errorContext: ErrorContext;
  /** Takes the first response object, and returns facts for all parts. Undefined afterwards. */
  onResponse: ((response: PlainObject) => PartFacts | undefined) | undefined;
  /** Facts for the parts that a history or its metadata can hold. */
  facts: PartFacts | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly items: OutputItems;
  state: ResponseState;
  responseId: string | undefined;
  announcedModel: string | undefined;
  finishReason: FinishReason['unified'];
  usage: Usage;
  /** Usage of earlier lifecycles in the same stream. */
  earlierUsage: Usage;
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
  /** True if the server ended the response before the model did. */
  isIncomplete: boolean;
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

  'response.output_item.added': (fields, mapping) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) mapping.items.announce(fields, wire);
  },
  'response.output_item.done': (fields, mapping) => {
    const wire = objectOf(fields.item);
    if (wire !== undefined) mapping.items.finish(fields, wire);
  },

  'response.output_text.delta': (fields, mapping) => {
    mapping.items.at('message', fields)?.writeText(stringOf(fields.delta));
    if (isNonEmptyArray(fields.logprobs)) mapping.logprobs.push(fields.logprobs);
  },
  'response.output_text.done': (fields, mapping) => {
    mapping.items.at('message', fields)?.completeText(stringOf(fields.text));
  },
  'response.output_text.annotation.added': (fields, mapping) => {
    const annotation = objectOf(fields.annotation);
    if (annotation !== undefined) mapping.items.at('message', fields)?.annotate(annotation);
  },
  'response.refusal.delta': (fields, mapping) => {
    mapping.items.at('message', fields)?.writeRefusal(stringOf(fields.delta));
  },
  'response.refusal.done': (fields, mapping) => {
    mapping.items.at('message', fields)?.completeRefusal(stringOf(fields.refusal));
  },

  'response.reasoning_summary_part.added': (fields, mapping) => {
    mapping.items.at('reasoning', fields)?.openPart(summaryIndexOf(fields));
  },
  'response.reasoning_summary_text.delta': (fields, mapping) => {
    mapping.items
      .at('reasoning', fields)
      ?.writeDelta('summary', summaryIndexOf(fields), stringOf(fields.delta));
  },
  'response.reasoning_summary_text.done': (fields, mapping) => {
    mapping.items
      .at('reasoning', fields)
      ?.completePart('summary', summaryIndexOf(fields), stringOf(fields.text));
  },
  'response.reasoning_text.delta': writeReasoning,
  'response.reasoning_text.done': completeReasoning,
  // The names of the Open Responses specification.
  'response.reasoning.delta': writeReasoning,
  'response.reasoning.done': completeReasoning,

  'response.function_call_arguments.delta': (fields, mapping) => {
    mapping.items.at('function_call', fields)?.writeArguments(stringOf(fields.delta));
  },
  'response.function_call_arguments.done': (fields, mapping) => {
    mapping.items.at('function_call', fields)?.completeArguments(fields);
  },

  'response.completed': completeResponse,
  'response.done': completeResponse,
  'response.incomplete': (fields, mapping) => completeResponse(fields, mapping, 'incomplete'),
  'response.failed': failResponse,
  'response.cancelled': failResponse,
  error: (fields, mapping) => mapping.fail(toStreamError(fields, mapping.errorContext)),
  'chat.completion': (_fields, mapping) => mapping.fail(toWrongProtocolError(mapping.errorContext)),
};

function writeReasoning(fields: PlainObject, mapping: Mapping): void {
  mapping.items.at('reasoning', fields)?.writeDelta('text', 0, stringOf(fields.delta));
}

function completeReasoning(fields: PlainObject, mapping: Mapping): void {
  mapping.items.at('reasoning', fields)?.completePart('text', 0, stringOf(fields.text));
}

const summaryIndexOf = (fields: PlainObject): number => numberOf(fields.summary_index) ?? 0;

const toHostedHandler =
  (type: string): Handler =>
  (fields, mapping) =>
    mapping.items.at('hosted', fields)?.handle(type, fields);

/**
 * The handlers by event type. Events without a handler are ignored: servers send many types that only they know, and the
 * finished items contain all content.
 */
export const EVENT_HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...Object.entries(handlers),
  ...hostedEvents.map((type): [string, Handler] => [type, toHostedHandler(type)]),
]);

function announceResponse(fields: PlainObject, mapping: Mapping): void {
  const response = objectOf(fields.response);
  if (response === undefined) return;
  mapping.facts ??= mapping.onResponse?.(response);
  mapping.onResponse = undefined;
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
const toRemovedReasoning = (response: PlainObject): string[] =>
  objectsOf(response.input_transformations).flatMap(({ id, type, action }) =>
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
  if (mapping.state === 'steered') return;
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
  mapping.items.closeAll({ broken: isIncomplete, failed: false });
  mapping.isIncomplete = isIncomplete;
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

const isAtLimit = ({ outputTokens: { total } }: Usage, mapping: Pick<Mapping, 'maxOutputTokens'>): boolean =>
  total !== undefined && mapping.maxOutputTokens !== undefined && total >= mapping.maxOutputTokens;

function failResponse(fields: PlainObject, mapping: Mapping): void {
  announceResponse(fields, mapping);
  mapping.usage = toUsage(objectOf(fields.response)?.usage);
  mapping.fail(toStreamError(fields, mapping.errorContext));
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
  const usage = toUsageMetadata(
    objectOf(objectOf(response.usage)?.input_tokens_details),
    objectOf(response.usage),
  );
  const diagnostics = objectOf(response.prompt_cache_diagnostics);
  return {
    ...(diagnostics !== undefined && { promptCacheDiagnostics: asJson(diagnostics) }),
    ...Object.fromEntries(
      COPIED_FIELDS.filter(name => response[name] !== undefined && response[name] !== null).map(name => [
        toCamelCase(name),
        toSdkNames(response[name]),
      ]),
    ),
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

function toUsageMetadata(input: PlainObject | undefined, usage: PlainObject | undefined): JSONObject {
  const counts = {
    cacheWriteTokens: input?.cache_write_tokens,
    orchestrationInputTokens: input?.orchestration_input_tokens,
    orchestrationInputCachedTokens: input?.orchestration_input_cached_tokens,
    orchestrationOutputTokens: objectOf(usage?.output_tokens_details)?.orchestration_output_tokens,
  };
  return Object.fromEntries(
    Object.entries(counts).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

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
