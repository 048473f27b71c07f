import { createFencedFormat, readAllOrNone } from './fenced.js';
import { WORD_STARTS } from './messages.js';
import { readJsonCalls } from '../values/json-call.js';
import {
  findPythonCall,
  findPythonList,
  readPythonCalls,
  waitForPythonCalls,
} from '../values/python-call.js';
import { findSpaceEnd, MAX_SPACE, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';

/** Returns true if a list of calls or a single call without brackets comes next. */
function* seesCalls(cursor: TextCursor): Reading<boolean> {
  yield* waitForPythonCalls(cursor);
  return ((yield* findPythonList(cursor)) ?? (yield* findPythonCall(cursor))) !== undefined;
}

/** Returns true if a list comes next whose first call is of a declared tool. */
function* seesDeclaredList(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  const name = yield* findPythonList(cursor);
  return name !== undefined && calls.isDeclared(name);
}

/** `[name(key=value, …), …]` at the start of a response, without a marker. The first tool must be declared. */
export const pythonic: TextToolFormat = {
  name: 'pythonic',
  openers: [],
  startOpeners: ['['],
  closers: ['<|eot_id|>', '<|eot|>', '<|eom|>', '<end_of_turn>'],
  accepts: seesDeclaredList,
  read: (cursor, calls) => readPythonCalls(cursor, calls),
};

/** The same list between the special tokens of Llama 4. */
export const llamaPythonic: TextToolFormat = {
  name: 'llama-pythonic',
  openers: ['<|python_start|>'],
  closers: ['<|python_end|>', '<|eot|>', '<|eom|>'],
  accepts: seesCalls,
  read: (cursor, calls) => readPythonCalls(cursor, calls, '<|python_end|>'),
};

const GRANITE_END = '<|end_of_text|>';

/** A response that consists of calls of declared tools, one per line, without brackets or a marker. */
export const callLines: TextToolFormat = {
  name: 'call-lines',
  openers: [],
  startOpeners: WORD_STARTS,
  *accepts(cursor, calls) {
    const name = yield* findPythonCall(cursor);
    return name !== undefined && calls.isDeclared(name);
  },
  read: (cursor, calls) =>
    readAllOrNone(cursor, calls, {
      read: readPythonCalls,
      *ends(cursor) {
        yield* cursor.takeSpace(MAX_SPACE);
        yield* cursor.takes(GRANITE_END);
        yield* cursor.takeSpace(MAX_SPACE);
        return (yield* cursor.peek()) === undefined;
      },
    }),
};

/** `<function_calls>`, then one call per line, of OLMo 3. */
export const olmo: TextToolFormat = {
  name: 'olmo',
  openers: ['<function_calls>'],
  closers: ['</function_calls>', '<|im_end|>', '<|endoftext|>'],
  accepts: seesCalls,
  read: (cursor, calls) => readPythonCalls(cursor, calls, '</function_calls>'),
};

const LFM_END = '<|tool_call_end|>';

/** `<|tool_call_start|>[name(key=value, …)]<|tool_call_end|>` of LFM2, or JSON between the markers. */
export const lfm: TextToolFormat = {
  name: 'lfm',
  openers: ['<|tool_call_start|>'],
  closers: [LFM_END, '<|im_end|>'],
  artefacts: ['<|tool_list_start|>', '<|tool_list_end|>', '<|tool_response_start|>', '<|tool_response_end|>'],
  *read(cursor, calls, opener) {
    // Small models repeat the marker.
    yield* cursor.takes(opener);
    if (yield* seesCalls(cursor)) {
      if (!(yield* readPythonCalls(cursor, calls, LFM_END))) return false;
    } else {
      const fields = { name: 'name', arguments: ['arguments', 'parameters'] };
      if (!(yield* readJsonCalls(cursor, calls, { fields }))) return false;
      yield* cursor.takeSpace(MAX_SPACE);
      yield* cursor.takes(LFM_END);
    }
    return yield* takeEcho(cursor);
  },
};

/** Longer than most calls. Text that is held back longer is no echo. */
const MAX_ECHO = 4096;

/**
 * Takes the calls that LFM2 repeats after the end marker, up to another end marker.
 *
 * @returns false for a list that is no echo. Its bracket is taken, so that it is not read as a call.
 */
function* takeEcho(cursor: TextCursor): Reading<boolean> {
  for (;;) {
    const start = yield* findSpaceEnd(cursor);
    if ((yield* cursor.peek(start)) !== '[') return true;
    const length = yield* findEchoEnd(cursor, start);
    if (length === undefined) {
      cursor.take(start + 1);
      return false;
    }
    cursor.take(length);
  }
}

function* findEchoEnd(cursor: TextCursor, start: number): Reading<number | undefined> {
  for (let offset = start; offset < start + MAX_ECHO; offset++) {
    const character = yield* cursor.peek(offset);
    if (character === undefined) return undefined;
    if (character !== '<') continue;
    if (yield* cursor.sees(LFM_END, offset)) return offset + LFM_END.length;
    if (yield* cursor.sees('<|tool_call_start|>', offset)) return undefined;
  }
  return undefined;
}

const PRINT = 'print(';

/** A fence with one call per line, as Google's guides prompt Gemma 3. Calls may be printed. */
export const toolCode: TextToolFormat = createFencedFormat('tool-code', {
  info: 'tool_code',
  *accepts(cursor, calls, offset) {
    const isPrinted = !calls.isDeclared('print') && (yield* cursor.sees(PRINT, offset));
    const start = isPrinted ? yield* findSpaceEnd(cursor, { start: offset + PRINT.length }) : offset;
    const name = (yield* findPythonList(cursor, start)) ?? (yield* findPythonCall(cursor, start));
    return name !== undefined && calls.isDeclared(name);
  },
  read: (cursor, calls) => readPythonCalls(cursor, calls, '', calls.isDeclared('print') ? undefined : PRINT),
});
