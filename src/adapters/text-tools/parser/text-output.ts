import { generateId } from '@ai-sdk/provider-utils';
import { factsOf } from '../../../core/collector.js';
import type { Part, PartOf } from '../../../core/part.js';

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
  /** A call is text, because a foreign text of the prompt contains it. */
  callQuoted?(name: string): void;
}

/** A call with complete arguments at the end of a text, without the marker that ends it. Nothing of its end was emitted. */
export interface UnclosedCall {
  /** Emits the call, because the response ended normally. */
  complete(): void;
  /**
   * Ends the call, because more arguments may be missing.
   *
   * @param isTruncated The response was truncated: the markup of the call is dropped. Otherwise it is text.
   */
  discard(isTruncated: boolean): void;
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
  options: { longest: number; preceding?: Preceding },
): TextOutput {
  let preceding = options.preceding ?? 'nothing';
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
        preceding !== 'text' && written.trim() === '' && blank.length + written.length <= options.longest;
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

/** Converts the events of a text parser to stream parts. Calls interrupt the text and reasoning blocks. */
export interface TextWriter extends TextEvents {
  /** Starts a text block of the model. The first block that is written for it carries its metadata. */
  startText(block: TextBlock): void;
  /** Ends the text block with its metadata and citations. */
  endText(end?: BlockEnd): void;
  /** Reserves an id that the model uses itself. */
  claim(id: string): void;
  /** Emits the buffered delta, so that each delta of the model produces one delta. */
  flush(): void;
  /** The names of the formats of the calls. */
  readonly formats: ReadonlySet<string>;
  /** The names of the calls that are text, because a foreign text of the prompt contains them. */
  readonly quoted: ReadonlySet<string>;
  /** The number of complete calls. */
  readonly calls: number;
}

type TextBlock = Omit<PartOf<'text-start'>, 'type'>;
type BlockEnd = Omit<PartOf<'text-end'>, 'type' | 'id'>;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

export function createTextWriter(emit: (part: Part) => void): TextWriter {
  const used = new Set<string>();
  let source: TextBlock = { id: 'text' };
  /** The stored response of the text. */
  let responseId: string | undefined;
  /** The number of blocks that were written for `source`. */
  let blocks = 0;
  let block: { type: 'text' | 'reasoning'; id: string } | undefined;
  let call: OpenCall | undefined;
  let calls = 0;
  const formats = new Set<string>();
  const quoted = new Set<string>();
  /** The buffered delta of the open block or call. */
  let delta = '';

  function toUnused(id: string, next: () => string): string {
    let unused = id;
    while (used.has(unused)) unused = next();
    used.add(unused);
    return unused;
  }

  const nextBlockId = () => (++blocks === 1 ? source.id : `${source.id}-${blocks}`);

  function flush(): void {
    if (delta !== '' && call !== undefined) {
      call.input += delta;
      emit({ type: 'tool-input-delta', id: call.id, delta });
    } else if (delta !== '' && block !== undefined) {
      emit({ type: `${block.type}-delta`, id: block.id, delta });
    }
    delta = '';
  }

  function closeBlock({ citations, ...facts }: BlockEnd = {}): void {
    flush();
    if (block?.type === 'text')
      emit({ type: 'text-end', id: block.id, ...facts, ...(citations && { citations }) });
    else if (block !== undefined) emit({ type: 'reasoning-end', id: block.id, ...facts });
    block = undefined;
  }

  function write(type: 'text' | 'reasoning', text: string): void {
    if (block?.type !== type) {
      closeBlock();
      const { id, ...facts } = source;
      block = { type, id: toUnused(nextBlockId(), nextBlockId) };
      emit({ type: `${type}-start`, id: block.id, ...facts });
      source = { id };
    }
    delta += text;
  }

  return {
    startText(start) {
      source = { id: start.id, ...factsOf(start) };
      responseId = start.own?.responseId ?? responseId;
      blocks = 0;
    },
    endText: (end = {}) =>
      closeBlock({ ...factsOf(end), ...(end.citations !== undefined && { citations: end.citations }) }),
    claim: id => void used.add(id),
    formats,
    get calls() {
      return calls;
    },

    flush,

    text: text => write('text', text),
    reasoning: text => write('reasoning', text),
    callStart({ name, id, format }) {
      closeBlock();
      if (format !== undefined) formats.add(format);
      call = { id: toUnused(id ?? generateId(), generateId), name, input: '' };
      emit({ type: 'tool-input-start', id: call.id, toolName: name });
    },
    callInput(text) {
      delta += text;
    },
    callEnd: endCall,
    quoted,
    callQuoted: name => void quoted.add(name),
    callBroken() {
      flush();
      // Some hosts add brackets that are missing after a complete value, so another value is opened.
      if (call !== undefined && !endsInString(call.input)) delta = ',"';
      endCall();
    },
  };

  function endCall(): void {
    if (call === undefined) return;
    flush();
    const { id, name, input } = call;
    emit({ type: 'tool-input-end', id });
    // The server has the text in place of the call.
    const own = responseId === undefined ? undefined : { responseId, ofText: true };
    emit({ type: 'tool-call', toolCallId: id, toolName: name, input, ...(own && { own }) });
    calls++;
    call = undefined;
  }
}

/** Returns true if truncated JSON ends within a string. */
function endsInString(json: string): boolean {
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') isInString = !isInString;
    else if (character === '\\' && isInString) at++;
  }
  return isInString;
}
