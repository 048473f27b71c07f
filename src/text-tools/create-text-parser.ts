import type { DeclaredTools } from './declared-tools.js';
import { createFenceTracker } from './fence-tracker.js';
import { type Behind, toMarkers, toStop } from './markers.js';
import type { ReasoningTags } from './reasoning-tags.js';
import { createTextCursor, type Reading } from './text-cursor.js';
import type { TextCalls, TextToolFormat } from './text-tool-format.js';

export interface TextParserOptions {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  readonly tools: DeclaredTools;
  /** Whether the text begins within reasoning of the first pair of tags, which the prompt has opened. */
  readonly startsInReasoning?: boolean;
}

/** What a text is found to say, in its order. */
export interface TextEvents {
  text(text: string): void;
  reasoning(text: string): void;
  callStart(call: { name: string; id: string | undefined }): void;
  callInput(text: string): void;
  callEnd(): void;
  /** The call that started turned out to be none. Its text follows. */
  callLost(): void;
}

export interface TextParser {
  feed(text: string): void;
  /** No more text will come. */
  end(): void;
  /** Whether the text began within reasoning and never left it. */
  readonly isAllReasoning: boolean;
  /** How many characters have been looked at: the work done. */
  readonly visited: number;
}

interface OpenCall {
  readonly name: string;
  readonly id: string | undefined;
  hasStarted: boolean;
  /** The arguments of a call that is not declared, and is shown otherwise once it is whole. */
  held: string | undefined;
}

/** How much white space may stand between the texts around a call. */
const MAX_SPACE = 32;

/**
 * Reads the text of a model in one pass, as it comes. Text goes out at once, but for what may become a marker; a call is
 * read by its format; in fenced code and in reasoning there are none.
 */
