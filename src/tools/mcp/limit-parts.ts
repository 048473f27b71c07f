/** A piece of a tool's result. */
export type ResultPart = { type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string };

/** What a result may hold in all, in characters: several large images in base64. */
export const maxResultCharacters = 32 * 1024 * 1024;

/** No honest result has as many pieces. */
const maxParts = 1000;

/** Keeps a result within bounds that protect the host, and says what is missing. */
export function limitParts(parts: readonly ResultPart[]): ResultPart[] {
  let remaining = maxResultCharacters;
  const kept = parts.slice(0, maxParts).map((part): ResultPart => {
    const length = part.type === 'text' ? part.text.length : part.data.length;
    const available = remaining;
    remaining = Math.max(0, remaining - length);
    if (length <= available) return part;
    const text = part.type === 'text' ? part.text.slice(0, available) : '';
    return { type: 'text', text: `${text}${toNote(part, length - text.length)}` };
  });
  const missing = parts.length - kept.length;
  return missing === 0 ? kept : [...kept, toText(`(${missing} more parts of the result left out)`)];
}

function toNote(part: ResultPart, missing: number): string {
  const unit = part.type === 'text' ? 'characters' : `characters of ${part.mediaType}`;
  return ` … (${missing} ${unit} left out: the result is larger than ${maxResultCharacters} characters)`;
}

function toText(text: string): ResultPart {
  return { type: 'text', text };
}
