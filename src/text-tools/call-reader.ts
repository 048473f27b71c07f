import { normalizeToolName } from '../tool-calls/tool-names.js';
import type { FenceTracker } from './fence-tracker.js';
import type { Markers } from './markers.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextEvents, TextOutput } from './text-output.js';
import type { DeclaredTools, TextCalls, TextToolFormat } from './text-tool-format.js';

/** Reads calls, and emits their text if they turn out not to be calls. */
export interface CallReader {
  /** Reads the calls that start with a marker, or emits them as text if they are invalid. */
  read(marker: string): Reading<void>;
  /** Emits the text of a call that is certainly text, up to the current position. */
  flush(): void;
}

export interface CallReaderOptions {
  readonly tools: DeclaredTools;
  readonly markers: Markers;
  /** Records the text of calls. */
  readonly cursor: TextCursor;
  readonly fences: FenceTracker;
  readonly output: TextOutput;
  readonly events: TextEvents;
}

/** The maximum number of markers before a call: those of a message, of a list and of the call. */
const MAX_MARKERS = 4;

/** The maximum white space between the markers of a call. */
const MAX_SPACE = 32;

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
      cursor.startRecording();
      let isRead = false;
      let marker: string | undefined = first;
      for (let count = 0; marker !== undefined && count < MAX_MARKERS; count++) {
        // A bare marker is the start of the call itself.
        if (!markers.isBare(marker)) cursor.take(marker.length);
        yield* cursor.takeSpace(MAX_SPACE);
        const format: TextToolFormat | undefined = yield* findFormat(marker);
        tracker.useFormat(format);
        if (format !== undefined) isRead = yield* format.read(cursor, tracker.calls, marker);
        marker =
          format === undefined ? yield* cursor.match(markers.afterPrefix.get(marker) ?? []) : undefined;
      }
      if (isRead && output.preceding === 'call') fences.skip(cursor.recorded());
      else tracker.discard();
      cursor.stopRecording();
    },
    flush: tracker.flush,
  };
}

interface CallTracker {
  /** Receives the calls that a format reads. */
  readonly calls: TextCalls;
  /** Sets the format that reads the next calls. */
  useFormat(format: TextToolFormat | undefined): void;
  /** Ends an incomplete or invalid call, and emits the recorded text. */
  discard(): void;
  flush(): void;
}

interface OpenCall {
  readonly name: string;
  readonly id: string | undefined;
  hasStarted: boolean;
}

/** A call of an undeclared tool that may be replaced. */
interface UndeclaredCall {
  readonly name: string;
  input: string;
}

const isUndeclared = (call: OpenCall | UndeclaredCall): call is UndeclaredCall => 'input' in call;

function createCallTracker({ tools, cursor, fences, output, events }: CallReaderOptions): CallTracker {
  let format: TextToolFormat | undefined;
  /** A call of an undeclared tool is `text` if it cannot be replaced. It is read only to find its end. */
  let call: 'none' | 'text' | OpenCall | UndeclaredCall = 'none';

  const names = new Set(tools.keys());

  const calls: TextCalls = {
    isNameStart: text => [...tools.keys()].some(name => name.startsWith(text)),
    begin(name, { id } = {}) {
      const declared = normalizeToolName(name, names);
      const tool = declared === undefined ? undefined : tools.get(declared);
      if (tool !== undefined) call = { name: tool.name, id, hasStarted: false };
      else call = format?.undeclared === undefined ? 'text' : { name, input: '' };
      return tool;
    },
    input(text) {
      if (typeof call === 'string') return;
      if (isUndeclared(call)) {
        call.input += text;
        if (format?.undeclared?.mayReplace(call.input) !== true) call = 'text';
        return;
      }
      if (!call.hasStarted) events.callStart(call);
      call.hasStarted = true;
      events.callInput(text);
    },
    end() {
      if (call === 'text') emitRecorded();
      else if (call !== 'none') endCall(call);
      call = 'none';
    },
  };

  function endCall(ended: OpenCall | UndeclaredCall): void {
    if (isUndeclared(ended)) {
      const replacement = format?.undeclared?.replace({ name: ended.name, input: ended.input || '{}' });
      if (replacement === undefined) return emitRecorded();
      output.writeLines(replacement);
    } else {
      if (!ended.hasStarted) calls.input('{}');
      events.callEnd();
      output.endCall();
    }
    fences.skip(cursor.recorded());
  }

  /** Emits the recorded text. Its fences do not count, because they may belong to an argument. */
  function emitRecorded(): void {
    const text = cursor.recorded();
    fences.skip(text);
    output.write(text);
  }

  return {
    calls,
    useFormat(next) {
      format = next;
    },
    discard() {
      if (typeof call === 'object' && !isUndeclared(call) && call.hasStarted) events.callDiscarded();
      call = 'none';
      emitRecorded();
    },
    flush() {
      if (call === 'text') emitRecorded();
    },
  };
}
