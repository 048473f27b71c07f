import type { CoreCall } from '../../../core/call.js';
import type { Finish, FinishReason, Part } from '../../../core/part.js';
import type { PartTransformer } from '../../../core/source.js';
import type { QuotedCalls } from './call-reader.js';
import { createDuplicateCalls } from './duplicate-calls.js';
import { createQuotedCalls } from './quoted-calls.js';
import { NativeReasoning } from './native-reasoning.js';
import { createReasoningCalls, type HeldCalls } from './reasoning.js';
import { createTextWriter, type TextWriter, type TextEvents, type UnclosedCall } from './text-output.js';
import { TextParser, type TextParserOptions } from './text-parser.js';
import {
  type DeclaredTools,
  forbidsCalls,
  type ReasoningTags,
  toDeclaredTools,
} from '../reading/text-tool-format.js';

export interface ResponseReaderOptions extends Pick<
  TextParserOptions,
  'formats' | 'reasoning' | 'undeclared' | 'dropsText' | 'streamArgumentsFrom'
> {
  readonly call: Pick<CoreCall, 'tools' | 'toolChoice' | 'prompt'>;
  /** The formats are those of other families: reasoning is text, and the metadata names the formats that were found. */
  readonly isDetected?: boolean;
}

/** Rewrites the parts of one response. */
export interface TextToolReader extends PartTransformer {
  /** Sets the start of the response before its first part. */
  begin(start: ResponseStart): void;
  /** True if the server separates the reasoning, false if its end was in the text, undefined if neither was seen. */
  readonly separatesReasoning: boolean | undefined;
}

/**
 * The start of a response.
 *
 * - `text`: it is an answer.
 * - `reasoning`: it is reasoning up to its closing tag.
 * - `unknown`: it is held back until it is certain, or too long to be.
 */
export type ResponseStart = 'text' | 'reasoning' | 'unknown';

/**
 * Rewrites the parts of one response. Consecutive text is parsed as a unit; other content ends it, so a call never
 * spans other content.
 */
export function createTextToolReader(options: ResponseReaderOptions): TextToolReader {
  const { call, isDetected = false, streamArgumentsFrom } = options;
  let emit: (part: Part) => void = () => {};
  const duplicateCalls = createDuplicateCalls(call, streamArgumentsFrom);
  const writer = createTextWriter(part => duplicateCalls.fromText(part, emit));
  const text = new ResponseText(options, writer);
  const native = text.hasCalls
    ? new NativeReasoning(text.openCallParser, REPLACEABLE_REASONS, text.addCalls, take)
    : undefined;

  /** Ends the text before content of another type. */
  function endTextBefore(part: Part, id?: string): Part {
    if (PROOFS.has(part.type)) text.proveSeparation();
    text.close();
    if (id !== undefined) writer.claim(id);
    return part;
  }

  /** Returns the part that replaces `part`, or undefined for a part that has no replacement. */
  function rewrite(part: Part): Part | undefined {
    switch (part.type) {
      case 'text-start':
        text.close();
        writer.startText(part);
        return undefined;
      case 'text-delta':
        text.feed(part.delta);
        return undefined;
      case 'text-end':
        text.end(part);
        return undefined;
      case 'reasoning-start': {
        const ended = endTextBefore(part, part.id);
        text.startNativeReasoning();
        return ended;
      }
      case 'tool-input-start':
        return endTextBefore(part, part.id);
      case 'tool-call':
        return endTextBefore(part, part.toolCallId);
      case 'tool-result':
      case 'tool-approval-request':
      case 'file':
      case 'reasoning-file':
      case 'custom':
      case 'error':
        return endTextBefore(part);
      case 'finish':
        text.finish(part.finishReason.unified);
        duplicateCalls.end(emit);
        return withCalls(part, writer, isDetected);
      default:
        return part;
    }
  }

  function take(part: Part): void {
    const rewritten = rewrite(part);
    if (rewritten !== undefined) duplicateCalls.native(rewritten, emit);
  }

  return {
    begin: start => text.begin(start),
    get separatesReasoning() {
      return text.separatesReasoning;
    },
    part(part, write) {
      emit = write;
      if (native === undefined) take(part);
      else native.take(part);
    },
    flush(write) {
      emit = write;
      native?.flush();
      text.finish(undefined);
      duplicateCalls.end(write);
    },
  };
}

