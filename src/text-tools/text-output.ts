import type { Behind } from './markers.js';

/** Puts out the text of an answer, and knows what the place is behind that comes next. */
export interface TextOutput {
  readonly behind: Behind;
  write(text: string): void;
  /** Writes lines of their own, in place of a call. */
  writeLines(text: string): void;
  endReasoning(): void;
  endCall(): void;
  /** A marker that was left over is dropped. The white space before it was within the list of calls. */
  dropMarker(): void;
  /** White space before reasoning is dropped. */
  startReasoning(): void;
  end(): void;
}

/**
 * White space that follows a call, reasoning or nothing at all is held for a moment, up to `longest` characters: it goes
 * with the text behind it, if any comes, and not on its own between two calls.
 */
export function createTextOutput(emit: (text: string) => void, { longest }: { longest: number }): TextOutput {
  let behind: Behind = 'nothing';
  let blank = '';
  let blankBeforeCall = '';
  /** Whether the text so far ends a line, and whether it is to be ended before more comes. */
  let isLineStart = true;
  let isBreakDue = false;

  function show(text: string): void {
    const shown = isBreakDue && !/^\r?\n/.test(text) ? `\n${text}` : text;
    emit(shown);
    isLineStart = shown.endsWith('\n');
    isBreakDue = false;
    blank = '';
  }

  function endCall(): void {
    behind = 'call';
    blankBeforeCall = blank;
  }

  return {
    get behind() {
      return behind;
    },
    write(text) {
      if (text === '') return;
      const isBlank = behind !== 'text' && text.trim() === '' && blank.length + text.length <= longest;
      if (isBlank) {
        blank += text;
      } else {
        show(blank + text);
        behind = 'text';
      }
    },
    writeLines(text) {
      const isOwnLine = blank === '' ? isLineStart : blank.endsWith('\n');
      show(`${blank}${isOwnLine ? '' : '\n'}${text}`);
      isBreakDue = true;
      endCall();
    },
    endReasoning() {
      behind = 'reasoning';
    },
    endCall() {
      isBreakDue = false;
      endCall();
    },
    dropMarker() {
      if (behind === 'call') blank = blankBeforeCall;
    },
    startReasoning() {
      blank = '';
    },
    end() {
      if (behind !== 'call' && blank !== '') show(blank);
    },
  };
}
