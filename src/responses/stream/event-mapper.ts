import {
  APICallError,
  type JSONObject,
  type LanguageModelV2FinishReason,
  type LanguageModelV2StreamPart,
  type LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { addUsage } from '../../parts/add-usage.js';
import { createCallIds } from './call-ids.js';
import { createFunctionCallItem } from './function-call-item.js';
import { createHostedItem, type DeclaredTools } from './hosted-item.js';
import { createMessageItem } from './message-item.js';
import type { ItemKind } from './output-item.js';
import { createOutputItems, kindOf, type OutputItems } from './output-items.js';
import { createReasoningItem } from './reasoning-item.js';
import { NO_USAGE, toFinishMetadata, toFinishReason, toUsage } from './to-finish.js';
import { DONE_MARKER, type ResponsesEvent } from './to-responses-event.js';
import { type ErrorContext, toStreamError } from './wire-error.js';
import {
  asJson,
  idOf,
  isFilled,
  isRecord,
  numberOf,
  recordOf,
  recordsOf,
  textOf,
  type WireRecord,
} from './wire-values.js';
import { withResponseId } from './with-response-id.js';

export interface EventMapperOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly declared: DeclaredTools;
  readonly errorContext: ErrorContext;
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
  /** How far the response is: after `failed` nothing more is worth reading. */
  readonly state: 'open' | 'terminal' | 'failed';
}

/** What the handlers work on. */
interface Mapping extends EventMapperOptions {
  readonly items: OutputItems;
  state: EventMapper['state'];
  responseId: string | undefined;
  /** Whether the answer is one of a chain that the server keeps, to be continued by `previousResponseId`. */
  isKept: boolean;
  announcedModel: string | undefined;
  finishReason: LanguageModelV2FinishReason;
  usage: LanguageModelV2Usage;
  /** Usage of lifecycles that the server went on from. */
  earlierUsage: LanguageModelV2Usage;
  metadata: JSONObject;
  hasCalls: boolean;
  readonly logprobs: unknown[];
  fail(error: unknown): void;
}

