/** Shortens a text to its beginning and its end, with a mark between them that says how much is missing. */
export function cutText(text: string, { maxChars }: { maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(maxChars - toMark(text.length).length, 0);
  const headEnd = Math.ceil(room / 2);
  const tailStart = text.length - Math.floor(room / 2);
  // Half of a surrogate pair is no text: servers answer it with 400.
  const head = text.slice(0, isInsidePair(text, headEnd) ? headEnd - 1 : headEnd);
  const tail = text.slice(isInsidePair(text, tailStart) ? tailStart + 1 : tailStart);
  return head + toMark(text.length - head.length - tail.length) + tail;
}

const toMark = (count: number): string => `\n[… ${count} characters left out …]\n`;

const isInsidePair = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(index - 1, 0), index + 1));
