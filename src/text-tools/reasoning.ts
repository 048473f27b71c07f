import { toStop } from './markers.js';
import type { Reading, TextCursor } from './text-cursor.js';

/**
 * Takes reasoning up to and with its closing tag, or up to a marker that ends it, too. White space that it begins with,
 * and reasoning of nothing else, is not told.
 *
 * @param options.isKept Told as it stands, with its closing tag.
 * @returns whether it ended before the text did.
 */
export function* readReasoning(
  cursor: TextCursor,
  {
    close,
    enders,
    onText,
    isKept = false,
  }: {
    close: string;
    enders: readonly string[];
    onText: (text: string) => void;
    isKept?: boolean;
  },
): Reading<boolean> {
  const ends = [close, ...enders];
  const stop = toStop(ends);
  let isBlank = !isKept;
  const tell = (text: string) => {
    const told = isBlank ? text.trimStart() : text;
    if (told === '') return;
    isBlank = false;
    onText(told);
  };
  for (;;) {
    tell(cursor.takeUntil(stop));
    if ((yield* cursor.peek()) === undefined) return false;
    const end = yield* cursor.match(ends);
    if (end === close && isKept) tell(cursor.take(close.length));
    else if (end === close) cursor.take(close.length);
    if (end !== undefined) return true;
    tell(cursor.take(1));
  }
}
