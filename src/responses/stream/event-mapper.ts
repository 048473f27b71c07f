import type { APICallError } from '@ai-sdk/provider';
import type { FinishReason, Part, PartOf } from '../../core/part.js';
import type { PartFacts } from '../../core/prompt.js';
import { NO_USAGE } from '../../core/finish.js';
import { createCallError, type ErrorContext, toErrorText } from '../../core/http/api-error.js';
import { asJson, idOf, type JSONObject, objectOf, type PlainObject } from '../../core/shared/json.js';
import type { HostDeclarations } from './hosted-item.js';
import { createFoundSources, createJsonAnswer, type JsonAnswer } from './message-item.js';
import type { ItemReports } from './output-item.js';
import { OutputItems } from './output-items.js';
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
  readonly declared: HostDeclarations;
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
  /** Called when a response is complete, after its last item. @default it is not noted */
  readonly onCompleted?: (() => void) | undefined;
  /** Called when the server has run the calls so far itself, and answers with another response. @default it is not noted */
  readonly onCallsRun?: (() => void) | undefined;
}

/** A response whose events become parts: what they have said so far, which the handlers of the events change. */
export class EventMapper implements ItemReports {
  readonly errorContext: ErrorContext;
  readonly maxOutputTokens: number | undefined;
  readonly items: OutputItems;
  /**
   * After `failed` no further event matters. After `steered` another response follows, because the user has changed the
   * instructions.
   */
  state: 'open' | 'steered' | 'terminal' | 'failed' = 'open';
  /** Takes the first response object, and returns facts for all parts. Undefined afterwards. */
  onResponse: EventMapperOptions['onResponse'];
  readonly onCompleted: EventMapperOptions['onCompleted'];
  readonly onCallsRun: EventMapperOptions['onCallsRun'];
  /** Facts for the parts that a history or its metadata can hold. */
  facts: PartFacts | undefined;
  responseId: string | undefined;
  announcedModel: string | undefined;
  finishReason: FinishReason['unified'] = 'interrupted';
  usage = NO_USAGE;
  /** Usage of earlier lifecycles in the same stream. */
  earlierUsage = NO_USAGE;
  metadata: JSONObject = {};
  /** The server's reason for an incomplete response. */
  incompleteReason: string | undefined;
  hasCalls = false;
  hasRefusal = false;
  /** Ids of the reasoning items of the request that the API has removed. Empty after a part contains them. */
  removedReasoning: string[] | undefined;
  /** The terminal response object. */
  response: PlainObject | undefined;
  hasPartialCalls = false;
  /** True if the server ended the response before the model did. */
  isIncomplete = false;
  readonly logprobs: unknown[] = [];
  readonly mcpErrors: JSONObject[] = [];
  readonly unnamedCalls: JSONObject[] = [];
  /** Number of SSE dispatches without a readable event. */
  dropped = 0;
  readonly #options: EventMapperOptions;
  readonly #jsonAnswer: JsonAnswer | undefined;
  readonly #foundSources = createFoundSources();
  readonly #numbers = new EventNumbers();
  #lastType: string | undefined;
  #firstDropped: string | undefined;

  constructor(options: EventMapperOptions) {
    this.#options = options;
    this.errorContext = options.errorContext;
    this.maxOutputTokens = options.maxOutputTokens;
    this.onResponse = options.onResponse;
    this.onCompleted = options.onCompleted;
    this.onCallsRun = options.onCallsRun;
    this.#jsonAnswer = options.isJson ? createJsonAnswer() : undefined;
    this.items = new OutputItems({
      ...options,
      write: this.write,
      reports: this,
      jsonAnswer: this.#jsonAnswer,
      isIntact: () => this.#numbers.isIntact,
      onCitation: this.#foundSources.cite,
      onSources: this.#foundSources.add,
    });
  }

  /** Writes a part with the facts about its response. */
  readonly write = (part: Part): void => {
    const { write, onCall, isKept } = this.#options;
    if (part.type === 'tool-input-start') onCall?.();
    const { removedReasoning } = this;
    const isRemovalDue =
      removedReasoning !== undefined && removedReasoning.length > 0 && isKeptInHistory(part);
    const responseId = isKept ? this.responseId : undefined;
    // Nearly all parts have no such facts.
    if (!isRemovalDue && responseId === undefined && this.facts === undefined) return write(part);
    if (isRemovalDue) this.removedReasoning = [];
    const facts = {
      ...this.facts,
      ...(responseId !== undefined && { responseId }),
      ...(isRemovalDue && { removedReasoning }),
    };
    write(withResponseFacts(part, facts));
  };

  /** Returns true for an event that has not arrived before and that belongs to the response. */
  admit({ type, fields }: ResponsesEvent): boolean {
    // A failure is reported once, but `response.failed` after `error` may still contain the usage.
    if (this.state === 'failed' && type !== 'response.failed') return false;
    if (type === 'response.created') {
      const id = idOf(objectOf(fields.response)?.id);
      const isOther = id !== undefined && this.responseId !== undefined && id !== this.responseId;
      if (this.state !== 'open' || isOther) this.#numbers.reset();
    } else if (this.state === 'terminal') {
      // A complete response has no more content. Another response may follow in the same stream.
      return false;
    }
    if (!this.#numbers.admit(type, fields)) return false;
    this.#lastType = type;
    return true;
  }

  /** Counts an SSE dispatch without a readable event. */
  drop(data: string): void {
    this.dropped++;
    this.#firstDropped ??= this.errorContext.redact(data).slice(0, 200);
  }

  /** Ends the response with an error. Only the first error is written; later events are ignored. */
  fail(error: unknown): void {
    if (this.state === 'failed') return;
    this.state = 'failed';
    this.write({ type: 'error', error });
  }

  /** Closes all open items and writes `finish`. A response without a terminal event ends with an error. */
  end(): void {
    if (this.state === 'open') {
      const facts = { lastType: this.#lastType, firstDropped: this.#firstDropped };
      this.fail(toTruncationError(this.errorContext, facts));
    }
    const verdict = this.#judge();
    const isFailed = this.state === 'failed';
    const finish = toFinish(this, verdict);
    this.items.closeAll({ broken: isFailed, failed: isFailed });
    this.#jsonAnswer?.end();
    if (!isFailed) this.#foundSources.write(this.write);
    this.write(finish);
  }

  /** Judges a response with a terminal event. One whose text is not whole fails, so that it can be requested again. */
  #judge(): Verdict | undefined {
    // Most responses with calls have no text.
    if (this.state !== 'terminal' || this.items.message.entries.length === 0) return undefined;
    const verdict = judge(this.items.texts(), {
      hasAllEvents: this.#numbers.isIntact,
      hasTextGap: this.#numbers.hasTextGap,
      foreignDeltas: this.items.message.foreignDeltas,
      isIncomplete: this.isIncomplete,
    });
    if (verdict.contradiction !== undefined)
      this.fail(toContradictionError(this.errorContext, verdict.contradiction));
    return verdict;
  }
}

function toFinish(mapper: EventMapper, verdict: Verdict | undefined): PartOf<'finish'> {
  const { dropped, incompleteReason, unnamedCalls, mcpErrors, logprobs } = mapper;
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
      unified: mapper.state === 'failed' ? 'error' : mapper.finishReason,
      raw: incompleteReason,
    },
    usage: mapper.usage,
    providerMetadata: {
      openai: {
        responseId: mapper.responseId ?? null,
        ...mapper.metadata,
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
function withResponseFacts(part: Part, facts: PartFacts): Part {
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
