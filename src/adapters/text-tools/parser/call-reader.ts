import { normalizeToolName, undecorateToolName } from '../../../core/tool-calls/tool-names.js';
import type { FenceTracker } from './markdown.js';
import type { Markers } from './markers.js';
import { MAX_SPACE, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextEvents, TextOutput, UnclosedCall } from './text-output.js';
import type {
  DeclaredTool,
  DeclaredTools,
  TextCalls,
  TextToolFormat,
  UndeclaredPolicy,
} from '../reading/text-tool-format.js';

/** Reads calls, and emits their text if they turn out not to be calls. */
export interface CallReader {
  /**
   * Reads the calls that start with a marker, or emits them as text if they are invalid.
   *
   * @returns false if the marker starts no call and nothing was taken.
   */
  read(marker: string): Reading<boolean>;
  /** Emits the text of a call that is certainly text, up to the current position. */
  flush(): void;
  /** The call at the end of the text, if its arguments are complete and its end is missing. */
  readonly unclosedCall: UnclosedCall | undefined;
}

/** The calls of declared tools in foreign texts of the prompt. */
export interface QuotedCalls {
  readonly isEmpty: boolean;
  has(name: string, input: string): boolean;
}

export interface CallReaderOptions {
  readonly tools: DeclaredTools;
  readonly undeclared: UndeclaredPolicy;
  readonly dropsCalls: boolean;
  /** The length of the arguments with which a call starts before it is complete. @default 256 */
  readonly streamArgumentsFrom?: number | undefined;
  /** Calls in foreign texts of the prompt, which are text. @default none */
  readonly quoted?: QuotedCalls | undefined;
  readonly markers: Markers;
  /** Records the text of calls. */
  readonly cursor: TextCursor;
  readonly fences: FenceTracker;
  readonly output: TextOutput;
  readonly events: TextEvents;
  /** Writes text whose fences and inline code count, also where other text is dropped. */
  readonly writeMarkdown: (text: string) => void;
}

/** The maximum number of markers before a call: those of a message, of a list and of the call. */
const MAX_MARKERS = 4;

export function createCallReader(options: CallReaderOptions): CallReader {
  const { markers, cursor, fences, output } = options;
  const tracker = createCallTracker(options);

  function* findFormat(opener: string): Reading<TextToolFormat | undefined> {
    for (const format of markers.openers.get(opener) ?? []) {
      if (format.accepts === undefined || (yield* format.accepts(cursor, tracker.calls))) return format;
    }
    return undefined;
  }

  return {
    *read(first) {
      const start = cursor.taken;
      cursor.startRecording();
      let isRead = false;
      let marker: string | undefined = first;
      for (let count = 0; marker !== undefined && count < MAX_MARKERS; count++) {
        // A bare marker is the start of the call itself.
        const isBare = markers.isBare(marker);
        const isWhole = isBare || markers.isWhole(marker);
        if (!isWhole) {
          cursor.take(marker.length);
          yield* cursor.takeSpace(MAX_SPACE);
        }
        const format: TextToolFormat | undefined = yield* findFormat(marker);
        if (isWhole && marker === first && format === undefined) {
          cursor.stopRecording();
          return false;
        }
        tracker.useFormat(format, { isBare });
        if (format !== undefined) isRead = yield* format.read(cursor, tracker.calls, marker);
        marker =
          format === undefined ? yield* cursor.match(markers.afterPrefix.get(marker) ?? []) : undefined;
      }
      const isCut = !isRead && (yield* cursor.peek()) === undefined;
      if (isRead && output.preceding === 'call') fences.skip(cursor.recorded());
      else if (tracker.discard(isCut)) yield* takeTruncatedTag(cursor, tracker.calls.closers());
      cursor.stopRecording();
      // After a format that takes nothing, the parser has to go on, or it would read the marker again without end.
      return cursor.taken > start;
    },
    flush: tracker.flush,
    get unclosedCall() {
      return tracker.unclosedCall;
    },
  };
}

interface CallTracker extends Pick<CallReader, 'flush' | 'unclosedCall'> {
  /** Receives the calls that a format reads. */
  readonly calls: TextCalls;
  /** Sets the format that reads the next calls. Bare calls have no marker. */
  useFormat(format: TextToolFormat | undefined, options: { isBare: boolean }): void;
  /**
   * Ends an incomplete or invalid call. If it has not started, the recorded text is emitted, and false is returned. The text
   * of a call of a declared tool that the end of the text cuts off is kept until the end of the response.
   */
  discard(isCut: boolean): boolean;
}