/** Returns the end of a response with what the text has shown. */
function withCalls(part: Finish, { calls, formats, quoted }: TextWriter, isDetected: boolean): Finish {
  if (calls === 0 && quoted.size === 0) return part;
  const facts = {
    ...(isDetected && calls > 0 && { detectedFormats: [...formats] }),
    ...(quoted.size > 0 && { quotedCalls: [...quoted] }),
  };
  return {
    ...part,
    ...(calls > 0 && { finishReason: withToolCalls(part.finishReason) }),
    ...(Object.keys(facts).length > 0 && { own: { ...part.own, ...facts } }),
  };
}

/** The parts that only a server sends that parses the text of the model itself. */
const PROOFS: ReadonlySet<Part['type']> = new Set<Part['type']>([
  'reasoning-start',
  'tool-input-start',
  'tool-call',
]);

type BlockEnd = Parameters<TextWriter['endText']>[0];

/** A longer start is labelled by the family of the model before it is certain, so that long thoughts stream. */
const MAX_HELD = 400;

const NO_TAGS: readonly ReasoningTags[] = [];

/** The text of a response, which is read as a unit until other content ends it. */
class ResponseText {
  /** True if the server separates the reasoning, false if its end was in the text, undefined if neither was seen. */
  separatesReasoning: boolean | undefined;
  private readonly tools: DeclaredTools;
  private readonly dropsCalls: boolean;
  private readonly quoted: QuotedCalls;
  private readonly pairs = createPairJoiner();
  private readonly reasoningEnds: readonly string[];
  private parser: TextParser | undefined;
  /** A parser of ordinary text, made before the request, because the first token would wait for it. */
  private prepared: TextParser | undefined;
  /** True while the first text may begin with reasoning. */
  private mayStartInReasoning = false;
  /** The start while it is held back, with the end of its block. */
  private held: { text: string; end?: BlockEnd; hasEnded: boolean } | undefined;
  /** True if the server separates reasoning from the text. Tags that it leaves in the text are intended. */
  private hasNativeReasoning: boolean;
  /** The first text while it is treated as reasoning. */
  private assumedReasoning = '';
  /** True if a text had the start of a call that is none. */
  private hasOpener = false;
  /** The calls at the end of the text that is treated as reasoning. */
  private heldCalls: HeldCalls | undefined;
  /** The calls at the end of the reasoning of the server. */
  private nativeCalls: HeldCalls | undefined;
  /** The call at the end of the latest text, if its end is missing. */
  private unclosedCall: UnclosedCall | undefined;
  /** The end of its block. */
  private unclosedEnd: BlockEnd | undefined;

  constructor(
    private readonly options: ResponseReaderOptions,
    private readonly writer: TextWriter,
  ) {
    const { call, isDetected = false, reasoning, formats } = options;
    const [firstTags] = reasoning;
    this.tools = toDeclaredTools(call);
    this.dropsCalls = forbidsCalls(call);
    this.quoted = createQuotedCalls(call, this.tools, formats, reasoning);
    this.hasNativeReasoning = isDetected;
    this.reasoningEnds = [
      ...(firstTags === undefined ? [] : [firstTags.open, firstTags.close]),
      ...formats.flatMap(format => format.reasoningEnders ?? []),
    ];
    this.prepared = this.openParser(false);
  }

  /** True if the request allows calls. */
  get hasCalls(): boolean {
    return this.tools.size > 0 && !this.dropsCalls;
  }

  /** Sets the start of the response before its first part. */
  begin(start: ResponseStart): void {
    this.mayStartInReasoning = start === 'reasoning';
    this.held = start === 'unknown' ? { text: '', hasEnded: false } : undefined;
  }

