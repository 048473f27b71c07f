const escapeCharacter = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/** Colours, cursor movements and window titles. */
const terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escapeCharacter}]*(?:${bell}|${escapeCharacter}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

/** Control characters but for line ends and tabs, and what hides or turns text around but for joiners. */
const invisible = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text of a server as it may be shown: without what moves a terminal's cursor or hides from the eye. */
export function toPlainText(text: string): string {
  return text.replace(terminalSequences, '').replace(invisible, '');
}
