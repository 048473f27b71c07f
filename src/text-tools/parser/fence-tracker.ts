/** Tracks fenced code blocks in Markdown text. */
export interface FenceTracker {
  /** True if the current position is in a code block. */
  readonly isFenced: boolean;
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
  /** In the run of backticks or tildes at the start of a line. */
  | 'run'
  /** After a run that opened a block. */
  | 'info'
  /** After a run that closes the block if the rest of its line is blank. */
  | 'close'
  | 'line';

/**
 * Implements the fences of CommonMark. A fence opens at the start of a line, after up to three spaces, with three or
 * more backticks or tildes. It closes with a run of the same character that is at least as long and alone on its line.
 * Backticks within a line open nothing, and no backticks may follow an opening run of backticks.
 *
 * A fence with more indentation belongs to an item of a list, or to an indented block of code. The indented lines after it
 * are code. Other indented lines are not, because models indent calls as well.
 *
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function createFenceTracker(): FenceTracker {
  let state: State = 'indent';
  let indent = 0;
  let mark = '';
  let length = 0;
  let fence: { mark: string; length: number } | undefined;
  /** True from an indented fence up to a line with less indentation. */
  let isIndented = false;

  function startLine(): void {
    if (state === 'run') endRun();
    if (state === 'close') fence = undefined;
    state = 'indent';
    indent = 0;
  }

  /** Starts the content of a line that is not indented. */
  function startContent(next: 'run' | 'line'): void {
    isIndented = false;
    state = next;
  }

  function endRun(): void {
    state = 'line';
    if (length < 3) return;
    if (fence === undefined) {
      fence = { mark, length };
      state = 'info';
    } else if (fence.mark === mark && length >= fence.length) {
      state = 'close';
    }
  }

  const handlers: Record<State, (character: string) => void> = {
    indent(character) {
      if (character === ' ' && indent < 3) {
        indent++;
      } else if (character === ' ' || character === '\t') {
        length = 0;
        state = fence === undefined ? 'indented' : 'line';
      } else if (character === '`' || character === '~') {
        mark = character;
        length = 1;
        startContent('run');
      } else if (character !== '\r') {
        startContent('line');
      }
    },
    indented(character) {
      if (character === ' ' || character === '\t' || character === '\r') return;
      const isRun = length === 0 ? character === '`' || character === '~' : character === mark;
      length = isRun ? length + 1 : 0;
      mark = character;
      if (isRun && length < 3) return;
      isIndented ||= isRun;
      state = 'line';
    },
    run(character) {
      if (character === mark) {
        length++;
        return;
      }
      endRun();
      handlers[state](character);
    },
    info(character) {
      // The run was inline code, as in ```code```, and opened no block.
      if (character !== '`' || mark !== '`') return;
      fence = undefined;
      state = 'line';
    },
    close(character) {
      if (character !== ' ' && character !== '\t' && character !== '\r') state = 'line';
    },
    line() {},
  };

  return {
    get isFenced() {
      // Text that follows fewer spaces ends an indented block.
      return fence !== undefined || (isIndented && state !== 'indent') || (state === 'run' && length >= 3);
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
      if (text.endsWith('\n')) startLine();
      else state = 'line';
    },
  };
}
