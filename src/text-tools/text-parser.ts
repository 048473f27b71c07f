import { createTextOutput } from './text-output.js';
import type { DeclaredTools } from './declared-tools.js';
import { createFenceTracker } from './fence-tracker.js';
import { markersOf } from './markers.js';
import { readReasoning } from './reasoning.js';
import type { ReasoningTags } from './reasoning-tags.js';
import { createTextCursor, type Reading } from './text-cursor.js';
import type { TextEvents } from './text-events.js';
import type { TextCalls, TextToolFormat } from './text-tool-format.js';

export interface TextParserOptions {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  readonly tools: DeclaredTools;
  /** Whether the text begins within reasoning of the first pair of tags, which the prompt has opened. */
  readonly startsInReasoning?: boolean;
  /** Whether reasoning in tags is text, tags and all: the server has set apart what it takes for reasoning. */
  readonly keepsReasoning?: boolean;
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
}

/** A call of a tool that is not declared, while it may be shown as something else than its text. */
interface HeldCall {
  readonly name: string;
  held: string;
}

/** How many markers a call may begin with: those of a message, of a list and of the call. */
const MAX_MARKERS = 4;

/** How much white space may stand between the texts around a call. */
const MAX_SPACE = 32;

/**
 * Reads the text of a model in one pass, as it comes. Text goes out at once, but for what may become a marker; a call is
 * read by its format; in fenced code and in reasoning there are none.
 */
export function createTextParser(
  { formats, reasoning, tools, startsInReasoning = false, keepsReasoning = false }: TextParserOptions,
  events: TextEvents,
): TextParser {
  const markers = markersOf(formats, reasoning)[tools.size > 0 ? 'all' : 'undeclared'];
  const cursor = createTextCursor();
  const fences = createFenceTracker();
  const output = createTextOutput(events.text, markers);
  /** Whether a marker was in code within a line, which has not ended. */
  let isQuoted = false;
  let isAllReasoning = false;
  let call: 'none' | 'text' | OpenCall | HeldCall = 'none';
  let format: TextToolFormat | undefined;

  const calls: TextCalls = {
    isNameStart: text => [...tools.keys()].some(name => name.startsWith(text)),
    begin(name, { id } = {}) {
      const tool = tools.get(name);
      if (tool !== undefined) call = { name, id, hasStarted: false };
      else call = format?.undeclared === undefined ? 'text' : { name, held: '' };
      return tool;
    },
    input(text) {
      if (typeof call === 'string') return;
      if ('held' in call) {
        call.held += text;
        if (format?.undeclared?.mayShow(call.held) !== true) call = 'text';
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

  function endCall(ended: OpenCall | HeldCall): void {
    if ('held' in ended) {
      const shown = format?.undeclared?.show({ name: ended.name, input: ended.held || '{}' });
      if (shown === undefined) return releaseRecorded();
      output.writeLines(shown);
    } else {
      if (!ended.hasStarted) calls.input('{}');
      events.callEnd();
      output.endCall();
    }
    fences.skip(cursor.recorded());
  }

  /** What was taken for a call is text. A fence in it is not one: it may be in an argument. */
  function releaseRecorded(): void {
    const text = cursor.recorded();
    fences.skip(text);
    output.write(text);
  }

  function* read(): Reading<void> {
    if (startsInReasoning) yield* startReasoning();
    for (;;) {
      writeMarkdown(cursor.takeUntil(markers.start));
      const character = yield* cursor.peek();
      if (character === undefined) break;
      if (markers.isStart(character)) yield* readMarker();
    }
    output.end();
  }

  function writeMarkdown(text: string): void {
    if (isQuoted && /`|\n\s*\n/.test(text)) isQuoted = false;
    fences.push(text);
    output.write(text);
  }

  function* readMarker(): Reading<void> {
    const marker = fences.isFenced ? undefined : yield* cursor.match(markers.behind[output.behind]);
    // What stands directly behind a backtick is spoken about, up to the next one or the end of the paragraph.
    if (marker !== undefined && output.behind !== 'call' && cursor.previous === '`') isQuoted = true;
    if (marker === undefined || isQuoted) {
      const isDropped = marker === undefined && output.behind === 'call' && (yield* dropsCutCloser());
      if (!isDropped) writeMarkdown(cursor.take(1));
      return;
    }
    const closeTag = output.behind === 'text' ? undefined : markers.reasoning.get(marker);
    if (closeTag !== undefined && keepsReasoning) {
      output.write(cursor.take(marker.length));
      const options = {
        close: closeTag,
        enders: markers.reasoningEnders,
        onText: output.write,
        isKept: true,
      };
      yield* readReasoning(cursor, options);
    } else if (closeTag !== undefined) {
      cursor.take(marker.length);
      output.startReasoning();
      yield* readThoughts(closeTag);
    } else if (markers.isDropped(marker, output.behind)) {
      fences.skip(cursor.take(marker.length));
      output.dropMarker();
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
    yield* readThoughts(tags.close);
  }

  function* readThoughts(close: string): Reading<void> {
    output.endReasoning();
    const options = { close, enders: markers.reasoningEnders, onText: events.reasoning };
    if (yield* readReasoning(cursor, options)) isAllReasoning = false;
  }

  /** Reads the calls that begin with this marker, or finds that they are text. */
  function* readCalls(first: string): Reading<void> {
    cursor.startRecording();
    let isRead = false;
    let marker: string | undefined = first;
    for (let count = 0; marker !== undefined && count < MAX_MARKERS; count++) {
      // A call without a marker begins with what it is found by.
      if (!markers.isBare(marker)) cursor.take(marker.length);
      yield* cursor.takeSpace(MAX_SPACE);
      format = yield* findFormat(marker);
      if (format !== undefined) isRead = yield* format.read(cursor, calls, marker);
      marker = format === undefined ? yield* cursor.match(markers.behindPrefix.get(marker) ?? []) : undefined;
    }
    if (isRead && output.behind === 'call') fences.skip(cursor.recorded());
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
    if (typeof call === 'object' && 'hasStarted' in call && call.hasStarted) events.callLost();
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
