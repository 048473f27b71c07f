/** Tells, from the text that goes by, what stands in a fenced code block. */
export interface FenceTracker {
  /** Whether what comes next is in a fenced block. */
  readonly isFenced: boolean;
  /** Takes text that counts as Markdown. */
  push(text: string): void;
  /** Takes text in which a fence means nothing, such as a call: only where its last line stands matters. */
  skip(text: string): void;
}

type Place =
  /** Nothing but up to three spaces since the line began. */
  | 'indent'
  /** In the run of backticks or tildes that the line begins with. */
  | 'run'
  /** Behind a run that opened a block. */
  | 'info'
  /** Behind a run that closes the block if nothing else is on its line. */
  | 'close'
  | 'line';

/**
 * A fence opens at the start of a line, behind up to three spaces, with three or more backticks or tildes, and closes
 * with a run of the same character that is at least as long and alone on its line. Backticks within a line open
 * nothing, and behind an opening run of backticks none may follow.
 *
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function createFenceTracker(): FenceTracker {
  let place: Place = 'indent';
  let indent = 0;
  let mark = '';
  let length = 0;
  let fence: { mark: string; length: number } | undefined;

  function startLine(): void {
    if (place === 'run') endRun();
    if (place === 'close') fence = undefined;
    place = 'indent';
    indent = 0;
  }

  function endRun(): void {
    place = 'line';
    if (length < 3) return;
    if (fence === undefined) {
      fence = { mark, length };
      place = 'info';
    } else if (fence.mark === mark && length >= fence.length) {
      place = 'close';
    }
  }

  const inPlace: Record<Place, (character: string) => void> = {
    indent(character) {
      if (character === ' ' && indent < 3) {
        indent++;
      } else if (character === '`' || character === '~') {
        mark = character;
        length = 1;
        place = 'run';
      } else {
        place = 'line';
      }
    },
    run(character) {
      if (character === mark) {
        length++;
        return;
      }
      endRun();
      inPlace[place](character);
    },
    info(character) {
      // `a` is code in a line: what seemed to open a block did not.
      if (character !== '`' || mark !== '`') return;
      fence = undefined;
      place = 'line';
    },
    close(character) {
      if (character !== ' ' && character !== '\t' && character !== '\r') place = 'line';
    },
    line() {},
  };

  return {
    get isFenced() {
      return fence !== undefined || (place === 'run' && length >= 3);
    },
    push(text) {
      for (const character of text) {
        if (character === '\n') startLine();
        else inPlace[place](character);
      }
    },
    skip(text) {
      if (text === '') return;
      if (place === 'run') endRun();
      if (text.endsWith('\n')) startLine();
      else place = 'line';
    },
  };
}
