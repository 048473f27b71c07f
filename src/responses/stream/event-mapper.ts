import type { APICallError } from '@ai-sdk/provider';
import type { Part, PartOf } from '../../core/part.js';
import type { PartFacts } from '../../core/prompt.js';
import { NO_USAGE } from '../../core/finish.js';
import { createCallError, type ErrorContext, toErrorText } from '../../core/http/api-error.js';
import { asJson, idOf, type JSONObject, objectOf, type PlainObject } from '../../core/shared/json.js';
import { isHostedItem } from '../hosted-tools/index.js';
import { EVENT_HANDLERS, type Mapping, type ResponseState } from './event-handlers.js';
import { createFunctionCallItem, type FunctionCallWriter } from './function-call-item.js';
import { createHostedItem, type DeclaredTools, type HostedItemOptions } from './hosted-item.js';
import { createFoundSources, createJsonAnswer, MessageItem, type MessageWriter } from './message-item.js';
import {
  type CallIds,
  createCallIds,
  createOpaqueItem,
  type ItemKind,
  type OpaqueItemWriter,
} from './output-item.js';
import { createOutputItems, type ItemFactories } from './output-items.js';
import { createReasoningItem } from './reasoning-item.js';
import { type Contradiction, judge, nameOf, type Verdict } from './verdict.js';

/** One event of the Responses API: a type and unchecked fields. */
export interface ResponsesEvent {
  readonly type: string;
  readonly fields: PlainObject;
}

export interface EventMapperOptions {
  readonly write: (part: Part) => void;
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  /** The tools that the host declared. */
  readonly declared: DeclaredTools;
  readonly errorContext: ErrorContext;
  /** The requested limit of output tokens. A response that reaches it is incomplete, regardless of its status. */
  readonly maxOutputTokens?: number | undefined;
  /** True if the server stores the response, so that `previousResponseId` can continue it. Parts then contain its id. */
  readonly isKept: boolean;
  /** True if the host requested JSON. Messages before the JSON are then reasoning. */
  readonly isJson?: boolean;
  /** Called with each finished item that is neither a message, reasoning nor a function call. @default the items are not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
  /** Called with the response object of the first event that has one. Returns facts for all parts. @default it is not read */
  readonly onResponse?: ((response: PlainObject) => PartFacts | undefined) | undefined;
  /** Called when a call begins. @default it is not noted */
  readonly onCall?: (() => void) | undefined;
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

export function createEventMapper(options: EventMapperOptions): EventMapper {
  const { errorContext } = options;
  const write = (part: Part): void => {
    if (part.type === 'tool-input-start') options.onCall?.();
    const { removedReasoning } = mapping;
    const isRemovalDue =
      removedReasoning !== undefined && removedReasoning.length > 0 && isKeptInHistory(part);
    const responseId = options.isKept ? mapping.responseId : undefined;
    // Nearly all parts have no such facts.
    if (!isRemovalDue && responseId === undefined && mapping.facts === undefined) return options.write(part);
    if (isRemovalDue) mapping.removedReasoning = [];
    const facts = {
      ...mapping.facts,
      ...(responseId !== undefined && { responseId }),
      ...(isRemovalDue && { removedReasoning }),
    };
    options.write(withFacts(part, facts));
  };
  const jsonAnswer = options.isJson ? createJsonAnswer() : undefined;
  const foundSources = createFoundSources();
  const numbers = new EventNumbers();
  const createItem = createItemFactories({
    ...options,
    write,
    jsonAnswer,
    isIntact: () => numbers.isIntact,
    onLogprobs: list => mapping.logprobs.push(list),
    onRefusal: () => (mapping.hasRefusal = true),
    onCitation: foundSources.cite,
    onSources: foundSources.add,
    onCall: () => (mapping.hasCalls = true),
    onPartialCall: () => (mapping.hasPartialCalls = true),
    onUnnamedCall: call => mapping.unnamedCalls.push(call),
    onMcpError: error => mapping.mcpErrors.push(error),
  });
  let lastType: string | undefined;
  let handle: ReturnType<typeof EVENT_HANDLERS.get>;
  let dropped = 0;
  let firstDropped: string | undefined;

  const mapping: Mapping = {
    write,
    errorContext,
    onResponse: options.onResponse,
    facts: undefined,
    maxOutputTokens: options.maxOutputTokens,
    items: createOutputItems(createItem, {
      kindOf: wire => kindOf(wire, options.declared),
      onBegin: () => jsonAnswer?.continue(),
    }),
    state: 'open',
    responseId: undefined,
    announcedModel: undefined,
    finishReason: 'interrupted',
    usage: NO_USAGE,
    earlierUsage: NO_USAGE,
    metadata: {},
    hasCalls: false,
    hasRefusal: false,
    removedReasoning: undefined,
    response: undefined,
    hasPartialCalls: false,
    isIncomplete: false,
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
      // A complete response has no more content. Another response may follow in the same stream.
      if (mapping.state === 'terminal' && type !== 'response.created') return;
      if (
        type === 'response.created' &&
        (mapping.state !== 'open' || isOtherResponse(fields, mapping.responseId))
      )
        numbers.reset();
      if (!numbers.admit(type, fields)) return;
      // Most events have the type of the one before.
      if (type !== lastType) handle = EVENT_HANDLERS.get(type);
      lastType = type;
      handle?.(fields, mapping);
    },
    drop(data) {
      dropped++;
      firstDropped ??= errorContext.redact(data).slice(0, 200);
    },
    fail: mapping.fail,
    end() {
      if (mapping.state === 'open') mapping.fail(toTruncationError(errorContext, { lastType, firstDropped }));
      const verdict = judgeEnd(mapping, numbers);
      const isFailed = mapping.state === 'failed';
      const finish = toFinish(mapping, dropped, verdict);
      mapping.items.closeAll({ broken: isFailed, failed: isFailed });
      jsonAnswer?.end();
      if (!isFailed) foundSources.write(write);
      write(finish);
    },
  };
}

