import type { Attributes, Context, Span } from '@opentelemetry/api';
import { ATTRIBUTE, SCOPE } from './spans.js';

/* A span processor that makes each round of a turn a model call with its own usage. */

/** The properties of an ended span that are read. */
interface EndedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly instrumentationScope?: { readonly name: string };
  readonly parentSpanContext?: { readonly spanId: string } | undefined;
  spanContext(): { readonly spanId: string };
}

/** A span processor of the SDK of OpenTelemetry. */
interface NextProcessor<Started, Ended> {
  onStart(span: Started, parentContext: Context): void;
  onEnd(span: Ended): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** A span that has not ended. */
interface OpenSpan {
  readonly parentId: string | undefined;
  /** True if a round of this package is below it. */
  hasRounds: boolean;
}

/** Number of open spans that are remembered, in case spans never end. */
const MAX_OPEN = 10_000;

const USAGE = /^(?:gen_ai\.usage|ai\.usage|ai\.response\.usage)\./;
const OWN_USAGE = 'kelivo.usage.';

/**
 * Passes spans to the next processor so that backends count each round once: a round has `gen_ai.usage.*`, and the spans of
 * the host above it, which contain the sum of all rounds, have no usage. The span of the host's model call becomes an
 * agent's, because a model call without usage would be estimated. A recorded round was counted when it was requested. Other
 * spans, and those of turns without this processor, stay as they are.
 *
 * @example
 * ```ts
 * new NodeTracerProvider({ spanProcessors: [new RoundSpanProcessor(new LangfuseSpanProcessor())] });
 * ```
 */
export class RoundSpanProcessor<Started extends Span, Ended extends EndedSpan> {
  readonly #next: NextProcessor<Started, Ended>;
  readonly #open = new Map<string, OpenSpan>();

  /** @param next receives the spans: the processor of a backend, or one with an exporter */
  constructor(next: NextProcessor<Started, Ended>) {
    this.#next = next;
  }

  /** Remembers the span until it ends, and passes it on. */
  onStart(span: Started, parentContext: Context): void {
    const { spanId } = span.spanContext();
    const parentId = parentIdOf(span);
    this.#open.set(spanId, { parentId, hasRounds: false });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    if (isRound(span)) this.#markAncestors(parentId);
    this.#next.onStart(span, parentContext);
  }

  /** Passes the span on, with the usage that counts. */
  onEnd(span: Ended): void {
    const { spanId } = span.spanContext();
    const isAbove = this.#open.get(spanId)?.hasRounds === true;
    this.#open.delete(spanId);
    const attributes = isRound(span)
      ? toRoundAttributes(span.attributes)
      : isAbove && isOfModel(span.attributes)
        ? toTurnAttributes(span.attributes)
        : undefined;
    // The span itself belongs to all processors.
    this.#next.onEnd(
      attributes === undefined ? span : (Object.create(span, { attributes: { value: attributes } }) as Ended),
    );
  }

  /** Lets the next processor export what it holds. */
  forceFlush(): Promise<void> {
    return this.#next.forceFlush();
  }

  /** Ends the next processor. */
  shutdown(): Promise<void> {
    return this.#next.shutdown();
  }

  #markAncestors(spanId: string | undefined): void {
    for (let id = spanId; id !== undefined;) {
      const span: OpenSpan | undefined = this.#open.get(id);
      if (span === undefined || span.hasRounds) return;
      span.hasRounds = true;
      id = span.parentId;
    }
  }
}

const parentIdOf = (span: object): string | undefined =>
  (span as Partial<EndedSpan>).parentSpanContext?.spanId ??
  // Version 1 of the SDK.
  (span as { parentSpanId?: string }).parentSpanId;

/** A response in the background is read in a separate operation, which may have the usage. */
const OF_ROUNDS: ReadonlySet<unknown> = new Set(['chat', 'fetch_response']);

function isRound(span: object): boolean {
  const { attributes, instrumentationScope, instrumentationLibrary } = span as Partial<EndedSpan> & {
    instrumentationLibrary?: { name: string };
  };
  const scope = (instrumentationScope ?? instrumentationLibrary)?.name;
  const operation = attributes?.[ATTRIBUTE.operation];
  return (scope === SCOPE || attributes?.[ATTRIBUTE.round] !== undefined) && OF_ROUNDS.has(operation);
}

/** Returns true for spans of `ai` that have the usage of a model call: of 5 and 6 by their own names, else by the convention. */
const isOfModel = (attributes: Attributes): boolean =>
  attributes[ATTRIBUTE.operation] !== undefined || typeof attributes['ai.operationId'] === 'string';

const isModelCall = (attributes: Attributes): boolean =>
  attributes[ATTRIBUTE.operation] === 'chat' ||
  /\.do(?:Generate|Stream)$/.test(String(attributes['ai.operationId']));

function toTurnAttributes(attributes: Attributes): Attributes {
  const kept = Object.entries(attributes).filter(([name]) => !USAGE.test(name));
  return {
    ...Object.fromEntries(kept),
    ...(isModelCall(attributes) && { [ATTRIBUTE.operation]: 'invoke_agent' }),
  };
}

function toRoundAttributes(attributes: Attributes): Attributes {
  // Backends would estimate the usage of a reading that has none.
  const isCounted =
    attributes[ATTRIBUTE.operation] === 'chat' ||
    Object.keys(attributes).some(name => USAGE.test(name) || name.startsWith(OWN_USAGE));
  if (attributes[ATTRIBUTE.isReplayed] === true || !isCounted)
    return { ...attributes, [ATTRIBUTE.operation]: 'agent_step' };
  const entries = Object.entries(attributes).map(([name, value]) => [
    name.startsWith(OWN_USAGE) ? `gen_ai.usage.${name.slice(OWN_USAGE.length)}` : name,
    value,
  ]);
  const renamed = Object.fromEntries(entries) as Attributes;
  // The name before the present conventions, which readers still use.
  const { 'gen_ai.usage.cache_write.input_tokens': written, ...rest } = renamed;
  return written === undefined ? rest : { ...rest, 'gen_ai.usage.cache_creation.input_tokens': written };
}
