import { type CallReader, type CallReaderOptions, createCallReader } from './call-reader.js';
import { createFenceTracker, createInlineCode } from './markdown.js';
import { isLeftover, isMention, type Markers, markersOf, startsCall } from './markers.js';
import {
  createReasoningCalls,
  type HeldCalls,
  readReasoning,
  type ReasoningEnd,
  takeLineWord,
} from './reasoning.js';
import { findSpaceEnd, MAX_SPACE, type Reading, TextCursor } from '../reading/text-cursor.js';
import { createTextOutput, type TextEvents, type TextOutput, type UnclosedCall } from './text-output.js';
import type { ReasoningTags, TextToolFormat, UndeclaredPolicy } from '../reading/text-tool-format.js';

export interface TextParserOptions extends Pick<
  CallReaderOptions,
  'tools' | 'streamArgumentsFrom' | 'quoted'
> {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  /**
   * The meaning of calls of undeclared tools.
   * @default 'call'
   */
  readonly undeclared?: UndeclaredPolicy | undefined;
  /** Drops complete calls, because the request does not allow any. */
  readonly dropsCalls?: boolean;
  /** The text starts within reasoning of the first pair of tags, because the prompt ends in the opening tag. */
  readonly startsInReasoning?: boolean;
  /** Leaves tagged reasoning in the text, because the server separates reasoning itself. */
  readonly keepsReasoning?: boolean;
  /** Drops text outside of messages. */
  readonly dropsText?: boolean | undefined;
  /** The text continues other text, so that nothing in it is at the start of a response. */
  readonly isContinued?: boolean;
  /** An earlier text of the response has the start of a call that is none, so the end of a call may belong to it. */
  readonly hasOpener?: boolean;
}

const NO_TAGS: readonly ReasoningTags[] = [];

/**
 * Parses the text of a model in one pass, as it arrives. Text is emitted at once, except for the start of a possible
 * marker. Calls are read by their format. Fenced and inline code contain no calls. Reasoning contains calls only at its
 * end, if its closing tag is missing.
 */
export class TextParser {
  /** True if the text started within reasoning and never left it. */
  isAllReasoning = false;
  /** The calls at the end of a text that is all reasoning. They were not emitted. */
  heldCalls: HeldCalls | undefined;
  /** True if the text so far has the start of a call that is none. */
  hasOpener: boolean;
  /** True if the text contained the end of reasoning that it did not start. */
  hasReasoningEnd = false;
  private readonly hasCalls: boolean;
  private readonly markers: Markers;
  private readonly cursor = new TextCursor();
  private readonly fences = createFenceTracker();
  private readonly inlineCode = createInlineCode();
  private readonly output: TextOutput;
  private readonly calls: CallReader;
  private readonly reading: Iterator<void, void, void>;
  /** True until reasoning was read or mentioned. Until then a closing tag in the text ends reasoning. */
  private mayBeReasoning: boolean;
  /** The closing tag of the pair around the text, while it is open. */
  private wrapperEnd: string | undefined;
  private visitedForCalls = 0;
  /** The runs of backticks in the rest of a line without the end of the open code: the last position of each length. */
  private line: { readonly end: number; readonly runs: ReadonlyMap<number, number> } = {
    end: 0,
    runs: new Map(),
  };

  constructor(
    private readonly options: TextParserOptions,
    private readonly events: TextEvents,
  ) {
    const { formats, reasoning, tools, undeclared = 'call', dropsCalls = false } = options;
    this.hasCalls = tools.size > 0 && !dropsCalls;
    const readsCalls = tools.size > 0 || dropsCalls || undeclared === 'drop';
    this.hasOpener = options.hasOpener === true;
    this.mayBeReasoning = options.keepsReasoning !== true;
    this.markers = markersOf(formats, reasoning)[readsCalls ? 'all' : 'undeclared'];
    const { cursor, fences, markers, writeMarkdown } = this;
    this.output = createTextOutput(events.text, {
      longest: markers.longest,
      preceding: options.isContinued === true ? 'text' : 'nothing',
    });
    this.calls = createCallReader({
      tools,
      undeclared: readsCalls ? undeclared : 'text',
      dropsCalls,
      streamArgumentsFrom: options.streamArgumentsFrom,
      quoted: options.quoted,
      markers,
      cursor,
      fences,
      output: this.output,
      events,
      writeMarkdown,
    });
    this.reading = this.read()[Symbol.iterator]();
    this.run();
  }

  feed(text: string): void {
    this.cursor.feed(text);
    this.run();
  }

  /** Marks the end of the text. */
  end(): void {
    this.cursor.end();
    this.run();
  }