/** Judges a response with a terminal event. One whose text is not whole fails, so that it can be requested again. */
function judgeEnd(mapping: Mapping, numbers: EventNumbers): Verdict | undefined {
  if (mapping.state !== 'terminal') return undefined;
  const { items, isIncomplete, errorContext } = mapping;
  const verdict = judge(items.texts(), {
    hasAllEvents: numbers.isIntact,
    hasTextGap: numbers.hasTextGap,
    foreignDeltas: items.foreignDeltas,
    isIncomplete,
  });
  if (verdict.contradiction !== undefined)
    mapping.fail(toContradictionError(errorContext, verdict.contradiction));
  return verdict;
}

function createItemFactories(
  options: Omit<
    MessageWriter & FunctionCallWriter & HostedItemOptions & OpaqueItemWriter,
    'announced' | 'callIds'
  >,
): ItemFactories {
  let count = 0;
  const nextId = (kind: ItemKind): string => `${kind}-${count++}`;
  let callIds: CallIds | undefined;
  return {
    message: announced => new MessageItem(nextId('message'), { ...options, announced }),
    reasoning: announced => createReasoningItem(nextId('reasoning'), { ...options, announced }),
    function_call: announced =>
      createFunctionCallItem({ ...options, announced, callIds: (callIds ??= createCallIds()) }),
    hosted: announced => createHostedItem({ ...options, announced, callIds: (callIds ??= createCallIds()) }),
    opaque: announced => createOpaqueItem({ ...options, announced }),
  };
}

function toFinish(mapping: Mapping, dropped: number, verdict: Verdict | undefined): PartOf<'finish'> {
  const { incompleteReason, unnamedCalls, mcpErrors, logprobs } = mapping;
  const own: JSONObject = {
    ...(dropped > 0 && { droppedEvents: dropped }),
    ...(unnamedCalls.length > 0 && { unnamedCalls }),
    ...(mcpErrors.length > 0 && { mcpErrors }),
    ...(incompleteReason !== undefined && { incompleteReason }),
    ...(verdict !== undefined && verdict.notes.length > 0 && { textNotes: [...verdict.notes] }),
    ...(verdict?.contradiction?.final !== undefined && { finalText: verdict.contradiction.final }),
  };
  return {
    type: 'finish',
    finishReason: {
      unified: mapping.state === 'failed' ? 'error' : mapping.finishReason,
      raw: incompleteReason,
    },
    usage: mapping.usage,
    providerMetadata: {
      openai: {
        responseId: mapping.responseId ?? null,
        ...mapping.metadata,
        ...(logprobs.length > 0 && { logprobs: asJson(logprobs) }),
      },
    },
    ...(Object.keys(own).length > 0 && { own }),
  };
}

function toContradictionError(context: ErrorContext, contradiction: Contradiction): APICallError {
  return createCallError(
    'contradictedResponse',
    context,
    `Expected the streamed text of ${toErrorText(nameOf(contradiction.itemId))} from ${context.url} to be ${
      contradiction.final === undefined ? 'complete' : 'its final text'
    }, got ${contradiction.final === undefined ? 'missing or reordered events' : 'another text'} from character ${contradiction.offset} on. ` +
      'A proxy may have lost, doubled or reordered events. The request can be retried' +
      (contradiction.final === undefined
        ? '.'
        : '; `providerMetadata.kelivo.finalText` of the result contains the final text.'),
  );
}

