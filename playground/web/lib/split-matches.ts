export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a text where it holds what is looked for, whatever its case. Nothing of it is lost. */
export function splitMatches(text: string, query: string): Piece[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return text === '' ? [] : [{ text, isMatch: false }];
  const lower = text.toLowerCase();
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), isMatch: false });
    from = at + wanted.length;
    pieces.push({ text: text.slice(at, from), isMatch: true });
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}
