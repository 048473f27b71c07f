const maxNameCharacters = 80;

/** Control characters, and characters that hide text or change its direction. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Quotes a name that a server chose, on one line and with invisible characters escaped. */
export function quoteName(name: string): string {
  const shown = name.length > maxNameCharacters ? `${name.slice(0, maxNameCharacters)}…` : name;
  return JSON.stringify(shown).replace(invisible, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

const escapeCharacter = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/** Terminal sequences for colors, cursor movements and window titles. */
const terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escapeCharacter}]*(?:${bell}|${escapeCharacter}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

/** Invisible characters, except line feeds, tabs and zero-width joiners. */
const invisibleInText = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Removes terminal sequences and invisible characters from a text that a server sent. */
export function toPlainText(text: string): string {
  return text.replace(terminalSequences, '').replace(invisibleInText, '');
}

export interface JsonBounds {
  /** Maximum nesting of objects and arrays. */
  maxDepth: number;
  /** Maximum number of characters in all keys and strings. Every value counts as one more. */
  maxSize: number;
}

/**
 * Returns true if a JSON value is within bounds. Most code that walks a value is recursive and would overflow the
 * stack for ten thousand nested levels. This function does not recurse.
 */
export function isWithinBounds(value: unknown, bounds: JsonBounds): boolean {
  const remaining: [value: unknown, depth: number][] = [[value, 0]];
  let size = 0;
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const [current, depth] = next;
    size += typeof current === 'string' ? current.length + 1 : 1;
    if (size > bounds.maxSize || depth > bounds.maxDepth) return false;
    if (typeof current !== 'object' || current === null) continue;
    for (const [key, child] of Object.entries(current)) {
      if (!Array.isArray(current)) size += key.length;
      remaining.push([child, depth + 1]);
    }
  }
  return true;
}
