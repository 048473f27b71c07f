import { mendJson } from '../../../core/tool-calls/json-repair.js';
import { findSpaceEnd, type Reading, TextCursor, toStopExpression } from '../reading/text-cursor.js';
import type { TextCalls } from '../reading/text-tool-format.js';

/** The outcome of reading calls: malformed JSON can be mended, other text is certainly no call. */
export type ReadOutcome = 'read' | 'malformed' | 'no-call';

type ReadCalls = (cursor: TextCursor, calls: TextCalls) => Reading<ReadOutcome>;

/**
 * Reads calls as strict JSON that streams. At the first mistake it stops emitting, takes the text up to the end of the
 * calls, mends it, and reads it again without the part that was emitted.
 */
export function* readMended(cursor: TextCursor, calls: TextCalls, read: ReadCalls): Reading<boolean> {
  const first = createEmittedCalls(calls);
  cursor.startKeeping();
  const result = yield* read(cursor, first.calls);
  const kept = cursor.kept();
  if (result !== 'malformed') return result === 'read';
  const json = yield* takeMended(cursor, calls, kept);
  if (json === undefined) return false;
  const second = first.remaining();
  return (yield* read(TextCursor.of(json), second.calls)) === 'read' && second.isConsistent();
}

const MAX_SPACE = 8;
/** The maximum number of excess brackets. */
const MAX_EXCESS = 3;

/** Takes excess brackets and a semicolon after a call, before a closing marker or the end of the text. */
export function* takeExcess(cursor: TextCursor, calls: TextCalls): Reading<void> {
  if (!/[;}\]]/.test((yield* cursor.peek()) ?? '')) return;
  const length = yield* cursor.scan((character, offset) => /[;}\]]/.test(character) && offset < MAX_EXCESS);
  const end = yield* findSpaceEnd(cursor, { start: length, most: MAX_SPACE });
  let isExcess = (yield* cursor.peek(end)) === undefined;
  for (const closer of calls.closers()) isExcess ||= yield* cursor.sees(closer, end);
  if (isExcess) cursor.take(length);
}

/** Passes calls on, and remembers what was emitted. */
function createEmittedCalls(calls: TextCalls) {
  let ended = 0;
  let isOpen = false;
  let input = '';

  return {
    calls: {
      ...calls,
      begin(name, options) {
        isOpen = true;
        input = '';
        return calls.begin(name, options);
      },
      input(text) {
        input += text;
        calls.input(text);
      },
      end() {
        isOpen = false;
        ended++;
        calls.end();
      },
    } satisfies TextCalls,

    /** Passes on only what was not emitted before. */
    remaining() {
      let skipped = ended;
      let prefix = isOpen ? input : '';
      let isConsistent = true;
      return {
        isConsistent: () => isConsistent,
        calls: {
          ...calls,
          begin(name, options) {
            // A name that was mended must be the name of a tool.
            if (calls.find(name) === undefined) isConsistent = false;
            const isNew = isConsistent && skipped === 0 && prefix === '';
            return isNew ? calls.begin(name, options) : calls.find(name);
          },
          input(text) {
            if (skipped > 0 || !isConsistent) return;
            const length = Math.min(prefix.length, text.length);
            isConsistent = prefix.slice(0, length) === text.slice(0, length);
            prefix = prefix.slice(length);
            if (isConsistent && text.length > length) calls.input(text.slice(length));
          },
          end() {
            if (skipped > 0) skipped--;
            else if (prefix !== '') isConsistent = false;
            else if (isConsistent) calls.end();
          },
        } satisfies TextCalls,
      };
    },
  };
}

/** The maximum number of attempts before the end of the text. Each of them reads all text again. */
const MAX_ATTEMPTS = 4;

/**
 * Takes text up to the end of the JSON that starts with `start`, and mends it. The end is a bracket after which nothing
 * is missing, or a closing marker, which proves that the model wrote everything it wanted to.
 */
function* takeMended(cursor: TextCursor, calls: TextCalls, start: string): Reading<string | undefined> {
  const closers = calls.closers().filter(closer => !/^[}\]\s]/.test(closer));
  const stop = toStopExpression(['}', ']', ...closers]);
  const brackets = createBracketCounter();
  brackets.push(start);
  let text = start;
  let attempts = 0;
  for (;;) {
    const next = yield* cursor.passUntil(stop, plain => {
      brackets.push(plain);
      text += plain;
    });
    if (next === undefined) return mend(text, { isClosed: false }).json;
    const closer = yield* cursor.match(closers);
    const isEnd = closer !== undefined && attempts < MAX_ATTEMPTS;
    if (isEnd) {
      attempts++;
      const { json, isFinal } = mend(text, { isClosed: true });
      if (json !== undefined || isFinal) return json;
    }
    const character = cursor.take(1);
    brackets.push(character);
    text += character;
    if ((character === '}' || character === ']') && brackets.depth <= 0 && attempts < MAX_ATTEMPTS) {
      attempts++;
      const { json, isFinal } = mend(text, { isClosed: false });
      if (json !== undefined || isFinal) return json;
    }
  }
}

/** Mends the text of calls. The result is final if more text would change nothing. */
function mend(text: string, options: { isClosed: boolean }): { json?: string; isFinal: boolean } {
  const mended = mendJson(text, options);
  if (typeof mended === 'string') return { isFinal: mended === 'malformed' };
  if (mended.isCompleted && !options.isClosed) return { isFinal: false };
  // A stray end tag, a semicolon or excess brackets may follow the JSON.
  const isEnd = /^[\s;}\])]*(?:<\/[\w:.-]+>\s*)?$/.test(text.slice(mended.end));
  return isEnd ? { json: mended.json, isFinal: true } : { isFinal: true };
}

/** Counts the open brackets outside of strings. In malformed JSON the count is an estimate. */
function createBracketCounter() {
  let depth = 0;
  let quote = '';
  let isEscaped = false;
  let previous = '';
  return {
    get depth() {
      return depth;
    },
    push(text: string) {
      for (const character of text) {
        if (quote !== '') {
          if (!isEscaped && character === quote) quote = '';
          isEscaped = !isEscaped && character === '\\';
        } else if ('"\'`'.includes(character) && '{[(,:'.includes(previous)) {
          quote = character;
          isEscaped = false;
        } else if (character === '{' || character === '[') {
          depth++;
        } else if (character === '}' || character === ']') {
          depth--;
        }
        if (character.trim() !== '') previous = character;
      }
    },
  };
}
