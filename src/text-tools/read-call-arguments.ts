import { readJson } from './read-json.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextCalls } from './text-tool-format.js';

/** Reads a call whose name is known and whose arguments follow as a JSON object. */
export function* readCallArguments(
  cursor: TextCursor,
  calls: TextCalls,
  { name, id }: { name: string; id?: string | undefined },
): Reading<boolean> {
  yield* cursor.takeSpace();
  if (name === '' || (yield* cursor.peek()) !== '{') return false;
  calls.begin(name, { id });
  if (!(yield* readJson(cursor, calls.input))) return false;
  calls.end();
  return true;
}
