/** Tracks fenced code blocks in Markdown text. */
export interface FenceTracker {
  /** True if the current position is in a code block. */
  readonly isFenced: boolean;
  /** True if the current line is part of a quotation. */
  readonly isQuoted: boolean;
  /** Adds Markdown text. */
  push(text: string): void;
  /** Adds text whose fences do not count, such as a call. Only the end of its last line matters. */
  skip(text: string): void;
}

type State =
  /** After up to three spaces at the start of a line. */
  | 'indent'
  /** After more spaces, or after a tab. */
  | 'indented'
  /** In the marker of a list item. */
  | 'item'
  /** In the run of backticks or tildes at the start of a line. */
  | 'run'
  /** After a run that opened a block. */
  | 'info'
  /** After a run that closes the block if the rest of its line is blank. */
  | 'close'
  | 'line';

/** Longer than the marker of any list item. */
const MAX_ITEM = 10;

/**
 * Implements the fences of CommonMark. A fence opens at the start of a line, after up to three spaces, with three or
 * more backticks or tildes. It closes with a run of the same character that is at least as long and alone on its line.
 * Backticks within a line open nothing, and no backticks may follow an opening run of backticks.
 *
 * A fence with more indentation belongs to an item of a list, or to an indented block of code. The indented lines after it
 * are code. Other indented lines are not, because models indent calls as well. A fence may follow the marker of a list
 * item on its line. Its end then may have the indentation of the item.
 *
 * A line that starts with `>` is a quotation, also after the marker of a list item.
 *
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function createFenceTracker(): FenceTracker {
  let state: State = 'indent';
  let indent = 0;
  /** The latest run of backticks or tildes. */
  let run = { mark: '', length: 0 };
  /** The run that opened the block, with the indentation of the item in which it is. */
  let fence: { mark: string; length: number; offset: number } | undefined;
  /** True from an indented fence up to a line with less indentation. */
  let isIndented = false;
  let isQuoted = false;
  /** The marker of a list item at the start of the line, as far as it was read. */
  let item = '';

  function startLine(): void {
    if (state === 'run') endRun();
    if (state === 'close') fence = undefined;
    state = 'indent';
    indent = 0;
    item = '';
    isQuoted = false;
  }

  function endRun(): void {
    state = 'line';
    if (run.length < 3) return;
    if (fence === undefined) {
      fence = { ...run, offset: item.length };
      state = 'info';
    } else if (fence.mark === run.mark && run.length >= fence.length) {
      state = 'close';
    }
  }

  const handlers: Record<State, (character: string) => void> = {
    indent(character) {
      if (character === ' ' && indent < 3 + (fence?.offset ?? 0)) return void indent++;
      if (character === ' ' || character === '\t') {
        run = { mark: '', length: 0 };
        state = fence === undefined ? 'indented' : 'line';
        return;
      }
      if (character === '\r') return;
      isIndented = false;
      state = 'line';
      if (character === '`' || character === '~') {
        run = { mark: character, length: 1 };
        state = 'run';
      } else if (fence === undefined && character === '>') {
        isQuoted = true;
      } else if (fence === undefined && item === '' && /[-*+\d]/.test(character)) {
        item = character;
        state = 'item';
      }
    },
    item(character) {
      const isEnd = character === ' ' && !/\d$/.test(item);
      const isNumber = /^\d+$/.test(item) && item.length < MAX_ITEM && /[\d.)]/.test(character);
      if (isEnd || isNumber) item += character;
      if (isEnd) indent = 0;
      if (!isNumber) state = isEnd ? 'indent' : 'line';
    },
    indented(character) {
      if (character === ' ' || character === '\t' || character === '\r') return;
      const isRun = run.length === 0 ? character === '`' || character === '~' : character === run.mark;
      run = { mark: character, length: isRun ? run.length + 1 : 0 };
      if (isRun && run.length < 3) return;
      isIndented ||= isRun;
      state = 'line';
    },
    run(character) {
      if (character === run.mark) return void run.length++;
      endRun();
      handlers[state](character);
    },
    info(character) {
      // The run was inline code, as in ```code```, and opened no block.
      if (character !== '`' || run.mark !== '`') return;
      fence = undefined;
      state = 'line';
    },
    close(character) {
      if (character !== ' ' && character !== '\t' && character !== '\r') state = 'line';
    },
    line() {},
  };

  return {
    get isQuoted() {
      return isQuoted;
    },
    get isFenced() {
      // Text that follows fewer spaces ends an indented block.
      return (
        fence !== undefined || (isIndented && state !== 'indent') || (state === 'run' && run.length >= 3)
      );
    },
    push(text) {
      for (let position = 0; position < text.length; position++) {
        if (state === 'line') {
          position = text.indexOf('\n', position);
          if (position < 0) return;
        }
        const character = text.charAt(position);
        if (character === '\n') startLine();
        else handlers[state](character);
      }
    },
    skip(text) {
      if (text === '') return;
      if (state === 'run') endRun();
      isIndented = false;
      isQuoted = false;
      if (text.endsWith('\n')) startLine();
      else state = 'line';
    },
  };
}

/** Tracks inline code in Markdown text. */
export interface InlineCode {
  /** True if the text so far opened inline code that has not ended. */
  readonly isOpen: boolean;
  /** Adds Markdown text. */
  push(text: string): void;
  /** The length of the run of backticks that opened the code, or 0. */
  readonly length: number;
  /** True if the code is certain: its end was seen, or it starts directly before a marker. */
  readonly isConfirmed: boolean;
  /** True directly after the run that opened the code. */
  readonly isAtStart: boolean;
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
    get length() {
      return open === 0 ? run : open;
    },
    get isConfirmed() {
      return isConfirmed;
    },
    get isAtStart() {
      return run > 0 && open === 0;
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
      if (open === 0) open = run;
      isConfirmed = true;
      run = 0;
    },
    end() {
      run = 0;
      close();
    },
  };
}
