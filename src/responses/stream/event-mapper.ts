import {
  APICallError,
  type JSONObject,
  type LanguageModelV2StreamPart,
  type SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { RETRYABLE } from '../../http/retry.js';
import { createCallIds } from './call-ids.js';
import { EVENT_HANDLERS, type Mapping, type ResponseState } from './event-handlers.js';
import { createFoundSources } from './found-sources.js';
import { createFunctionCallItem } from './function-call-item.js';
import { createHostedItem, type DeclaredTools } from './hosted-item.js';
import { createJsonAnswer } from './json-answer.js';
import { createMessageItem } from './message-item.js';
import { createOpaqueItem } from './opaque-item.js';
import type { ItemKind } from './output-item.js';
import { createOutputItems } from './output-items.js';
import { createReasoningItem } from './reasoning-item.js';
import { isHostedItem } from '../hosted-tools/index.js';
import { toErrorText } from '../../http/api-error.js';
import { NO_USAGE, toV2Usage } from './finish.js';
import type { ResponsesEvent } from './responses-event.js';
import type { ErrorContext } from '../../http/api-error.js';
import { asJson, type PlainObject } from '../../shared/json.js';

export interface EventMapperOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  readonly declared: DeclaredTools;
  readonly errorContext: ErrorContext;
  /** The requested limit of output tokens. A response that reaches it is incomplete, regardless of its status. */
  readonly maxOutputTokens?: number | undefined;
  /** Adds the response id to the metadata of parts. */
  readonly isKept: boolean;
  /** Reports the counts that version 2 of the model interface does not have. @default false */
  readonly hasUsageDetails?: boolean;
  /** True if the host requested JSON. Messages before the JSON are then reasoning. */
  readonly isJson?: boolean;
  /** Called with each finished item that is neither a message, reasoning nor a function call. @default the items are not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

/** Converts the events of one response to stream parts. */
export interface EventMapper {
  /** Maps one event. Ignores unknown types. */
  map(event: ResponsesEvent): void;
  /** Counts an SSE dispatch without a readable event. */
  drop(data: string): void;
  /** Ends the response with an error. Only the first error is written; later events are ignored. */
  fail(error: unknown): void;
  /** Closes all open items and writes `finish`. A response without a terminal event ends with an error. */
  end(): void;
  readonly state: ResponseState;
  /** The terminal response object. */
  readonly response: PlainObject | undefined;
}

export function createEventMapper(mapperOptions: EventMapperOptions): EventMapper {
  const { errorContext } = mapperOptions;
  const write = (part: LanguageModelV2StreamPart): void => {
    const { removedReasoning } = mapping;
    const isRemovalDue =
      removedReasoning !== undefined && removedReasoning.length > 0 && isKeptInHistory(part);
    const responseId = mapperOptions.isKept ? mapping.responseId : undefined;
    // Nearly all parts have no marks.
    if (!isRemovalDue && responseId === undefined) return mapperOptions.write(part);
    if (isRemovalDue) mapping.removedReasoning = [];
    const marks = {
      ...(responseId !== undefined && { responseId }),
      ...(isRemovalDue && { removedReasoning }),
    };
    mapperOptions.write(withMarks(part, marks));
  };
  const jsonAnswer = mapperOptions.isJson ? createJsonAnswer() : undefined;
  const options = { ...mapperOptions, write };
  const callIds = createCallIds();
  const foundSources = createFoundSources();
  let itemCount = 0;
  let lastType: string | undefined;
  let handle: ReturnType<typeof EVENT_HANDLERS.get>;
  let dropped = 0;
  let firstDropped = '';

  const mapping: Mapping = {
    write,
    errorContext,
    maxOutputTokens: mapperOptions.maxOutputTokens,
    items: createOutputItems(
      {
        message: announced =>
          createMessageItem(nextId('message'), {
            write,
            announced,
            onLogprobs: list => mapping.logprobs.push(list),
            onRefusal: () => (mapping.hasRefusal = true),
            jsonAnswer,
            onCitation: foundSources.cite,
          }),
        reasoning: announced => createReasoningItem(nextId('reasoning'), { write, announced }),
        function_call: announced =>
          createFunctionCallItem({
            ...options,
            announced,
            callIds,
            onCall: () => (mapping.hasCalls = true),
            onPartialCall: () => (mapping.hasPartialCalls = true),
            onUnnamedCall: call => mapping.unnamedCalls.push(call),
          }),
        hosted: announced =>
          createHostedItem({
            ...options,
            announced,
            callIds,
            onCall: () => (mapping.hasCalls = true),
            onSources: foundSources.add,
          }),
        opaque: announced =>
          createOpaqueItem(nextId('opaque'), {
            write,
            announced,
            onServerItem: mapperOptions.onServerItem,
            onMcpError: error => mapping.mcpErrors.push(error),
          }),
      },
      { kindOf: wire => kindOf(wire, mapperOptions.declared), onBegin: () => jsonAnswer?.continue() },
    ),
    state: 'open',
    responseId: undefined,
    announcedModel: undefined,
    finishReason: 'unknown',
    usage: NO_USAGE,
    earlierUsage: NO_USAGE,
    metadata: {},
    hasCalls: false,
    hasRefusal: false,
    removedReasoning: undefined,
    response: undefined,
    hasPartialCalls: false,
    logprobs: [],
    mcpErrors: [],
    unnamedCalls: [],
    fail(error) {
      if (mapping.state === 'failed') return;
      mapping.state = 'failed';
      write({ type: 'error', error });
    },
  };

  return {
    get state() {
      return mapping.state;
    },
    get response() {
      return mapping.response;
    },
    map({ type, fields }) {
      // A failure is reported once, but `response.failed` after `error` may still contain the usage.
      if (mapping.state === 'failed' && type !== 'response.failed') return;
      // Most events have the type of the one before.
      if (type !== lastType) handle = EVENT_HANDLERS.get(type);
      lastType = type;
      handle?.(fields, mapping);
    },
    drop(data) {
      if (dropped++ === 0) firstDropped = errorContext.redact(data).slice(0, 200);
    },
    fail: mapping.fail,
    end() {
      if (mapping.state === 'open') mapping.fail(toTruncationError());
      const kelivo = {
        ...(dropped > 0 && { droppedEvents: dropped }),
        ...(mapping.unnamedCalls.length > 0 && { unnamedCalls: mapping.unnamedCalls }),
        ...(mapping.mcpErrors.length > 0 && { mcpErrors: mapping.mcpErrors }),
        ...(mapping.incompleteReason !== undefined && { incompleteReason: mapping.incompleteReason }),
      };
      const failed = mapping.state === 'failed';
      mapping.items.closeAll({ broken: failed });
      jsonAnswer?.end();
      if (!failed) foundSources.write(write);
      write({
        type: 'finish',
        finishReason: failed ? 'error' : mapping.finishReason,
        usage: mapperOptions.hasUsageDetails ? mapping.usage : toV2Usage(mapping.usage),
        providerMetadata: {
          openai: {
            responseId: mapping.responseId ?? null,
            ...mapping.metadata,
            ...(mapping.logprobs.length > 0 && { logprobs: asJson(mapping.logprobs) }),
          },
          ...(Object.keys(kelivo).length > 0 && { kelivo }),
        },
      });
    },
  };

  function nextId(kind: ItemKind): string {
    return `${kind}-${itemCount++}`;
  }

  function toTruncationError(): APICallError {
    const { url, requestBody, responseHeaders } = errorContext;
    const received =
      lastType !== undefined
        ? `the stream ended after "${toErrorText(errorContext.redact(lastType).slice(0, 100))}"`
        : dropped > 0
          ? `the body contained no event and began with ${toErrorText(JSON.stringify(firstDropped))}`
          : 'the body was empty';
    return new APICallError({
      message:
        `Expected a Responses API response from ${url} to end with "response.completed", but ${received}. ` +
        (lastType === undefined
          ? 'Check that `baseURL` points to a server that supports the Responses API.'
          : 'The connection probably broke; the request can be retried.'),
      url,
      requestBodyValues: requestBody,
      responseHeaders,
      isRetryable: RETRYABLE.truncatedResponse,
    });
  }
}

/** Returns the kind of a wire item. */
function kindOf(wire: PlainObject, { nameById }: DeclaredTools): ItemKind {
  const { type } = wire;
  if (type === 'message' || type === 'reasoning' || type === 'function_call') return type;
  return isHostedItem(wire, nameById) ? 'hosted' : 'opaque';
}

/** Returns true for the parts from which hosts build their histories, with or without metadata. */
const isKeptInHistory = (
  part: LanguageModelV2StreamPart,
): part is Extract<LanguageModelV2StreamPart, { type: 'text-end' | 'reasoning-end' | 'tool-call' }> =>
  part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-call';

/**
 * Adds facts about the response to the metadata of a part that a history or its metadata can hold: hosts keep the metadata
 * of parts but not that of `finish`.
 *
 * - `responseId`: the response that the server has stored.
 * - `removedReasoning`: ids of reasoning items of the request that the API could not use, so that later requests omit them.
 */
function withMarks(part: LanguageModelV2StreamPart, marks: JSONObject): LanguageModelV2StreamPart {
  if (part.type === 'finish') return part;
  if (isKeptInHistory(part)) return { ...part, providerMetadata: withKelivo(part.providerMetadata) };
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part;
  return { ...part, providerMetadata: withKelivo(part.providerMetadata) };

  function withKelivo({ kelivo, ...others }: SharedV2ProviderMetadata = {}): SharedV2ProviderMetadata {
    return { ...others, kelivo: { ...kelivo, ...marks } };
  }
}
