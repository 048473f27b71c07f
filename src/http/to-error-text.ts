/** The most of a server's words that an error repeats, in characters. */
const MAX_LENGTH = 2_000;

/** Characters that steer a terminal or turn a text around; line feeds and tabs are harmless. */
const STEERING = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A server's words as an error may repeat them: of a sane length, and with what could play tricks in a log escaped. */
export function toErrorText(text: string): string {
  const told = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return told
    .replaceAll('\r\n', '\n')
    .replace(STEERING, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