function toTruncationError(
  context: ErrorContext,
  { lastType, firstDropped }: { lastType: string | undefined; firstDropped: string | undefined },
): APICallError {
  const received =
    lastType !== undefined
      ? `the stream ended after "${toErrorText(context.redact(lastType).slice(0, 100))}"`
      : firstDropped !== undefined
        ? `the body contained no event and began with ${toErrorText(JSON.stringify(firstDropped))}`
        : 'the body was empty';
  return createCallError(
    'truncatedResponse',
    context,
    `Expected a Responses API response from ${context.url} to end with "response.completed", but ${received}. ` +
      (lastType === undefined
        ? 'Check that `baseURL` points to a server that supports the Responses API.'
        : 'The connection probably broke; the request can be retried.'),
  );
}

function kindOf(wire: PlainObject, declared: DeclaredTools): ItemKind {
  const { type } = wire;
  if (type === 'message' || type === 'reasoning' || type === 'function_call') return type;
  return isHostedItem(wire, declared.nameById) ? 'hosted' : 'opaque';
}

/** Returns true for the parts from which hosts build their histories, with or without metadata. */
const isKeptInHistory = (
  part: Part,
): part is PartOf<'text-end' | 'reasoning-end'> | PartOf<'tool-call'> | PartOf<'custom'> =>
  part.type === 'text-end' ||
  part.type === 'reasoning-end' ||
  part.type === 'tool-call' ||
  part.type === 'custom';

/**
 * Adds facts about the response to a part that a history or its metadata can hold: hosts keep the metadata of parts but not
 * that of `finish`.
 *
 * - `responseId`: the response that the server has stored.
 * - `unstored`: the server was asked to store the response, and did not.
 * - `removedReasoning`: ids of reasoning items of the request that the API could not use, so that later requests omit them.
 */
function withFacts(part: Part, facts: PartFacts): Part {
  if (part.type === 'finish') return part;
  if (isKeptInHistory(part)) return { ...part, own: { ...part.own, ...facts } };
  const hasFacts = 'providerMetadata' in part && part.providerMetadata !== undefined;
  return hasFacts ? { ...part, own: { ...part.own, ...facts } } : part;
}

/**
 * The sequence numbers of a response. They show events that arrive twice, which are dropped, and events that are missing or
 * out of order, which are evidence against a text that nothing else confirms. Servers whose numbers do not ascend, or are
 * absent from some events, are not checked.
 *
 * @internal
 */
export class EventNumbers {
  /** True if events around the streamed text are missing or out of order. */
  hasTextGap = false;
  #hasGap = false;
  #isOn = true;
  #first: number | undefined;
  #last = -1;
  #lastType = '';
  /** The content of the events by number, from `#first` on. */
  #seen: unknown[] = [];

  /** True if every event had the number after that of the event before it. */
  get isIntact(): boolean {
    return this.#isOn && this.#first !== undefined && !this.#hasGap;
  }

  /** Begins another response in the same stream, whose numbers begin again. */
  reset(): void {
    this.#first = undefined;
    this.#seen = [];
  }

  /** Returns false for an event that has arrived before. */
  admit(type: string, fields: PlainObject): boolean {
    if (!this.#isOn) return true;
    const { sequence_number: number } = fields;
    if (typeof number !== 'number') return this.#turnOff();
    const content = fields.delta ?? type;
    this.#first ??= number;
    const index = number - this.#first;
    if (index === this.#seen.length) {
      this.#seen.push(content);
    } else if (index >= 0 && index < this.#seen.length) {
      // A number of another event belongs to a server that counts in its own way.
      return this.#seen[index] === content ? false : this.#turnOff();
    } else {
      if (!Number.isInteger(number)) return this.#turnOff();
      this.#hasGap = true;
      this.hasTextGap ||= TEXT_DELTAS.has(type) || TEXT_DELTAS.has(this.#lastType);
      if (number > this.#last) {
        this.#first = number;
        this.#seen = [content];
      }
    }
    this.#last = number;
    this.#lastType = type;
    return true;
  }

  #turnOff(): true {
    this.#isOn = false;
    this.hasTextGap = false;
    this.#seen = [];
    return true;
  }
}

const TEXT_DELTAS: ReadonlySet<string> = new Set(['response.output_text.delta', 'response.refusal.delta']);

/** Returns true for the announcement of a response that is not the current one. */
function isOtherResponse(fields: PlainObject, responseId: string | undefined): boolean {
  const id = idOf(objectOf(fields.response)?.id);
  return id !== undefined && responseId !== undefined && id !== responseId;
}