  /** The call at the end of the text, if its arguments are complete and its end is missing. It was not completed. */
  get unclosedCall(): UnclosedCall | undefined {
    return this.calls.unclosedCall;
  }

  /** The number of characters that were read. */
  get position(): number {
    return this.cursor.taken;
  }

  /** The number of visited characters, which measures the work done. */
  get visited(): number {
    return this.cursor.visited + this.visitedForCalls;
  }

  private run(): void {
    if (!this.cursor.isTaking) this.reading.next();
    this.calls.flush();
  }

  private *read(): Reading<void> {
    if (this.options.startsInReasoning === true) yield* this.readOpenedReasoning();
    for (;;) {
      const character = yield* this.passText();
      if (character === undefined) break;
      if (this.markers.isStart(character, this.output.preceding)) yield* this.readMarker();
    }
    if (this.calls.unclosedCall === undefined) this.output.end();
  }

  /** Writes text up to a possible marker. The markers change with the first text. */
  private passText(): Reading<string | undefined> {
    const { cursor, markers, writeProse } = this;
    const { preceding } = this.output;
    if (preceding === 'text') return cursor.passUntil(markers.start.text, writeProse);
    writeProse(cursor.takeUntil(markers.start[preceding]));
    return cursor.peek();
  }

  private readonly writeMarkdown = (text: string, isShown = true): void => {
    this.fences.push(text);
    this.inlineCode.push(text);
    if (isShown) this.output.write(text);
  };

  /** Writes text that is part of no call. */
  private readonly writeProse = (text: string): void =>
    this.writeMarkdown(text, this.options.dropsText !== true);

  private *readMarker(): Reading<void> {
    const { cursor, fences, inlineCode, markers } = this;
    const { preceding } = this.output;
    const isAtLineStart = preceding === 'text' && cursor.previous === '\n';
    const known = markers.after[isAtLineStart ? 'line-break' : preceding];
    // The line break after a quotation is no part of it.
    const isCode = fences.isFenced || (fences.isQuoted && (yield* cursor.peek()) !== '\n');
    const marker = isCode ? undefined : yield* cursor.match(known);
    if (marker === undefined) {
      const isDropped = preceding === 'call' && !isCode && (yield* this.takesTruncatedCloser());
      if (!isDropped) this.writeProse(cursor.take(1));
    } else if (preceding !== 'call' && inlineCode.isOpen && (yield* this.isInlineCode())) {
      inlineCode.confirm();
      this.hasOpener ||= markers.kindOf(marker, preceding) === undefined;
      this.writeProse(cursor.take(1));
    } else {
      yield* this.readMarkup(marker);
    }
  }

  /**
   * Returns true if the open code ends on its line, or starts at the marker. Otherwise the run of backticks is text, and the
   * code has ended.
   */
  private *isInlineCode(): Reading<boolean> {
    const { inlineCode, line, cursor } = this;
    if (inlineCode.isConfirmed || inlineCode.isAtStart) return true;
    const { length } = inlineCode;
    if (
      line.end <= cursor.taken ? yield* this.endsOnLine(length) : (line.runs.get(length) ?? 0) > cursor.taken
    )
      return true;
    inlineCode.end();
    return false;
  }

  /** Looks for a run of backticks of this length on the line. Remembers the others, so that the line is searched once. */
  private *endsOnLine(length: number): Reading<boolean> {
    const { cursor } = this;
    const runs = new Map<number, number>();
    let run = 0;
    let isFound = false;
    const endRun = (offset: number) => {
      if (run > 0) runs.set(run, cursor.taken + offset);
      isFound ||= run === length;
      run = 0;
    };
    const end = yield* cursor.scan((character, offset) => {
      if (character === '`') run++;
      else endRun(offset);
      return !isFound && character !== '\n';
    });
    endRun(end);
    if (!isFound) this.line = { end: cursor.taken + end, runs };
    return isFound;
  }