  feed(delta: string): void {
    const complete = this.pairs.push(delta);
    if (complete === '') return;
    if (this.held === undefined) return this.add(complete);
    this.held.text += complete;
    const { text } = this.held;
    if (text.length > MAX_HELD || this.reasoningEnds.some(end => text.includes(end))) this.decide(true);
  }

  /** Ends the text with its metadata. Its last call may still be completed at the end of the response. */
  end(end?: BlockEnd): void {
    if (this.held === undefined) return this.endText(end);
    const text = this.held.text + this.pairs.end();
    this.held = { text, hasEnded: true, ...(end && { end }) };
  }

  /** Ends the text before other content, which no call spans. */
  close(): void {
    if (this.held !== undefined && this.held.text.trim() !== '') this.decide(true);
    this.endText();
    this.endUnclosedCall();
  }

  /** Ends the text at the end of the response. */
  finish(reason: Reason | undefined): void {
    this.endHeld(reason);
    this.endText();
    this.endUnclosedCall(reason);
    this.endAssumedReasoning(reason);
  }

  /** Notes that the server separates reasoning or calls from the text, so that a start that is held back is text. */
  proveSeparation(): void {
    this.separatesReasoning ??= true;
    this.decide(false);
    if (this.parser === undefined) this.mayStartInReasoning = false;
  }

  /** Notes that the server separates reasoning from the text. */
  startNativeReasoning(): void {
    this.separatesReasoning = true;
    this.hasNativeReasoning = true;
    this.prepared = undefined;
  }

  /** Adds calls at the end of the response. */
  readonly addCalls = (calls: HeldCalls): void => {
    this.nativeCalls = calls;
  };

  /** Opens a parser of the calls within reasoning: those of declared tools, after a marker. */
  readonly openCallParser = (events: TextEvents): TextParser => {
    const { tools, quoted } = this;
    const { formats } = this.options;
    return new TextParser(
      { formats, reasoning: NO_TAGS, tools, undeclared: 'text', isContinued: true, quoted },
      events,
    );
  };

  private openParser(startsInReasoning: boolean): TextParser {
    const { options, tools, quoted, dropsCalls, hasOpener, writer } = this;
    return new TextParser(
      {
        formats: options.formats,
        reasoning: options.reasoning,
        dropsText: options.dropsText,
        streamArgumentsFrom: options.streamArgumentsFrom,
        tools,
        quoted,
        // The host would run a tool that the request excludes.
        undeclared: options.undeclared ?? (options.call.toolChoice?.type === 'tool' ? 'text' : undefined),
        dropsCalls,
        startsInReasoning,
        keepsReasoning: this.hasNativeReasoning,
        hasOpener,
      },
      writer,
    );
  }

  /** Returns the prepared parser for the first text, unless something has changed since. */
  private takeParser(): TextParser {
    const prepared = this.mayStartInReasoning ? undefined : this.prepared;
    this.prepared = undefined;
    return prepared ?? this.openParser(this.mayStartInReasoning);
  }

  private add(text: string): void {
    this.parser ??= this.takeParser();
    if (this.mayStartInReasoning) this.assumedReasoning += text;
    this.parser.feed(text);
    this.writer.flush();
  }

  /** Reads the start that was held back, as reasoning or as text. */
  private decide(isReasoning: boolean): void {
    if (this.held === undefined) return;
    const { text, end, hasEnded } = this.held;
    this.held = undefined;
    this.mayStartInReasoning = isReasoning;
    if (text !== '') this.add(text);
    if (hasEnded) this.endText(end);
  }

  private endText(end?: BlockEnd): void {
    const rest = this.pairs.end();
    if (rest !== '') this.add(rest);
    this.parser?.end();
    if (this.parser !== undefined) {
      if (!this.parser.isAllReasoning) this.assumedReasoning = '';
      if (this.parser.hasReasoningEnd && !this.hasNativeReasoning) this.separatesReasoning ??= false;
      this.heldCalls ??= this.parser.heldCalls;
      this.unclosedCall = this.parser.unclosedCall;
      this.hasOpener = this.parser.hasOpener;
      this.mayStartInReasoning = false;
    }
    this.parser = undefined;
    // The text of a call that is cut off continues the block.
    if (this.unclosedCall === undefined) this.writer.endText(end);
    else this.unclosedEnd = end ?? this.unclosedEnd;
  }

