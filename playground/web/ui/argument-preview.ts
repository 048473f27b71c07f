export interface ArgumentPreviewOptions {
  /** Characters of the preview. @default 80 */
  readonly maxLength?: number;
}

/** Length up to which JSON text is parsed, so that a preview of large arguments costs nothing. */
const MAX_PARSED = 4000;

/** Returns the arguments of a tool call in one line: `city: "Rome", days: 3`. */
export function previewArguments(input: unknown, { maxLength = 80 }: ArgumentPreviewOptions = {}): string {
  const value = typeof input === 'string' ? parse(input) : input;
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return shorten(value, maxLength);
  if (typeof value !== 'object' || Array.isArray(value)) return previewValue(value, maxLength);
  const entries: string[] = [];
  let length = 0;
  for (const [name, inner] of Object.entries(value)) {
    const entry = `${name}: ${previewValue(inner, maxLength)}`;
    entries.push(entry);
    length += entry.length;
    if (length > maxLength) break;
  }
  return shorten(entries.join(', '), maxLength);
}

/** Returns incomplete JSON, and JSON that is too long to be parsed for a preview, unchanged. */
function parse(text: string): unknown {
  if (text.length > MAX_PARSED) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function previewValue(value: unknown, maxLength: number): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}';
  return typeof value === 'string' ? JSON.stringify(shorten(value, maxLength)) : String(value);
}

/** Returns one line of at most this length. */
export function shorten(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength + 1)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
