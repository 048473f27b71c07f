/** Tracks inline code in Markdown text. */
export interface InlineCode {
  /** True if the text so far opened inline code that has not ended. */
  readonly isOpen: boolean;
  /** Adds Markdown text. */
  push(text: string): void;
  /** Marks the open code as certain, so that it may continue on the next line. */
  confirm(): void;
  /** Ends the open code, because a call follows. */
  end(): void;
}

/**
 * Inline code starts with a run of backticks and ends with a run of the same length. A stray backtick must not hide a
 * call on a later line. Inline code therefore ends with its line, and with its paragraph once it is certain.
 *
 * @see https://spec.commonmark.org/0.31.2/#code-spans
 */
export function createInlineCode(): InlineCode {
  /** The length of the run that started the code, or 0. */
  let open = 0;
  /** The length of the run of backticks before the current position. */
  let run = 0;
  let isConfirmed = false;
  let isBlankLine = true;
  let previous = '';

  function close(): void {
    open = 0;
    isConfirmed = false;
  }

  function endRun(): void {
    if (open === 0) open = run;
    else if (open === run) close();
    run = 0;
  }

  function endLine(): void {
    if (!isConfirmed || isBlankLine) close();
    isBlankLine = true;
  }

  function read(character: string): void {
    if (character === '`') {
      // A backslash escapes the first backtick outside of code.
      if (run > 0 || open > 0 || previous !== '\\') run++;
      isBlankLine = false;
      return;
    }
    if (run > 0) endRun();
    if (character === '\n') endLine();
    else if (isBlankLine && character.trim() !== '') isBlankLine = false;
  }

  return {
    get isOpen() {
      return run > 0 ? open !== run : open > 0;
    },
    push(text) {
      if (run > 0 || open > 0 || text.includes('`')) {
        for (const character of text) {
          read(character);
          previous = character;
        }
      }
      previous = text.at(-1) ?? previous;
    },
    confirm() {
      isConfirmed = true;
    },
    end() {
      run = 0;
      close();
    },
  };
}
