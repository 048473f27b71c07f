import { readJsonCalls } from '../values/json-call.js';
import type { TagGrammar } from '../tags/tag-grammar.js';
import { readTaggedCall } from '../tags/tagged-call.js';
import { findSpaceEnd, readName, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { createPairGrammar } from './argument-pairs.js';

const MAX_SPACE = 32;
const MAX_SUFFIX = 32;

/**
 * `<tool_calls>` with one of these bodies:
 *
 * - `[{"name": …, "arguments": {…}}]` of Hunyuan A13B and Jamba
 * - `{"name": …, "arguments": {…}}` on a line for each call of MiniMax M1
 * - `<tool_call>name<tool_sep>`, pairs of `<arg_key>` and `<arg_value>`, and `</tool_call>` for each call of Hunyuan 3;
 *   Hunyuan 4 writes no `<tool_sep>`
 *
 * Tokenizers of Hunyuan append a suffix to all tags, such as `:opensource`. All tags of a list have the same one.
 */
export const callList: TextToolFormat = {
  name: 'call-list',
  openers: ['<tool_calls>', '<tool_calls:'],
  closers: ['</tool_calls>'],
  *accepts(cursor) {
    return /[[{<\w]/.test((yield* cursor.peek()) ?? '');
  },
  *read(cursor, calls, opener) {
    const suffix = yield* readSuffix(cursor, opener);
    if (suffix === undefined) return false;
    yield* cursor.takeSpace(MAX_SPACE);
    if (yield* cursor.takes(`<tool_call${suffix}>`)) return yield* readCalls(cursor, calls, suffix);
    do {
      if (!(yield* readJsonCalls(cursor, calls))) return false;
    } while (yield* takesNextObject(cursor));
    return true;
  },
};

/** Takes the white space before another object of the list. */
function* takesNextObject(cursor: TextCursor): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  if ((yield* cursor.peek(start)) !== '{') return false;
  cursor.take(start);
  return true;
}

/** The calls of Hunyuan 3 and 4 without the tags of a list. */
export const pairCall: TextToolFormat = {
  name: 'pair-call',
  openers: ['<tool_call>', '<tool_call:'],
  closers: ['</tool_call>'],
  *accepts(cursor) {
    return /[\p{L}\p{N}_]/u.test((yield* cursor.peek()) ?? '');
  },
  *read(cursor, calls, opener) {
    const suffix = yield* readSuffix(cursor, opener);
    return suffix !== undefined && (yield* readCalls(cursor, calls, suffix));
  },
};

/** Reads calls up to the end of their list, from after the first opening tag. */
function* readCalls(cursor: TextCursor, calls: TextCalls, suffix: string): Reading<boolean> {
  const grammar = createPairGrammar(name => name + suffix);
  do {
    if (!(yield* readPairs(cursor, calls, { grammar, suffix }))) return false;
  } while (yield* takesTag(cursor, `<tool_call${suffix}>`));
  yield* takesTag(cursor, `</tool_calls${suffix}>`);
  return true;
}

/** Reads one call of Hunyuan 3 or 4 after its opening tag. */
function* readPairs(
  cursor: TextCursor,
  calls: TextCalls,
  { grammar, suffix }: { grammar: TagGrammar; suffix: string },
): Reading<boolean> {
  yield* cursor.takeSpace(MAX_SPACE);
  const name = yield* readName(cursor);
  if (name === '') return false;
  const isAnyWord = !(yield* takesTag(cursor, `<tool_sep${suffix}>`));
  return yield* readTaggedCall(cursor, calls, { grammar, name, isAnyWord });
}

/** Takes the suffix of an opener that ends with its colon. Returns undefined for text that is no suffix. */
function* readSuffix(cursor: TextCursor, opener: string): Reading<string | undefined> {
  if (!opener.endsWith(':')) return '';
  const suffix = yield* cursor.look(/[\w-]/, { most: MAX_SUFFIX });
  if (suffix === '' || (yield* cursor.peek(suffix.length)) !== '>') return undefined;
  cursor.take(suffix.length + 1);
  return `:${suffix}`;
}

/** Takes a tag and the white space before it. Takes nothing if another text comes next. */
function* takesTag(cursor: TextCursor, tag: string): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  if (!(yield* cursor.sees(tag, start))) return false;
  cursor.take(start + tag.length);
  return true;
}

/** The lists of Hunyuan. After its reasoning, A13B writes the answer in `<answer>`. */
export const hunyuan: TextToolFormat = {
  ...callList,
  name: 'hunyuan',
  turnEnds: ['<|eos|>', '<|hy_eos|>'],
  wrappers: [{ open: '<answer>', close: '</answer>' }],
};
