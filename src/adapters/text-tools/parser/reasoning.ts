import { type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';
import type { TextEvents, UnclosedCall } from './text-output.js';

export interface ReasoningEnd {
  /** False if the text ended before the reasoning did. */
  readonly isClosed: boolean;
  /** The calls at the end of unclosed reasoning. Their text was taken, but not passed on. */
  readonly calls?: HeldCalls | undefined;
}

/**
 * Takes reasoning up to its closing tag. Surrounding white space and empty reasoning are dropped: chat templates write the
 * tags on separate lines.
 *
 * @param enders Markers that also end the reasoning. They are not taken.
 * @param calls Finds calls at the end of unclosed reasoning.
 * @param isKept Passes the reasoning on unchanged, with its closing tag.
 */
export function* readReasoning(
  cursor: TextCursor,
  close: string,
  enders: readonly string[],
  onText: (text: string) => void,
  { calls, isKept = false }: { calls?: ReasoningCalls | undefined; isKept?: boolean } = {},
): Reading<ReasoningEnd> {
  const ends = [close, ...enders];
  const stop = toStopExpression(ends);
  let isBlank = !isKept;
  /** White space that is emitted with the text that follows. */
  let held = '';
  const emit = (text: string) => {
    const trimmed = isBlank ? text.trimStart() : text;
    if (trimmed === '') return;
    isBlank = false;
    const end = isKept ? trimmed.length : trimmed.trimEnd().length;
    if (end > 0) onText(held + trimmed.slice(0, end));
    held = (end > 0 ? '' : held) + trimmed.slice(end);
  };
  const add = (text: string) => emit(calls === undefined ? text : calls.push(text));
  for (;;) {
    if ((yield* cursor.passUntil(stop, add)) === undefined) break;
    const end = yield* cursor.match(ends);
    if (end === undefined) {
      add(cursor.take(1));
      continue;
    }
    if (calls !== undefined) emit(calls.close());
    const tag = end === close ? cursor.take(close.length) : '';
    if (isKept) emit(tag);
    return { isClosed: true };
  }
  if (calls === undefined) return { isClosed: false };
  const rest = calls.end();
  emit(rest.reasoning);
  return { isClosed: false, calls: rest.calls };
}

/**
 * Finds calls at the end of reasoning whose closing tag is missing. Complete calls are held back with the white space
 * and markers around them. They are part of the reasoning if other text or the closing tag follows.
 */
export interface ReasoningCalls {
  /** Adds text, and returns the text that is certainly part of the reasoning. */
  push(text: string): string;
  /** Returns the text that is held back when the reasoning is closed. */
  close(): string;
  /** Returns the rest when the text ends: first of the reasoning, then the calls that end it, if any. */
  end(): { reasoning: string; calls: HeldCalls | undefined };
  /** The number of visited characters. */
  readonly visited: number;
}

/** Calls that were read but not emitted. */
export interface HeldCalls {
  readonly text: string;
  emit(events: TextEvents): void;
}

interface ReadCall {
  readonly name: string;
  readonly id: string | undefined;
  input: string;
}

/** The parser of the text within reasoning. */
export interface CallParser {
  feed(text: string): void;
  end(): void;
  /** The number of characters that were read. */
  readonly position: number;
  readonly visited: number;
  readonly unclosedCall: UnclosedCall | undefined;
}

export function createReasoningCalls(open: (events: TextEvents) => CallParser): ReasoningCalls {
  /** The text that is held back. */
  let held = '';
  /** The position where it starts. */
  let start = 0;
  let calls: ReadCall[] = [];
  let call: ReadCall = { name: '', id: undefined, input: '' };
  let released = '';

  const parser = open({
    text(text) {
      if (calls.length > 0 && text.trim() === '') return;
      calls = [];
      const length = parser.position - start;
      released += held.slice(0, length);
      held = held.slice(length);
      start += length;
    },
    reasoning: () => {},
    callStart({ name, id }) {
      call = { name, id, input: '' };
    },
    callInput(text) {
      call.input += text;
    },
    callEnd: () => void calls.push(call),
    callBroken: () => {},
  });

  function takeReleased(): string {
    const text = released;
    released = '';
    return text;
  }

  return {
    push(text) {
      held += text;
      parser.feed(text);
      return takeReleased();
    },
    close: () => held,
    get visited() {
      return parser.visited;
    },
    end() {
      parser.end();
      parser.unclosedCall?.discard(false);
      const reasoning = takeReleased();
      return calls.length > 0
        ? { reasoning, calls: { text: held, emit: events => emitCalls(calls, events) } }
        : { reasoning: reasoning + held, calls: undefined };
    },
  };
}

function emitCalls(calls: readonly ReadCall[], events: TextEvents): void {
  for (const call of calls) {
    events.callStart(call);
    events.callInput(call.input);
    events.callEnd();
  }
}

const MAX_WORD = 32;

/** Takes a word and the line feed after it. Takes nothing before other text. */
export function* takeLineWord(cursor: TextCursor): Reading<string> {
  const end = yield* cursor.scan((character, offset) => /\w/.test(character) && offset < MAX_WORD);
  return end > 0 && (yield* cursor.sees('\n', end)) ? cursor.take(end + 1) : '';
}
