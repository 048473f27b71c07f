import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
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
import { withResponseId } from './with-response-id.js';

export interface EventMapperOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly declared: DeclaredTools;
  readonly errorContext: ErrorContext;
  /** Whether the parts are noted with the response they are of. */
  readonly isKept: boolean;
}

/** Turns the events of one response into stream parts. */
export interface EventMapper {
  /** Maps one event. Unknown types map to nothing. */
  map(event: ResponsesEvent): void;
  /** Counts a dispatch in which no event could be found. */
  drop(data: string): void;
  /** Breaks the response off: the first error is told, what follows is not. */
  fail(error: unknown): void;
  /** Writes the end: what is open is closed, then `finish`. A response without a terminal event is an error here. */
  end(): void;
  readonly state: ResponseState;
}

export function createEventMapper(given: EventMapperOptions): EventMapper {
  const { errorContext } = given;
  const write = (part: LanguageModelV2StreamPart): void => {
    const { responseId } = mapping;
    given.write(given.isKept && responseId !== undefined ? withResponseId(part, responseId) : part);
  };
  const options = { ...given, write };
  const callIds = createCallIds();
  let itemCount = 0;
  let lastType: string | undefined;
  let dropped = 0;
  let firstDropped = '';

  const mapping: Mapping = {
    write,
    errorContext,
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
          onCall: noteCall,
          onPartialCall: notePartialCall,
        }),
      hosted: announced => createHostedItem({ ...options, announced, callIds, onCall: noteCall }),
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
      // A failure is told once, though `response.failed` after `error` may still bring the usage.
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
      const notes = {
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
          ...(Object.keys(notes).length > 0 && { kelivo: notes }),
        },
      });
    },
  };

  function nextId(kind: ItemKind): string {
    return `${kind}-${itemCount++}`;
  }

  function noteCall(): void {
    mapping.hasCalls = true;
  }

  function notePartialCall(): void {
    mapping.hasPartialCalls = true;
  }

  function toTruncationError(): APICallError {
    const { url, requestBody, responseHeaders } = errorContext;
    const came =
      lastType !== undefined
        ? `the stream ended after "${toErrorText(errorContext.redact(lastType).slice(0, 100))}"`
        : dropped > 0
          ? `came a body without any event, beginning with ${toErrorText(JSON.stringify(firstDropped))}`
          : 'came an empty body';
    return new APICallError({
      message:
        `Expected a Responses API response from ${url} to end with "response.completed", but ${came}. ` +
        (lastType === undefined
          ? 'Check that `baseURL` leads to a server that speaks the Responses API.'
          : 'The connection probably broke; the request can be retried.'),
      url,
      requestBodyValues: requestBody,
      responseHeaders,
      isRetryable: true,
    });
  }
}