export function createEventMapper(given: EventMapperOptions): EventMapper {
  const { errorContext } = given;
  const write = (part: LanguageModelV2StreamPart): void => {
    const { isKept, responseId } = mapping;
    given.write(isKept && responseId !== undefined ? withResponseId(part, responseId) : part);
  };
  const options = { ...given, write };
  const callIds = createCallIds();
  let itemCount = 0;
  let lastType: string | undefined;
  let dropped = 0;
  let firstDropped = '';

  const mapping: Mapping = {
    ...options,
    items: createOutputItems({
      message: announced =>
        createMessageItem(nextId('message'), {
          write,
          announced,
          onLogprobs: list => mapping.logprobs.push(list),
        }),
      reasoning: announced => createReasoningItem(nextId('reasoning'), { write, announced }),
      function_call: announced =>
        createFunctionCallItem({ ...options, announced, callIds, onCall: noteCall }),
      hosted: announced => createHostedItem({ ...options, announced, callIds, onCall: noteCall }),
    }),
    state: 'open',
    responseId: undefined,
    isKept: false,
    announcedModel: undefined,
    finishReason: 'unknown',
    usage: NO_USAGE,
    earlierUsage: NO_USAGE,
    metadata: {},
    hasCalls: false,
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
      if (Object.hasOwn(HANDLERS, type)) HANDLERS[type]?.(fields, mapping);
    },
    drop(data) {
      if (dropped++ === 0) firstDropped = errorContext.redact(data).slice(0, 200);
    },
    fail: mapping.fail,
    end() {
      if (mapping.state === 'open') mapping.fail(toTruncationError());
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
          ...(dropped > 0 && { kelivo: { droppedEvents: dropped } }),
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

  function toTruncationError(): APICallError {
    const { url, requestBody, responseHeaders } = errorContext;
    const came =
      lastType !== undefined
        ? `the stream ended after "${lastType}"`
        : dropped > 0
          ? `came a body without any event, beginning with ${JSON.stringify(firstDropped)}`
          : 'came an empty body';
    return new APICallError({
      message:
        `Expected a Responses API answer from ${url} to end with "response.completed", but ${came}. ` +
        (lastType === undefined
          ? 'Check that `baseURL` leads to a server that speaks the Responses API.'
          : 'The connection was probably cut; the request can be repeated.'),
      url,
      requestBodyValues: requestBody,
      responseHeaders,
      isRetryable: true,
    });
  }
}

type Handler = (fields: WireRecord, mapping: Mapping) => void;

/** What each event does. An event that is not in the table does nothing. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  'response.created': (fields, mapping) => {
    // A gateway that runs tools itself sends several lifecycles in one stream (BerriAI/litellm#40118).
    if (mapping.state === 'terminal') {
      mapping.state = 'open';
      mapping.earlierUsage = mapping.usage;
      mapping.hasCalls = false;
    }
    announceResponse(fields, mapping);
  },
  'response.queued': announceResponse,
  'response.in_progress': announceResponse,

  'response.output_item.added': (fields, { items }) => {
    const wire = recordOf(fields.item);
    if (wire !== undefined) items.announce(kindOf(wire), fields, wire);
  },
  'response.output_item.done': (fields, { items }) => {
    const wire = recordOf(fields.item);
    if (wire !== undefined) items.finish(kindOf(wire), fields, wire);
  },

  'response.output_text.delta': (fields, { items, logprobs }) => {
    items.at('message', fields).writeText(textOf(fields.delta));
    if (isFilled(fields.logprobs)) logprobs.push(fields.logprobs);
  },
  'response.output_text.done': (fields, { items }) => {
    items.at('message', fields).completeText(textOf(fields.text));
  },
  'response.output_text.annotation.added': (fields, { items }) => {
    const annotation = recordOf(fields.annotation);
    if (annotation !== undefined) items.at('message', fields).annotate(annotation);
  },
  'response.refusal.delta': (fields, { items }) => {
    items.at('message', fields).writeRefusal(textOf(fields.delta));
  },
  'response.refusal.done': (fields, { items }) => {
    items.at('message', fields).completeRefusal(textOf(fields.refusal));
  },

  'response.reasoning_summary_part.added': (fields, { items }) => {
    items.at('reasoning', fields).openPart(numberOf(fields.summary_index) ?? 0);
  },
  'response.reasoning_summary_text.delta': (fields, { items }) => {
    items
      .at('reasoning', fields)
      .writeDelta('summary', numberOf(fields.summary_index) ?? 0, textOf(fields.delta));
  },
  'response.reasoning_summary_text.done': (fields, { items }) => {
    items
      .at('reasoning', fields)
      .completePart('summary', numberOf(fields.summary_index) ?? 0, textOf(fields.text));
  },
  'response.reasoning_text.delta': (fields, { items }) => {
    items.at('reasoning', fields).writeDelta('text', 0, textOf(fields.delta));
  },
  'response.reasoning_text.done': (fields, { items }) => {
    items.at('reasoning', fields).completePart('text', 0, textOf(fields.text));
  },

  'response.function_call_arguments.delta': (fields, { items }) => {
    items.at('function_call', fields).writeArguments(textOf(fields.delta));
  },
  'response.function_call_arguments.done': (fields, { items }) => {
    items.at('function_call', fields).completeArguments(fields);
  },

  'response.code_interpreter_call_code.delta': (fields, { items }) => {
    items.at('hosted', fields).writeCode(textOf(fields.delta));
  },

  'response.completed': completeResponse,
  'response.done': completeResponse,
  'response.incomplete': (fields, mapping) => completeResponse(fields, mapping, true),
  'response.failed': failResponse,
  'response.cancelled': failResponse,
  error: (fields, mapping) => mapping.fail(toStreamError(fields, mapping.errorContext)),
  // A terminal event follows or has come; a stream with nothing but this is cut off.
  [DONE_MARKER]: () => {},
  'chat.completion': (_fields, mapping) => mapping.fail(toWrongProtocolError(mapping.errorContext)),
};

function announceResponse(fields: WireRecord, mapping: Mapping): void {
  const response = recordOf(fields.response);
  if (response === undefined) return;
  mapping.isKept ||= response.store === true || idOf(response.previous_response_id) !== undefined;
  const id = idOf(response.id);
  const modelId = idOf(response.model);
  // Told once, and again if more is known later; GitHub Copilot's changing ids change nothing.
  if (mapping.responseId !== undefined && (mapping.announcedModel !== undefined || modelId === undefined))
    return;
  if (id === undefined && modelId === undefined) return;
  mapping.responseId ??= id;
  mapping.announcedModel ??= modelId;
  const createdAt = numberOf(response.created_at);
  mapping.write({
    type: 'response-metadata',
    ...(mapping.responseId !== undefined && { id: mapping.responseId }),
    ...(modelId !== undefined && { modelId }),
    ...(createdAt !== undefined && { timestamp: new Date(createdAt * 1000) }),
  });
}

function completeResponse(fields: WireRecord, mapping: Mapping, incomplete = false): void {
  const response = recordOf(fields.response) ?? {};
  if (response.status === 'failed' || response.status === 'cancelled' || isRecord(response.error)) {
    failResponse(fields, mapping);
    return;
  }
  announceResponse(fields, mapping);
  mapping.items.fillIn(recordsOf(response.output));
  const isIncomplete = incomplete || response.status === 'incomplete';
  mapping.items.closeAll({ broken: isIncomplete });
  mapping.usage = addUsage(mapping.earlierUsage, toUsage(response.usage));
  mapping.metadata = toFinishMetadata(response);
  mapping.finishReason = toFinishReason(response, { incomplete: isIncomplete, hasCalls: mapping.hasCalls });
  if (mapping.state === 'open') mapping.state = 'terminal';
}

function failResponse(fields: WireRecord, mapping: Mapping): void {
  announceResponse(fields, mapping);
  mapping.usage = toUsage(recordOf(fields.response)?.usage);
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