  private *readMarkup(marker: string): Reading<void> {
    const { cursor, fences, markers, output, mayBeReasoning, hasOpener } = this;
    const { preceding } = output;
    const kind = markers.kindOf(marker, preceding);
    switch (kind) {
      case undefined:
        if (!(yield* this.calls.read(marker))) this.writeProse(cursor.take(1));
        else if (output.preceding === 'call') this.inlineCode.end();
        else this.hasOpener = true;
        return;
      case 'reasoning':
        this.mayBeReasoning = false;
        if (preceding === 'text' && !(yield* this.opensReasoning(marker))) {
          this.writeProse(cursor.take(marker.length));
        } else yield* this.readTaggedReasoning({ open: marker, close: markers.reasoning.get(marker) ?? '' });
        return;
      case 'wrapper':
        this.wrapperEnd = markers.wrappers.get(marker);
        fences.skip(cursor.take(marker.length));
        // The white space around the tag is dropped, as it is around reasoning.
        output.startReasoning();
        output.endReasoning();
        return;
      case 'wrapper-end':
        if (!(yield* this.takesWrapperEnd(marker))) this.writeProse(cursor.take(1));
        return;
    }
    const isKept = kind === 'reasoning-end' && this.options.keepsReasoning === true;
    const leftover = { marker, kind, preceding, markers, mayBeReasoning, hasOpener };
    if (!isKept && (yield* isLeftover(cursor, leftover))) {
      fences.skip(cursor.take(marker.length));
      output.dropMarker();
      if (kind === 'reasoning-end') this.hasReasoningEnd = true;
      if (kind === 'reasoning-end' && preceding === 'nothing') {
        output.startReasoning();
        output.endReasoning();
      }
    } else {
      this.writeProse(cursor.take(marker.length));
    }
    if (kind === 'reasoning-end') this.mayBeReasoning = false;
  }

  /** Returns true for a tag after text that prose does not mention: a special token, or a tag at the start of a line. */
  private *opensReasoning(tag: string): Reading<boolean> {
    const mayOpen = this.markers.isAnywhere(tag) || this.cursor.previous === '\n';
    return mayOpen && !(yield* isMention(this.cursor, tag));
  }

  /** Takes the end of the pair around the text if only calls follow. */
  private *takesWrapperEnd(marker: string): Reading<boolean> {
    const { cursor, markers } = this;
    if (this.wrapperEnd === undefined || !marker.endsWith(this.wrapperEnd)) return false;
    const end = yield* findSpaceEnd(cursor, { start: marker.length });
    if ((yield* cursor.peek(end)) !== undefined && !(yield* startsCall(cursor, end, markers))) return false;
    this.fences.skip(cursor.take(end));
    this.wrapperEnd = undefined;
    return true;
  }

  /** Takes the start of a closer after a call, if the text ends within it, and the white space after it. */
  private *takesTruncatedCloser(): Reading<boolean> {
    const { cursor, markers } = this;
    const available = cursor.rest();
    const rest = available.trimEnd();
    const isTruncated = rest.length > 1 && markers.after.call.some(closer => closer.startsWith(rest));
    if (!isTruncated || available.length > rest.length + MAX_SPACE) return false;
    const end = yield* findSpaceEnd(cursor, { start: rest.length });
    if ((yield* cursor.peek(end)) !== undefined) return false;
    cursor.take(end);
    return true;
  }

  private *readOpenedReasoning(): Reading<void> {
    yield* this.cursor.takeSpace(MAX_SPACE);
    const [tags] = this.options.reasoning;
    if (tags === undefined) return;
    const isAssumed = !(yield* this.cursor.takes(tags.open));
    this.isAllReasoning = isAssumed;
    this.mayBeReasoning = false;
    const end = yield* this.emitReasoning(tags.close);
    if (end.isClosed) {
      this.isAllReasoning = false;
      this.hasReasoningEnd ||= isAssumed;
    } else if (isAssumed) this.heldCalls = end.calls;
    else end.calls?.emit(this.events);
  }

  private *readTaggedReasoning(tags: ReasoningTags): Reading<void> {
    const { cursor, output } = this;
    let tag = cursor.take(tags.open.length);
    if (this.markers.hasName(tags.open)) {
      while (yield* cursor.takes(tags.open)) tag += tags.open;
      tag += yield* takeLineWord(cursor);
    }
    if (this.options.keepsReasoning === true) {
      output.write(tag);
      const { reasoningEnders: enders } = this.markers;
      yield* readReasoning(cursor, tags.close, enders, output.write, { isKept: true });
    } else {
      output.startReasoning();
      const end = yield* this.emitReasoning(tags.close);
      end.calls?.emit(this.events);
    }
  }

  private *emitReasoning(close: string): Reading<ReasoningEnd> {
    this.output.endReasoning();
    const { reasoningEnders: enders } = this.markers;
    const calls = this.hasCalls ? createReasoningCalls(this.openCallParser) : undefined;
    const end = yield* readReasoning(this.cursor, close, enders, this.events.reasoning, { calls });
    this.visitedForCalls += calls?.visited ?? 0;
    return end;
  }

  /** Reads the calls within reasoning: those of declared tools, after a marker. */
  private readonly openCallParser = (events: TextEvents): TextParser => {
    const { formats, tools, quoted } = this.options;
    return new TextParser(
      { formats, reasoning: NO_TAGS, tools, undeclared: 'text', isContinued: true, quoted },
      events,
    );
  };
}
