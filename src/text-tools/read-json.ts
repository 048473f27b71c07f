import { createJsonScanner } from './json-scanner.js';
import type { Reading, TextCursor } from './text-cursor.js';

/**
 * Takes one JSON value and tells its text as it comes.
 *
 * @returns whether the value is whole.
 */
export function* readJson(cursor: TextCursor, onText: (text: string) => void): Reading<boolean> {
  const scanner = createJsonScanner();
  while (scanner.state === 'open') {
    const coming = cursor.rest();
    const length = scanner.push(coming);
    if (length > 0) onText(cursor.take(length));
    // A number ends only where something else begins, or the text ends.
    if (length === coming.length && scanner.state === 'open' && (yield* cursor.peek()) === undefined) {
      scanner.push(' ');
      break;
    }
  }
  return scanner.state === 'whole';
}

/** Takes a JSON string of up to `most` characters. Undefined where there is none. */
export function* readJsonString(cursor: TextCursor, { most = 512 } = {}): Reading<string | undefined> {
  if ((yield* cursor.peek()) !== '"') return undefined;
  let isEscaped = false;
  let length = 1;
  for (; length < most; length++) {
    const character = yield* cursor.peek(length);
    if (character === undefined || character < ' ') return undefined;
    if (!isEscaped && character === '"') break;
    isEscaped = !isEscaped && character === '\\';
  }
  return parseString(cursor.take(length + 1));
}

function parseString(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
