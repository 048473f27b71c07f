import { createCallReader } from './call-reader.js';
import { createFenceTracker } from './fence-tracker.js';
import { markersOf } from './markers.js';
import { readReasoning, type ReasoningTags } from './reasoning.js';
import { createTextCursor, type Reading } from './text-cursor.js';
import { createTextOutput, type TextEvents } from './text-output.js';
import type { DeclaredTools, TextToolFormat } from './text-tool-format.js';

export interface TextParserOptions {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  readonly tools: DeclaredTools;
  /** The text starts within reasoning of the first pair of tags, because the prompt ends in the opening tag. */
  readonly startsInReasoning?: boolean;
  /** Leaves tagged reasoning in the text, because the server separates reasoning itself. */
  readonly keepsReasoning?: boolean;
}

export interface TextParser {
  feed(text: string): void;
  /** Marks the end of the text. */
  end(): void;
  /** True if the text started within reasoning and never left it. */
  readonly isAllReasoning: boolean;
  /** The number of visited characters, which measures the work done. */
  readonly visited: number;
}

/** The maximum white space before a first reasoning tag. */
const MAX_SPACE = 32;

/**
 * Parses the text of a model in one pass, as it arrives. Text is emitted at once, except for the start of a possible
 * marker. Calls are read by their format. Fenced code and reasoning contain no calls.
 */
export function createTextParser(
  { formats, reasoning, tools, startsInReasoning = false, keepsReasoning = false }: TextParserOptions,
  events: TextEvents,
): TextParser {
  const markers = markersOf(formats, reasoning)[tools.size > 0 ? 'all' : 'undeclared'];
  const cursor = createTextCursor();
  const fences = createFenceTracker();
  const output = createTextOutput(events.text, markers);
  const calls = createCallReader({ tools, markers, cursor, fences, output, events });
  /** True in unfinished inline code that contains a marker. */
  let isQuoted = false;
  let isAllReasoning = false;

  function* read(): Reading<void> {
    if (startsInReasoning) yield* readOpenedReasoning();
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
    const marker = fences.isFenced ? undefined : yield* cursor.match(markers.after[output.preceding]);
    // A marker after a backtick is quoted, up to the next backtick or the end of the paragraph.
    if (marker !== undefined && output.preceding !== 'call' && cursor.previous === '`') isQuoted = true;
    if (marker === undefined || isQuoted) {
      const isDropped =
        marker === undefined && output.preceding === 'call' && (yield* takesTruncatedCloser());
      if (!isDropped) writeMarkdown(cursor.take(1));
      return;
    }
    const closeTag = output.preceding === 'text' ? undefined : markers.reasoning.get(marker);
    if (closeTag !== undefined) {
      yield* readTaggedReasoning({ open: marker, close: closeTag });
    } else if (markers.isDropped(marker, output.preceding)) {
      fences.skip(cursor.take(marker.length));
      output.dropMarker();
    } else {
      yield* calls.read(marker);
    }
  }

  /** Takes the start of a closer after a call, if the text ends within it. */
  function* takesTruncatedCloser(): Reading<boolean> {
    const rest = cursor.rest();
    const isTruncated = rest.length > 1 && markers.after.call.some(closer => closer.startsWith(rest));
    if (!isTruncated || (yield* cursor.peek(rest.length)) !== undefined) return false;
    cursor.take(rest.length);
    return true;
  }

  function* readOpenedReasoning(): Reading<void> {
    yield* cursor.takeSpace(MAX_SPACE);
    const [tags] = reasoning;
    if (tags === undefined) return;
    isAllReasoning = !(yield* cursor.takes(tags.open));
    if (yield* emitReasoning(tags.close)) isAllReasoning = false;
  }

  function* readTaggedReasoning({ open, close }: ReasoningTags): Reading<void> {
    const tag = cursor.take(open.length);
    if (keepsReasoning) {
      output.write(tag);
      const { reasoningEnders: enders } = markers;
      yield* readReasoning(cursor, { close, enders, onText: output.write, isKept: true });
    } else {
      output.startReasoning();
      yield* emitReasoning(close);
    }
  }

  function* emitReasoning(close: string): Reading<boolean> {
    output.endReasoning();
    const { reasoningEnders: enders } = markers;
    return yield* readReasoning(cursor, { close, enders, onText: events.reasoning });
  }

  const reading = read();
  const run = () => {
    reading.next();
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
    get visited() {
      return cursor.visited;
    },
  };
}
