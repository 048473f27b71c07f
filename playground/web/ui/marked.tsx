import { splitMatches } from '../traces/wire-search.js';

/** Text with highlighted matches. */
export function Marked({ text, query }: { text: string; query: string }) {
  if (query.trim() === '') return text;
  return splitMatches(text, query).map((segment, index) =>
    segment.isMatch ? <mark key={index}>{segment.text}</mark> : segment.text,
  );
}
