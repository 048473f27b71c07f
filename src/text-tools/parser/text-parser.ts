import { createCallReader } from './call-reader.js';
import { createFenceTracker, createInlineCode } from './markdown.js';
import { isLeftover, isMention, startsCall } from './leftovers.js';
import { markersOf } from './markers.js';
import { createReasoningCalls, type HeldCalls, readReasoning, type ReasoningEnd } from './reasoning.js';
import { createTextCursor, findSpaceEnd, type Reading } from '../reading/text-cursor.js';
import { createTextOutput, type TextEvents, type UnclosedCall } from './text-output.js';
import type {
  DeclaredTools,
  ReasoningTags,
  TextToolFormat,
  UndeclaredPolicy,
} from '../reading/text-tool-format.js';

export interface TextParserOptions {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  readonly tools: DeclaredTools;
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
  /** The text continues other text, so that nothing in it is at the start of a response. */
  readonly isContinued?: boolean;
  /** An earlier text of the response has the start of a call that is none, so the end of a call may belong to it. */
  readonly hasOpener?: boolean;
}

export interface TextParser {
  feed(text: string): void;
  /** Marks the end of the text. */
  end(): void;
  /** True if the text started within reasoning and never left it. */
  readonly isAllReasoning: boolean;
  /** The calls at the end of a text that is all reasoning. They were not emitted. */
  readonly heldCalls: HeldCalls | undefined;
  /** The call at the end of the text, if its arguments are complete and its end is missing. It was not completed. */
  readonly unclosedCall: UnclosedCall | undefined;
  /** True if the text so far has the start of a call that is none. */
  readonly hasOpener: boolean;
  /** The number of characters that were read. */
  readonly position: number;
  /** The number of visited characters, which measures the work done. */
  readonly visited: number;
}

/** The maximum white space before a first reasoning tag. */
const MAX_SPACE = 32;

const NO_TAGS: readonly ReasoningTags[] = [];

/**
 * Parses the text of a model in one pass, as it arrives. Text is emitted at once, except for the start of a possible
 * marker. Calls are read by their format. Fenced and inline code contain no calls. Reasoning contains calls only at its
 * end, if its closing tag is missing.
 */