/** A call of a declared tool, which is emitted as it arrives. */
interface OpenCall {
  readonly kind: 'open';
  readonly name: string;
  readonly id: string | undefined;
  hasStarted: boolean;
  /** The input before the start. */
  input: string;
  /** The text of a call at the end of a response. @default the recorded one */
  text?: string;
}

/**
 * The input with which a call starts by default. Hosts show a started call until it is complete, and cannot take it back.
 * A shorter call therefore starts when it is complete, and leaves no trace if it is truncated or invalid.
 */
export const MIN_STREAMED = 256;

/** A call whose end decides what is emitted. */
interface HeldCall {
  readonly kind: 'held';
  readonly name: string;
  readonly id: string | undefined;
  readonly policy: UndeclaredPolicy;
  /** The format may replace the call by other text. */
  readonly mayBeReplaced: boolean;
  input: string;
  /** The start of the input, until it is certain that the call may be replaced. */
  start: string | undefined;
}

/** The longest start of the input that tells whether a call may be replaced. */
const MAX_START = 512;

function createCallTracker(options: CallReaderOptions): CallTracker {
  const { tools, undeclared, dropsCalls, cursor, fences, output, events, writeMarkdown } = options;
  const { streamArgumentsFrom = MIN_STREAMED, quoted } = options;
  let format: TextToolFormat | undefined;
  /** True if the next calls have no marker. */
  let isBare = false;
  /** A call that is `text` is read only to find its end. */
  let call: 'none' | 'text' | OpenCall | HeldCall = 'none';
  let hasBegun = false;
  /** True if the text has a message. */
  let hasMessage = false;
  let unclosedCall: UnclosedCall | undefined;

  const names = new Set(tools.keys());
  const writer = createCallWriter(options, () => format);

  /** The last name, which the next call often has too, and the declared tool that it means. */
  let last: { name: string; tool: DeclaredTool | undefined } | undefined;

  function find(name: string): DeclaredTool | undefined {
    if (last?.name !== name) last = { name, tool: tools.get(normalizeToolName(name, names) ?? '') };
    return last.tool;
  }

  const calls: TextCalls = {
    closers: () => format?.closers ?? [],
    find,
    isDeclared: name => find(name) !== undefined,
    isNameStart: text => [...names].some(name => name.startsWith(text)) || find(text) !== undefined,
    begin(name, { id } = {}) {
      hasBegun = true;
      const tool = find(name);
      call =
        tool !== undefined && !dropsCalls
          ? { kind: 'open', name: tool.name, id, hasStarted: false, input: '' }
          : holdOther({ name, id, isDeclared: tool !== undefined });
      return tool;
    },
    input(text) {
      if (typeof call === 'string') return;
      if (call.kind === 'held') return addToHeld(call, text);
      if (call.hasStarted) return events.callInput(text);
      call.input += text;
      if (call.input.length >= streamArgumentsFrom && (quoted?.isEmpty ?? true)) writer.start(call);
    },
    end({ isUnclosed = false } = {}) {
      if (call === 'text') writer.writeText();
      else if (call !== 'none' && isUnclosed) unclosedCall = writer.hold(call);
      else if (call !== 'none') writer.end(call);
      call = 'none';
    },
    drop() {
      fences.skip(cursor.recorded());
    },
    text(text) {
      output.write(text);
    },
    startText(separator) {
      if (hasMessage) output.write(separator);
      hasMessage = true;
    },
    reasoning(text) {
      if (output.preceding !== 'reasoning') output.startReasoning();
      output.endReasoning();
      events.reasoning(text);
    },
  };

  function holdOther(called: { name: string; id: string | undefined; isDeclared: boolean }) {
    const { name, id, isDeclared } = called;
    const policy = isBare && !isDeclared ? 'text' : toPolicy(name, isDeclared, options);
    // A replacement stands for text, and for the default where no tool can be called.
    const isText = policy === 'text' || (tools.size === 0 && undeclared !== 'drop');
    const mayBeReplaced = isText && format?.undeclared !== undefined;
    if (policy === 'text' && !mayBeReplaced) return 'text';
    return {
      kind: 'held',
      name: undecorateToolName(name),
      id,
      policy,
      mayBeReplaced,
      input: '',
      start: policy === 'text' ? '' : undefined,
    } as const;
  }

  function addToHeld(held: HeldCall, text: string): void {
    held.input += text;
    if (held.start === undefined) return;
    held.start = (held.start + text).slice(0, MAX_START);
    if (format?.undeclared?.mayReplace(held.start) !== true) call = 'text';
    else if (held.start.length === MAX_START) held.start = undefined;
  }

  return {
    calls,
    useFormat(next, options) {
      format = next;
      isBare = options.isBare;
      hasBegun = false;
    },
    discard(isCut) {
      const open = typeof call === 'object' && call.kind === 'open' ? call : undefined;
      const hasStarted = open?.hasStarted === true;
      call = 'none';
      if (hasStarted) writer.endBroken();
      else if (open !== undefined && isCut) unclosedCall = writer.holdCut();
      // Text without a name after a marker that it mentions is prose.
      else if (hasBegun) writer.writeText();
      else writeMarkdown(cursor.recorded());
      return hasStarted;
    },
    flush() {
      if (call === 'text') writer.writeText();
    },
    get unclosedCall() {
      return unclosedCall;
    },
  };
}

