import type { TextEvents, UnclosedCall } from './text-output.js';

/**
 * Finds calls at the end of reasoning whose closing tag is missing. Complete calls are held back with the white space
 * and markers around them. They are part of the reasoning if other text or the closing tag follows.
 */
export interface ReasoningCalls {
  /** Adds text, and returns the text that is certainly part of the reasoning. */
  push(text: string): string;
  /** Returns the text that is held back when the reasoning is closed. */
  close(): string;
  /** Returns the rest when the text ends: first of the reasoning, then the calls that end it, if any. */
  end(): { reasoning: string; calls: HeldCalls | undefined };
  /** The number of visited characters. */
  readonly visited: number;
}

/** Calls that were read but not emitted. */
export interface HeldCalls {
  /** Their text. */
  readonly text: string;
  emit(events: TextEvents): void;
}

interface ReadCall {
  readonly name: string;
  readonly id: string | undefined;
  input: string;
}

/** The parser of the text within reasoning. */
interface CallParser {
  feed(text: string): void;
  end(): void;
  /** The number of characters that were read. */
  readonly position: number;
  readonly visited: number;
  readonly unclosedCall: UnclosedCall | undefined;
}

export function createReasoningCalls(open: (events: TextEvents) => CallParser): ReasoningCalls {
  /** The text that is held back. */
  let held = '';
  /** The position where it starts. */
  let start = 0;
  /** The calls in it. */
  let calls: ReadCall[] = [];
  let call: ReadCall = { name: '', id: undefined, input: '' };
  let released = '';

  const parser = open({
    text(text) {
      if (calls.length > 0 && text.trim() === '') return;
      calls = [];
      const length = parser.position - start;
      released += held.slice(0, length);
      held = held.slice(length);
      start += length;
    },
    reasoning: () => {},
    callStart({ name, id }) {
      call = { name, id, input: '' };
    },
    callInput(text) {
      call.input += text;
    },
    callEnd: () => void calls.push(call),
    callBroken: () => {},
  });

  function takeReleased(): string {
    const text = released;
    released = '';
    return text;
  }

  return {
    push(text) {
      held += text;
      parser.feed(text);
      return takeReleased();
    },
    close: () => held,
    get visited() {
      return parser.visited;
    },
    end() {
      parser.end();
      parser.unclosedCall?.discard();
      const reasoning = takeReleased();
      return calls.length > 0
        ? { reasoning, calls: { text: held, emit: events => emitCalls(calls, events) } }
        : { reasoning: reasoning + held, calls: undefined };
    },
  };
}

function emitCalls(calls: readonly ReadCall[], events: TextEvents): void {
  for (const call of calls) {
    events.callStart(call);
    events.callInput(call.input);
    events.callEnd();
  }
}