export function createTextParser(
  { formats, reasoning, tools, startsInReasoning = false }: TextParserOptions,
  events: TextEvents,
): TextParser {
  const isOfUse = ({ showUndeclared }: TextToolFormat) => tools.size > 0 || showUndeclared !== undefined;
  const markers = toMarkers({ formats: formats.filter(isOfUse), reasoning });
  const cursor = createTextCursor();
  const fences = createFenceTracker();
  let behind: Behind = 'nothing';
  /** White space that has not gone out, and how much of it there was when the last call ended. */
  let blank = '';
  let blankBeforeCall = '';
  /** Whether a marker was in code within a line, which has not ended. */
  let isQuoted = false;
  let isAllReasoning = false;
  let call: 'none' | 'text' | OpenCall = 'none';
  let format: TextToolFormat | undefined;
  /** Whether the text so far ends a line, and whether it is to be ended before more comes. */
  let isLineStart = true;
  let isBreakDue = false;

  const calls: TextCalls = {
    isNameStart: text => [...tools.keys()].some(name => name.startsWith(text)),
    begin(name, { id } = {}) {
      const tool = tools.get(name);
      const isHeld = tool === undefined && format?.showUndeclared !== undefined;
      call =
        tool === undefined && !isHeld
          ? 'text'
          : { name, id, hasStarted: false, held: isHeld ? '' : undefined };
      return tool;
    },
    input(text) {
      if (typeof call === 'string') return;
      if (call.held !== undefined) {
        call.held += text;
        return;
      }
      if (!call.hasStarted) events.callStart(call);
      call.hasStarted = true;
      events.callInput(text);
    },
    end() {
      if (call === 'text') releaseRecorded();
      else if (call !== 'none') endCall(call);
      call = 'none';
    },
  };

  function endCall({ name, hasStarted, held }: OpenCall): void {
    const shown = held === undefined ? undefined : format?.showUndeclared?.({ name, input: held || '{}' });
    if (held !== undefined && shown === undefined) return releaseRecorded();
    fences.skip(cursor.recorded());
    if (shown !== undefined) {
      writeLines(shown);
    } else {
      if (!hasStarted) calls.input('{}');
      events.callEnd();
      isBreakDue = false;
    }
    behind = 'call';
    blankBeforeCall = blank;
  }

  function write(text: string): void {
    if (text === '') return;
    blank += text;
    if (behind !== 'text' && blank.length <= markers.longest && blank.trim() === '') return;
    showBlank();
    behind = 'text';
  }

  /** Writes lines of their own. */
  function writeLines(text: string): void {
    blank += `${isLineStart || blank.endsWith('\n') ? '' : '\n'}${text}`;
    showBlank();
    isBreakDue = true;
  }

  function showBlank(): void {
    const isBroken = !isBreakDue || /^\r?\n/.test(blank);
    events.text(isBroken ? blank : `\n${blank}`);
    isLineStart = blank.endsWith('\n');
    isBreakDue = false;
    blank = '';
  }

  /** What was taken for a call is text. A fence in it is not one: it may be in an argument. */
  function releaseRecorded(): void {
    const text = cursor.recorded();
    fences.skip(text);
    write(text);
  }

  function* read(): Reading<void> {
    if (startsInReasoning) yield* startReasoning();
    for (;;) {
      writeMarkdown(cursor.takeUntil(markers.start));
      const character = yield* cursor.peek();
      if (character === undefined) break;
      if (markers.isStart(character)) yield* readMarker();
    }
    if (behind !== 'call' && blank !== '') showBlank();
  }

  function writeMarkdown(text: string): void {
    if (isQuoted && /`|\n\s*\n/.test(text)) isQuoted = false;
    fences.push(text);
    write(text);
  }

  function* readMarker(): Reading<void> {
    const marker = fences.isFenced ? undefined : yield* cursor.match(markers.behind[behind]);
    // What stands directly behind a backtick is spoken about, up to the next one or the end of the paragraph.
    if (marker !== undefined && behind !== 'call' && cursor.previous === '`') isQuoted = true;
    if (marker === undefined || isQuoted) {
      const isDropped = marker === undefined && behind === 'call' && (yield* dropsCutCloser());
      if (!isDropped) writeMarkdown(cursor.take(1));
      return;
    }
    const closeTag = behind === 'text' ? undefined : markers.reasoning.get(marker);
    if (closeTag !== undefined) {
      cursor.take(marker.length);
      blank = '';
      yield* readReasoning(closeTag);
    } else if (markers.isDropped(marker, behind)) {
      fences.skip(cursor.take(marker.length));
      // The white space before it was within the list of calls.
      if (behind === 'call') blank = blankBeforeCall;
    } else {
      yield* readCalls(marker);
    }
  }

  /** Behind a call, the end of a list of calls in which the text ends is dropped, too. */
  function* dropsCutCloser(): Reading<boolean> {
    const rest = cursor.rest();
    const isCut = rest.length > 1 && markers.behind.call.some(closer => closer.startsWith(rest));
    if (!isCut || (yield* cursor.peek(rest.length)) !== undefined) return false;
    cursor.take(rest.length);
    return true;
  }

  function* startReasoning(): Reading<void> {
    yield* cursor.takeSpace(MAX_SPACE);
    const [tags] = reasoning;
    if (tags === undefined) return;
    isAllReasoning = !(yield* cursor.takes(tags.open));
    yield* readReasoning(tags.close);
  }

  function* readReasoning(close: string): Reading<void> {
    const ends = [close, ...markers.reasoningEnders];
    const stop = toStop(ends);
    let isBlank = true;
    const writeReasoning = (text: string) => {
      const shown = isBlank ? text.trimStart() : text;
      if (shown === '') return;
      isBlank = false;
      events.reasoning(shown);
    };
    behind = 'reasoning';
    for (;;) {
      writeReasoning(cursor.takeUntil(stop));
      if ((yield* cursor.peek()) === undefined) return;
      const end = yield* cursor.match(ends);
      if (end === close) cursor.take(close.length);
      if (end !== undefined) break;
      writeReasoning(cursor.take(1));
    }
    isAllReasoning = false;
  }

  /** Reads the calls that begin with this marker, or finds that they are text. */
  function* readCalls(first: string): Reading<void> {
    cursor.startRecording();
    let isRead = false;
    let marker: string | undefined = first;
    while (marker !== undefined) {
      // A call without a marker begins with what it is found by.
      if (!markers.isBare(marker)) cursor.take(marker.length);
      yield* cursor.takeSpace(MAX_SPACE);
      format = yield* findFormat(marker);
      if (format !== undefined) isRead = yield* format.read(cursor, calls, marker);
      marker = format === undefined ? yield* cursor.match(markers.behindPrefix.get(marker) ?? []) : undefined;
    }
    if (isRead && behind === 'call') fences.skip(cursor.recorded());
    else loseCall();
    cursor.stopRecording();
  }

  function* findFormat(opener: string): Reading<TextToolFormat | undefined> {
    for (const format of markers.openers.get(opener) ?? []) {
      if (format.accepts === undefined || (yield* format.accepts(cursor, calls))) return format;
    }
    return undefined;
  }

  function loseCall(): void {
    if (typeof call !== 'string' && call.hasStarted) events.callLost();
    call = 'none';
    releaseRecorded();
  }

  const reading = read();
  const run = () => {
    reading.next();
    // A call of a tool that is not declared is read to find its end, and goes out as text.
    if (call === 'text') releaseRecorded();
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
    get visited() {
      return cursor.visited;
    },
  };
}