  /**
   * Emits reasoning that was never closed as text, once, unless the response was truncated, failed or made native calls:
   * an answer that is shown twice does less harm than one that is hidden. The calls at its end are calls unless the
   * response was truncated or failed.
   */
  private endAssumedReasoning(reason: Reason | undefined): void {
    const isFinished = REPLACEABLE_REASONS.has(reason);
    const calls = this.heldCalls;
    const text = this.assumedReasoning.slice(0, this.assumedReasoning.length - (calls?.text.length ?? 0));
    if (this.assumedReasoning.trim() !== '' && isFinished && calls === undefined)
      this.separatesReasoning ??= true;
    this.assumedReasoning = '';
    this.heldCalls = undefined;
    if (isFinished && reason !== 'tool-calls' && text.trim() !== '') this.feedText(text);
    if (isFinished) calls?.emit(this.writer);
    else if (calls !== undefined) this.writer.reasoning(calls.text.trim());
    this.nativeCalls?.emit(this.writer);
    this.nativeCalls = undefined;
    this.endText();
    this.endUnclosedCall(reason);
  }

  /**
   * Completes the call at the end of the response, if only its end is missing and the response finished normally.
   * Otherwise more arguments may be missing.
   */
  private endUnclosedCall(reason?: Reason): void {
    const unclosed = this.unclosedCall;
    if (unclosed === undefined) return;
    this.unclosedCall = undefined;
    if (FINISHED_REASONS.has(reason)) unclosed.complete();
    else unclosed.discard(TRUNCATED_REASONS.has(reason));
    this.writer.endText(this.unclosedEnd);
    this.unclosedEnd = undefined;
  }

  private feedText(text: string): void {
    this.parser = this.openParser(false);
    this.parser.feed(text);
    this.endText();
  }

  private endsInCalls(text: string): boolean {
    if (this.tools.size === 0 || this.dropsCalls) return false;
    const scanner = createReasoningCalls(this.openCallParser);
    scanner.push(text);
    return scanner.end().calls !== undefined;
  }

  /** Reads a start that is held back at the end of the response: it is an answer if the model ended it. */
  private endHeld(reason: Reason | undefined): void {
    if (this.held === undefined) return;
    // Only the text of a server that parses nothing contains calls.
    const isAnswer = FINISHED_REASONS.has(reason) && !this.endsInCalls(this.held.text);
    if (isAnswer && this.held.text.trim() !== '') this.separatesReasoning ??= true;
    this.decide(!isAnswer);
  }
}

/** Holds back the first half of a surrogate pair until the second half arrives. */
function createPairJoiner() {
  let half = '';
  return {
    push(delta: string): string {
      const text = half === '' ? delta : half + delta;
      const last = text.charCodeAt(text.length - 1);
      if (!(last >= 0xd800 && last <= 0xdbff)) {
        half = '';
        return text;
      }
      half = text.slice(-1);
      return text.slice(0, -1);
    },
    end(): string {
      const rest = half;
      half = '';
      return rest;
    },
  };
}

/** Returns the finish reason of a response with calls. Truncated, filtered and failed responses keep theirs. */
const withToolCalls = (reason: FinishReason): FinishReason =>
  REPLACEABLE_REASONS.has(reason.unified) ? { ...reason, unified: 'tool-calls' } : reason;

type Reason = FinishReason['unified'];

/** The reasons of a response that the model ended itself. */
const FINISHED_REASONS: ReadonlySet<Reason | undefined> = new Set<Reason>(['stop', 'tool-calls']);

/** The reasons of a response whose end is missing. */
const TRUNCATED_REASONS: ReadonlySet<Reason | undefined> = new Set<Reason>([
  'length',
  'content-filter',
  'error',
]);

const REPLACEABLE_REASONS: ReadonlySet<Reason | undefined> = new Set<Reason>([
  'stop',
  'tool-calls',
  'other',
  'interrupted',
]);
