const maxCharacters = 80;

/** Control characters, and those that hide or turn text around. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A name that a server gave, in quotes and fit for one line of a log. */
export function quoteName(name: string): string {
  const shown = name.length > maxCharacters ? `${name.slice(0, maxCharacters)}…` : name;
  return JSON.stringify(shown).replace(invisible, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