export function createTextParser(options: TextParserOptions, events: TextEvents): TextParser {
  const { formats, reasoning, tools, startsInReasoning, keepsReasoning = false } = options;
  const { undeclared = 'call', dropsCalls = false, isContinued = false } = options;
  const hasCalls = tools.size > 0 || dropsCalls;
  const markers = markersOf(formats, reasoning)[hasCalls ? 'all' : 'undeclared'];
  const cursor = createTextCursor();
  const fences = createFenceTracker();
  const inlineCode = createInlineCode();
  const output = createTextOutput(events.text, {
    longest: markers.longest,
    preceding: isContinued ? 'text' : 'nothing',
  });
  const calls = createCallReader({
    tools,
    undeclared: hasCalls ? undeclared : 'text',
    dropsCalls,
    markers,
    cursor,
    fences,
    output,
    events,
    writeMarkdown,
  });
  /** True until reasoning was read or mentioned. Until then a closing tag in the text ends reasoning. */
  let mayBeReasoning = !keepsReasoning;
  let isAllReasoning = false;
  let { hasOpener = false } = options;
  /** The closing tag of the pair around the text, while it is open. */
  let wrapperEnd: string | undefined;
  let heldCalls: HeldCalls | undefined;
  let visitedForCalls = 0;

  function* read(): Reading<void> {
    if (startsInReasoning === true) yield* readOpenedReasoning();
    for (;;) {
      const character = yield* passText();
      if (character === undefined) break;
      if (markers.isStart(character, output.preceding)) yield* readMarker();
    }
    if (calls.unclosedCall === undefined) output.end();
  }

  /** Writes text up to a possible marker. The markers change with the first text. */
  const passText = (): Reading<string | undefined> => {
    const { preceding } = output;
    if (preceding === 'text') return cursor.passUntil(markers.start.text, writeMarkdown);
    writeMarkdown(cursor.takeUntil(markers.start[preceding]));
    return cursor.peek();
  };

  function writeMarkdown(text: string): void {
    fences.push(text);
    inlineCode.push(text);
    output.write(text);
  }

  function* readMarker(): Reading<void> {
    const { preceding } = output;
    const isAtLineStart = preceding === 'text' && cursor.previous === '\n';
    const known = markers.after[isAtLineStart ? 'line-break' : preceding];
    const marker = fences.isFenced ? undefined : yield* cursor.match(known);
    if (marker === undefined) {
      const isDropped = preceding === 'call' && !fences.isFenced && (yield* takesTruncatedCloser());
      if (!isDropped) writeMarkdown(cursor.take(1));
    } else if (preceding !== 'call' && inlineCode.isOpen) {
      inlineCode.confirm();
      hasOpener ||= markers.kindOf(marker, preceding) === undefined;
      writeMarkdown(cursor.take(1));
    } else {
      yield* readMarkup(marker);
    }
  }

  function* readMarkup(marker: string): Reading<void> {
    const { preceding } = output;
    const kind = markers.kindOf(marker, preceding);
    switch (kind) {
      case undefined:
        if (!(yield* calls.read(marker))) writeMarkdown(cursor.take(1));
        else if (output.preceding === 'call') inlineCode.end();
        else hasOpener = true;
        return;
      case 'reasoning':
        mayBeReasoning = false;
        if (preceding === 'text' && !(yield* opensReasoning(marker))) {
          writeMarkdown(cursor.take(marker.length));
        } else yield* readTaggedReasoning({ open: marker, close: markers.reasoning.get(marker) ?? '' });
        return;
      case 'wrapper':
        wrapperEnd = markers.wrappers.get(marker);
        fences.skip(cursor.take(marker.length));
        // The white space around the tag is dropped, as it is around reasoning.
        output.startReasoning();
        output.endReasoning();
        return;
      case 'wrapper-end':
        if (!(yield* takesWrapperEnd(marker))) writeMarkdown(cursor.take(1));
        return;
    }
    if (yield* isLeftover(cursor, { marker, kind, preceding, markers, mayBeReasoning, hasOpener })) {
      fences.skip(cursor.take(marker.length));
      output.dropMarker();
      if (kind === 'reasoning-end' && preceding === 'nothing') {
        output.startReasoning();
        output.endReasoning();
      }
    } else {
      writeMarkdown(cursor.take(marker.length));
    }
    if (kind === 'reasoning-end') mayBeReasoning = false;
  }

  /** Returns true for a tag after text that prose does not mention: a special token, or a tag at the start of a line. */
  function* opensReasoning(tag: string): Reading<boolean> {
    const mayOpen = markers.isAnywhere(tag) || cursor.previous === '\n';
    return mayOpen && !(yield* isMention(cursor, tag));
  }

  /** Takes the end of the pair around the text if only calls follow. */
  function* takesWrapperEnd(marker: string): Reading<boolean> {
    if (wrapperEnd === undefined || !marker.endsWith(wrapperEnd)) return false;
    const end = yield* findSpaceEnd(cursor, { start: marker.length, most: MAX_SPACE });
    if ((yield* cursor.peek(end)) !== undefined && !(yield* startsCall(cursor, { offset: end, markers })))
      return false;
    fences.skip(cursor.take(end));
    wrapperEnd = undefined;
    return true;
  }

  /** Takes the start of a closer after a call, if the text ends within it, and the white space after it. */
  function* takesTruncatedCloser(): Reading<boolean> {
    const available = cursor.rest();
    const rest = available.trimEnd();
    const isTruncated = rest.length > 1 && markers.after.call.some(closer => closer.startsWith(rest));
    if (!isTruncated || available.length > rest.length + MAX_SPACE) return false;
    const end = yield* findSpaceEnd(cursor, { start: rest.length, most: MAX_SPACE });
    if ((yield* cursor.peek(end)) !== undefined) return false;
    cursor.take(end);
    return true;
  }

  function* readOpenedReasoning(): Reading<void> {
    yield* cursor.takeSpace(MAX_SPACE);
    const [tags] = reasoning;
    if (tags === undefined) return;
    const isAssumed = !(yield* cursor.takes(tags.open));
    isAllReasoning = isAssumed;
    mayBeReasoning = false;
    const end = yield* emitReasoning(tags.close);
    if (end.isClosed) isAllReasoning = false;
    else if (isAssumed) heldCalls = end.calls;
    else end.calls?.emit(events);
  }

  function* readTaggedReasoning({ open, close }: ReasoningTags): Reading<void> {
    const tag = cursor.take(open.length);
    if (keepsReasoning) {
      output.write(tag);
      const { reasoningEnders: enders } = markers;
      yield* readReasoning(cursor, { close, enders, onText: output.write, isKept: true });
    } else {
      output.startReasoning();
      const end = yield* emitReasoning(close);
      end.calls?.emit(events);
    }
  }

  function* emitReasoning(close: string): Reading<ReasoningEnd> {
    output.endReasoning();
    const { reasoningEnders: enders } = markers;
    const calls = tools.size === 0 || dropsCalls ? undefined : createReasoningCalls(openCallParser);
    const end = yield* readReasoning(cursor, { close, enders, onText: events.reasoning, calls });
    visitedForCalls += calls?.visited ?? 0;
    return end;
  }

  /** Reads the calls within reasoning: those of declared tools, after a marker. */
  const openCallParser = (callEvents: TextEvents): TextParser =>
    createTextParser(
      { formats, reasoning: NO_TAGS, tools, undeclared: 'text', isContinued: true },
      callEvents,
    );

  const reading = read()[Symbol.iterator]();
  const run = () => {
    if (!cursor.isTaking) reading.next();
    calls.flush();
  };
  run();

  return {
    feed(text) {
      cursor.feed(text);
      run();
    },
    end() {
      cursor.end();
      run();
    },
    get isAllReasoning() {
      return isAllReasoning;
    },
    get heldCalls() {
      return heldCalls;
    },
    get unclosedCall() {
      return calls.unclosedCall;
    },
    get hasOpener() {
      return hasOpener;
    },
    get position() {
      return cursor.taken;
    },
    get visited() {
      return cursor.visited + visitedForCalls;
    },
  };
}
