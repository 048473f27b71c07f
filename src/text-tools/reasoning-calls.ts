import type { TextEvents } from './text-output.js';

/**
 * Finds calls at the end of reasoning whose closing tag is missing. Complete calls are held back with the white space
 * and markers around them. They are part of the reasoning if other text or the closing tag follows.
 */
export interface ReasoningCalls {
  /** Adds text, and returns the text that is certainly part of the reasoning. */
  push(text: string): string;
  /** Returns the text that is held back when the reasoning is closed. */
  close(): string;
  /** Returns the rest when the text ends: first of the reasoning, then the calls that end it. */
  end(): { reasoning: string; calls: string };
  /** The number of visited characters. */
  readonly visited: number;
}

/** The parser of the text within reasoning. */
interface CallParser {
  feed(text: string): void;
  end(): void;
  /** The number of characters that were read. */
  readonly position: number;
  readonly visited: number;
}

export function createReasoningCalls(open: (events: TextEvents) => CallParser): ReasoningCalls {
  /** The text that is held back. */
  let held = '';
  /** The position where it starts. */
  let start = 0;
  let hasCalls = false;
  let released = '';

  const parser = open({
    text(text) {
      if (hasCalls && text.trim() === '') return;
      hasCalls = false;
      const length = parser.position - start;
      released += held.slice(0, length);
      held = held.slice(length);
      start += length;
    },
    reasoning: () => {},
    callStart: () => {},
    callInput: () => {},
    callEnd() {
      hasCalls = true;
    },
    callDiscarded: () => {},
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
      const reasoning = takeReleased();
      return hasCalls ? { reasoning, calls: held } : { reasoning: reasoning + held, calls: '' };
    },
  };
}
