import { readName } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';
import { readGemmaCall } from '../values/gemma-call.js';
import { readCallArguments, readJsonCalls } from '../values/json-call.js';

const GEMMA_4 = {
  delimiter: '<|"|>',
  closer: '<tool_call|>',
  followers: ['<|tool_call>', '<turn|>', '<|tool_response>'],
};

/** `<|tool_call>call:name{key:<|"|>text<|"|>,key:3}<tool_call|>` of Gemma 4. */
export const gemma4: TextToolFormat = {
  name: 'gemma4',
  openers: ['<|tool_call>'],
  closers: ['<tool_call|>', '<turn|>', '<|tool_response>'],
  turnEnds: ['<turn|>'],
  artefacts: ['<channel|>', '<|channel>', '<|channel>thought\n<channel|>'],
  read: (cursor, calls) => readGemmaCall(cursor, calls, GEMMA_4),
};

/** `<start_function_call>call:name{key:<escape>text<escape>}<end_function_call>` of FunctionGemma. */
export const functionGemma: TextToolFormat = {
  name: 'functiongemma',
  openers: ['<start_function_call>'],
  closers: ['<end_function_call>', '<start_function_response>', '<end_of_turn>'],
  turnEnds: ['<end_of_turn>'],
  read: (cursor, calls) =>
    readGemmaCall(cursor, calls, {
      delimiter: '<escape>',
      closer: '<end_function_call>',
      followers: ['<start_function_call>', '<end_of_turn>', '<start_function_response>'],
    }),
};

/**
 * `call:name{key:value}` of servers that drop special tokens. It counts only at the start of a line, for declared
 * tools.
 */
export const gemmaCall: TextToolFormat = {
  name: 'gemma-call',
  openers: ['\ncall:'],
  startOpeners: ['call:'],
  *accepts(cursor, calls) {
    const start = (yield* cursor.sees('call:')) ? 'call:'.length : 0;
    const name = yield* cursor.look(/[-.:\w$\u0080-\uffff]/, { start });
    return /[{(]/.test((yield* cursor.peek(start + name.length)) ?? '') && calls.isDeclared(name);
  },
  read: (cursor, calls) => readGemmaCall(cursor, calls, GEMMA_4),
};

const THOUGHT = 'thought\n';
const THOUGHT_END = '<channel|>';

/**
 * Reasoning whose opening token is missing: `thought`, a line break, and text up to the closing token. The word may also
 * start an answer, so the text is held back until the token has arrived.
 */
export const gemmaThought: TextToolFormat = {
  name: 'gemma-thought',
  openers: [],
  startOpeners: [THOUGHT],
  isMessageMarkup: true,
  *read(cursor, calls) {
    cursor.take(THOUGHT.length);
    let text = '';
    for (;;) {
      yield* cursor.passUntil(TOKEN_START, plain => void (text += plain));
      const token = yield* cursor.match([THOUGHT_END, '<|tool_call>']);
      if (token === THOUGHT_END) break;
      if (token !== undefined || (yield* cursor.peek()) === undefined) return false;
      text += cursor.take(1);
    }
    cursor.take(THOUGHT_END.length);
    if (text.trim() !== '') calls.reasoning(text.trim());
    calls.drop();
    return false;
  },
};

const TOKEN_START = /</g;

/**
 * `[TOOL_REQUEST]name {…}[TOOL_REQUEST_END]`, or with `{"name": …, "arguments": …}` inside. The system prompt of the
 * server asks for this format.
 */
export const toolRequest: TextToolFormat = {
  name: 'tool-request',
  openers: ['[TOOL_REQUEST]'],
  closers: ['[TOOL_REQUEST_END]', '[END_TOOL_REQUEST]', '<end_of_turn>'],
  *read(cursor, calls) {
    if ((yield* cursor.peek()) === '{') {
      return yield* readJsonCalls(cursor, calls, { fields: { name: 'name', arguments: ['arguments'] } });
    }
    return yield* readCallArguments(cursor, calls, { name: yield* readName(cursor) });
  },
};
