import { splitMatches } from '../lib/wire-search.js';

/** A text in which all places that match are marked. */
export function Marked({ text, query }: { text: string; query: string }) {
  if (query.trim() === '') return text;
  return splitMatches(text, query).map((piece, index) =>
    piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
  );
}
