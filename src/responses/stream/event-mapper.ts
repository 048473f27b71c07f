import {
  APICallError,
  type LanguageModelV2StreamPart,
  type SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { RETRYABLE } from '../../http/retry.js';
import { createCallIds } from './call-ids.js';
import { EVENT_HANDLERS, type Mapping, type ResponseState } from './event-handlers.js';
import { createFunctionCallItem } from './function-call-item.js';
import { createHostedItem, type DeclaredTools } from './hosted-item.js';
import { createMessageItem } from './message-item.js';
import type { ItemKind } from './output-item.js';
import { createOutputItems } from './output-items.js';
import { createReasoningItem } from './reasoning-item.js';
import { toErrorText } from '../../http/api-error.js';
import { NO_USAGE } from './finish.js';
import type { ResponsesEvent } from './responses-event.js';
import type { ErrorContext } from '../../http/api-error.js';
import { asJson } from '../../shared/json.js';

export interface EventMapperOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly declared: DeclaredTools;
  readonly errorContext: ErrorContext;
  /** The requested limit of output tokens. A response that reaches it is incomplete, regardless of its status. */
  readonly maxOutputTokens?: number | undefined;
  /** Adds the response id to the metadata of parts. */
  readonly isKept: boolean;
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
}

export function createEventMapper(mapperOptions: EventMapperOptions): EventMapper {
  const { errorContext } = mapperOptions;
  const write = (part: LanguageModelV2StreamPart): void => {
    const { responseId } = mapping;
    mapperOptions.write(
      mapperOptions.isKept && responseId !== undefined ? withResponseId(part, responseId) : part,
    );
  };
  const options = { ...mapperOptions, write };
  const callIds = createCallIds();
  let itemCount = 0;
  let lastType: string | undefined;
  let dropped = 0;
  let firstDropped = '';

  const mapping: Mapping = {
    write,
    errorContext,
    maxOutputTokens: mapperOptions.maxOutputTokens,
    items: createOutputItems({
      message: announced =>
        createMessageItem(nextId('message'), {
          write,
          announced,
          onLogprobs: list => mapping.logprobs.push(list),
        }),
      reasoning: announced => createReasoningItem(nextId('reasoning'), { write, announced }),
      function_call: announced =>
        createFunctionCallItem({
          ...options,
          announced,
          callIds,
          onCall: () => (mapping.hasCalls = true),
          onPartialCall: () => (mapping.hasPartialCalls = true),
        }),
      hosted: announced =>
        createHostedItem({ ...options, announced, callIds, onCall: () => (mapping.hasCalls = true) }),
    }),
    state: 'open',
    responseId: undefined,
    announcedModel: undefined,
    finishReason: 'unknown',
    usage: NO_USAGE,
    earlierUsage: NO_USAGE,
    metadata: {},
    hasCalls: false,
    hasPartialCalls: false,
    logprobs: [],
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
    map({ type, fields }) {
      // A failure is reported once, but `response.failed` after `error` may still contain the usage.
      if (mapping.state === 'failed' && type !== 'response.failed') return;
      lastType = type;
      EVENT_HANDLERS.get(type)?.(fields, mapping);
    },
    drop(data) {
      if (dropped++ === 0) firstDropped = errorContext.redact(data).slice(0, 200);
    },
    fail: mapping.fail,
    end() {
      if (mapping.state === 'open') mapping.fail(toTruncationError());
      const kelivo = {
        ...(dropped > 0 && { droppedEvents: dropped }),
        ...(mapping.incompleteReason !== undefined && { incompleteReason: mapping.incompleteReason }),
      };
      const failed = mapping.state === 'failed';
      mapping.items.closeAll({ broken: failed });
      write({
        type: 'finish',
        finishReason: failed ? 'error' : mapping.finishReason,
        usage: mapping.usage,
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

/**
 * Adds the response id to the metadata of a part that a history or its metadata can hold. A history then shows which
 * response the server has stored: hosts keep the metadata of parts but not that of `finish`.
 */
function withResponseId(part: LanguageModelV2StreamPart, responseId: string): LanguageModelV2StreamPart {
  if (part.type === 'finish') return part;
  // Hosts build histories from these parts, with or without metadata.
  if (part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-call')
    return { ...part, providerMetadata: withId(part.providerMetadata) };
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part;
  return { ...part, providerMetadata: withId(part.providerMetadata) };

  function withId({ kelivo, ...others }: SharedV2ProviderMetadata = {}): SharedV2ProviderMetadata {
    return { ...others, kelivo: { ...kelivo, responseId } };
  }
}
