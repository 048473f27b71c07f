import type { ValueType } from './schema-types.js';
import { isNull, toJsonValue } from './json-value.js';

/** Writes one value, which comes as plain text, into the arguments of a call. */
export interface ValueWriter {
  push(text: string): void;
  end(): void;
}

export interface ValueWriterOptions {
  readonly types: readonly ValueType[];
  /** Whether one line break on either side belongs to the tags. */
  readonly trims: boolean;
}

/**
 * A string is written as it comes, but for a line break that may turn out to be the last. What may be a null waits until
 * it is told from a string, and any other value until it is whole, since only then its type is sure.
 */
export function createValueWriter(
  write: (json: string) => void,
  { types, trims }: ValueWriterOptions,
): ValueWriter {
  const isText = types.find(type => type !== 'null') === 'text';
  const mayBeNull = types.includes('null');
  let hasStarted = false;
  let isOpen = false;
  /** What waits: all of a value that is no string, the start of one that may be null, the last line break. */
  let waiting = '';

  function writeText(text: string): void {
    if (!isOpen) write('"');
    isOpen = true;
    if (text !== '') write(JSON.stringify(text).slice(1, -1));
  }

  return {
    push(text) {
      waiting += text;
      if (!hasStarted) {
        // A carriage return may be the first half of a line break.
        if (waiting === '' || (trims && waiting === '\r')) return;
        if (trims) waiting = waiting.replace(/^\r?\n/, '');
        hasStarted = true;
      }
      if (!isText || (mayBeNull && !isOpen && mayBecomeNull(waiting))) return;
      const held = trims ? lastBreak(waiting) : 0;
      writeText(waiting.slice(0, waiting.length - held));
      waiting = waiting.slice(waiting.length - held);
    },
    end() {
      if (trims) waiting = waiting.replace(/\r?\n$/, '');
      if (isOpen) {
        writeText(waiting);
        write('"');
      } else {
        write(toJsonValue(waiting, types));
      }
    },
  };
}

const mayBecomeNull = (text: string): boolean =>
  text.length < 16 && (/^\s*(?:n(?:u(?:ll?)?)?|N(?:o(?:ne?)?)?)?$/.test(text) || isNull(text.trim()));

/** The length of a line break, or half of one, that the text ends in. */
function lastBreak(text: string): number {
  if (text.endsWith('\r\n')) return 2;
  return text.endsWith('\n') || text.endsWith('\r') ? 1 : 0;
}