/** Returns the meaning of a call that is not one of an allowed tool. */
function toPolicy(name: string, isDeclared: boolean, options: CallReaderOptions): UndeclaredPolicy {
  if (options.dropsCalls) return isDeclared || options.undeclared !== 'text' ? 'drop' : 'text';
  return options.undeclared === 'call' && !isPossibleName(name) ? 'text' : options.undeclared;
}

/** Creates a writer that emits the calls of a tracker, or their text. */
function createCallWriter(
  { cursor, fences, output, events, quoted }: CallReaderOptions,
  formatOf: () => TextToolFormat | undefined,
) {
  /** Starts a call before it is complete. */
  function start(open: OpenCall): void {
    events.callStart({ ...open, format: formatOf()?.name });
    open.hasStarted = true;
    events.callInput(open.input);
  }

  /** Leaves it to the end of the response to complete or discard a call. */
  function hold(ended: OpenCall | HeldCall): UnclosedCall {
    const text = cursor.recorded();
    return {
      complete() {
        end(ended.kind === 'open' ? { ...ended, text } : ended);
        output.end();
      },
      discard(isTruncated) {
        if (ended.kind === 'open' && ended.hasStarted) endBroken();
        else if (!isTruncated) writeText(text);
        output.end();
      },
    };
  }

  /** Leaves it to the end of the response to show or drop the text of a call that is cut off. */
  function holdCut(): UnclosedCall {
    const text = cursor.recorded();
    const show = () => {
      writeText(text);
      output.end();
    };
    return {
      complete: show,
      discard(isTruncated) {
        if (isTruncated) output.end();
        else show();
      },
    };
  }

  function end(ended: OpenCall | HeldCall): void {
    if (ended.kind === 'held') return endHeld(ended);
    if (ended.input === '') ended.input = '{}';
    if (!ended.hasStarted && quoted?.has(ended.name, ended.input)) {
      events.callQuoted?.(ended.name);
      return writeText(ended.text);
    }
    if (!ended.hasStarted) start(ended);
    events.callEnd();
    endMarkup();
  }

  /** Ends a started call that is truncated or invalid. */
  function endBroken(): void {
    events.callBroken();
    endMarkup();
  }

  function endHeld({ name, id, policy, mayBeReplaced, input }: HeldCall): void {
    const complete = input === '' ? '{}' : input;
    const replacement = mayBeReplaced
      ? formatOf()?.undeclared?.replace({ name, input: complete })
      : undefined;
    if (replacement !== undefined) {
      output.writeLines(replacement);
      fences.skip(cursor.recorded());
      return;
    }
    if (policy === 'text') return writeText();
    if (policy === 'call') {
      events.callStart({ name, id, format: formatOf()?.name });
      events.callInput(complete);
      events.callEnd();
    }
    endMarkup();
  }

  function endMarkup(): void {
    output.endCall();
    fences.skip(cursor.recorded());
  }

  /** Emits the recorded text. Its fences do not count, because they may belong to an argument. */
  function writeText(text = cursor.recorded()): void {
    fences.skip(text);
    output.write(text);
  }

  return { start, end, endBroken, hold, holdCut, writeText };
}

const MAX_TAG = 64;

/** Takes the rest of a tag at the end of the text, which is part of a truncated call. */
function* takeTruncatedTag(cursor: TextCursor, closers: readonly string[]): Reading<void> {
  if ((yield* cursor.match(closers)) !== undefined || /\s/.test((yield* cursor.peek()) ?? ' ')) return;
  const length = yield* cursor.scan((character, offset) => character !== '\n' && offset < MAX_TAG);
  if ((yield* cursor.peek(length)) === undefined) cursor.take(length);
}

/** Returns true for a name that a tool can have in some API. Other names belong to templates and prose. */
const isPossibleName = (name: string): boolean =>
  /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u.test(undecorateToolName(name));
