/** The content directly before a position in a text. */
export type Preceding = 'nothing' | 'call' | 'reasoning' | 'text';

/** Receives the content of a text, in its order. */
export interface TextEvents {
  text(text: string): void;
  reasoning(text: string): void;
  /** @param call `format` is the name of the format in which the call is written. */
  callStart(call: { name: string; id: string | undefined; format?: string | undefined }): void;
  callInput(text: string): void;
  callEnd(): void;
  /** The started call is truncated or invalid. Its input is no complete JSON. */
  callBroken(): void;
}

/** A call with complete arguments at the end of a text, without the marker that ends it. Nothing of its end was emitted. */
export interface UnclosedCall {
  /** Emits the call, because the response ended normally. */
  complete(): void;
  /** Emits the text of the call, because more arguments may be missing. */
  discard(): void;
}

/** Writes the text of a response, and tracks the content that precedes the current position. */
export interface TextOutput {
  readonly preceding: Preceding;
  write(text: string): void;
  /** Writes text on separate lines in place of a call. */
  writeLines(text: string): void;
  endReasoning(): void;
  endCall(): void;
  /** Drops a leftover marker after a call, together with the white space before it. */
  dropMarker(): void;
  /** Drops the white space before reasoning. */
  startReasoning(): void;
  end(): void;
}

/**
 * Buffers white space at the start and after calls or reasoning, up to `longest` characters. It is written together with
 * the text that follows, and dropped between two calls. Blank lines after reasoning are dropped: they belong to its tag.
 */
export function createTextOutput(
  emit: (text: string) => void,
  { longest, preceding: start = 'nothing' }: { longest: number; preceding?: Preceding },
): TextOutput {
  let preceding = start;
  let blank = '';
  let blankBeforeCall = '';
  /** True if the text so far ends with a line break. */
  let isLineStart = true;
  /** True if a line break is required before the next text. */
  let needsBreak = false;

  function writeOut(text: string): void {
    const written = needsBreak && !/^\r?\n/.test(text) ? `\n${text}` : text;
    emit(written);
    isLineStart = written.endsWith('\n');
    needsBreak = false;
    blank = '';
  }

  function endCall(): void {
    preceding = 'call';
    blankBeforeCall = blank;
  }

  return {
    get preceding() {
      return preceding;
    },
    write(text) {
      const written = preceding === 'reasoning' ? text.replace(/^\s*\n/, '') : text;
      if (written !== text) blank = '';
      if (written === '') return;
      const isBlank =
        preceding !== 'text' && written.trim() === '' && blank.length + written.length <= longest;
      if (isBlank) {
        blank += written;
      } else {
        writeOut(blank + written);
        preceding = 'text';
      }
    },
    writeLines(text) {
      const startsLine = blank === '' ? isLineStart : blank.endsWith('\n');
      writeOut(`${blank}${startsLine ? '' : '\n'}${text}`);
      needsBreak = true;
      endCall();
    },
    endReasoning() {
      preceding = 'reasoning';
    },
    endCall() {
      needsBreak = false;
      endCall();
    },
    dropMarker() {
      if (preceding === 'call') blank = blankBeforeCall;
    },
    startReasoning() {
      blank = '';
    },
    end() {
      if (preceding !== 'call' && preceding !== 'reasoning' && blank !== '') writeOut(blank);
    },
  };
}
