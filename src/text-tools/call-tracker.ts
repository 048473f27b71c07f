import type { FenceTracker } from './fence-tracker.js';
import type { TextCursor } from './text-cursor.js';
import type { TextEvents, TextOutput } from './text-output.js';
import type { DeclaredTools, TextCalls, TextToolFormat } from './text-tool-format.js';

/** Emits the calls that a format reads, or their recorded text if they turn out not to be calls. */
export interface CallTracker {
  /** Receives the calls. */
  readonly calls: TextCalls;
  /** Sets the format that reads the next calls. */
  useFormat(format: TextToolFormat | undefined): void;
  /** Ends an incomplete or invalid call, and emits the recorded text. */
  discard(): void;
  /** Emits the recorded text of a call that is certainly text. */
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

export interface CallTrackerOptions {
  readonly tools: DeclaredTools;
  /** Records the text of calls. */
  readonly cursor: TextCursor;
  readonly fences: FenceTracker;
  readonly output: TextOutput;
  readonly events: TextEvents;
}

export function createCallTracker({
  tools,
  cursor,
  fences,
  output,
  events,
}: CallTrackerOptions): CallTracker {
  let format: TextToolFormat | undefined;
  /** A call of an undeclared tool is `text` if it cannot be replaced. It is read only to find its end. */
  let call: 'none' | 'text' | OpenCall | UndeclaredCall = 'none';

  const calls: TextCalls = {
    isNameStart: text => [...tools.keys()].some(name => name.startsWith(text)),
    begin(name, { id } = {}) {
      const tool = tools.get(name);
      if (tool !== undefined) call = { name, id, hasStarted: false };
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
