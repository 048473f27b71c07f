import { readJsonCalls } from '../values/json-call.js';
import type { TextToolFormat } from '../text-tool-format.js';

/** The markers of a format, and the JSON that it accepts. */
export interface JsonListFormatOptions extends Pick<
  TextToolFormat,
  'openers' | 'lineOpeners' | 'prefixes' | 'closers' | 'artefacts' | 'turnEnds' | 'wrappers'
> {
  /** The key of the arguments that the family's template uses. Calls with the other one are read too. */
  readonly arguments?: 'arguments' | 'parameters';
  /**
   * Reads lists only, because the opener is a word of prose before an object.
   * @default false
   */
  readonly isListOnly?: boolean;
}

/**
 * Creates a format of `[{"name": …, "arguments": {…}}, …]` after a marker. The JSON determines the end of the calls, so
 * a missing or wrong closing marker is accepted. A single call without the list is accepted too.
 */
export function createJsonListFormat(
  name: string,
  { arguments: key = 'arguments', isListOnly = false, ...markers }: JsonListFormatOptions,
): TextToolFormat {
  const fields = {
    name: 'name',
    arguments: key === 'arguments' ? ['arguments', 'parameters'] : ['parameters', 'arguments'],
    id: 'id',
  };
  return {
    name,
    ...markers,
    *accepts(cursor) {
      const first = yield* cursor.peek();
      return first === '[' || (!isListOnly && first === '{');
    },
    read: (cursor, calls) => readJsonCalls(cursor, calls, { fields }),
  };
}

/** A list of calls without a marker, which counts only at the start of a response. */
export const bareListFormat: TextToolFormat = {
  name: 'bare-list',
  openers: [],
  startOpeners: ['['],
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'name', arguments: ['arguments', 'parameters'] },
      isStrict: true,
    }),
};
