import { stripVTControlCharacters, styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** The one way to the screen: whatever is written, no control character of it gets there. */
export interface Terminal {
  /** Writes text as it is, without a line end. */
  write(text: string, style?: Style): void;
  /** Writes one line, with all white space of the text made single spaces. */
  line(text: string, style?: Style): void;
}

export interface TerminalOptions {
  readonly hasColours: boolean;
}

export function createTerminal(
  stream: { write(text: string): unknown },
  { hasColours }: TerminalOptions,
): Terminal {
  function put(text: string, style: Style | undefined, end = ''): void {
    const styled =
      hasColours && style !== undefined && text !== ''
        ? styleText(style, text, { validateStream: false })
        : text;
    stream.write(styled + end);
  }
  return {
    write: (text, style) => put(toSafeText(text), style),
    line: (text, style) => put(toLine(text), style, '\n'),
  };
}

/** Text on one line, safe to print. */
const toLine = (text: string): string => toSafeText(text).replace(/\s+/g, ' ').trimEnd();

/**
 * Text without escape sequences and without control characters other than line feeds and tabs. A carriage return could
 * overwrite a line, and a bidirectional control could turn one around.
 */
const toSafeText = (text: string): string => stripVTControlCharacters(text).replace(unsafe, '');

const unsafe = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;
