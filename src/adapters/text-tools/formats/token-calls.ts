import { findSpaceEnd, type Reading, readName, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { readCallArguments, readJsonCalls } from '../values/json-call.js';
import { takeRest } from './fenced.js';
import { createJsonListFormat } from './json-lists.js';

/**
 * `<｜tool▁calls▁begin｜>`, then `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>` for each call of
 * DeepSeek V3.1. V3 and R1 write `function` before the separator, and the name and fenced JSON after it.
 */
export const deepseek: TextToolFormat = {
  name: 'deepseek',
  openers: ['<｜tool▁call▁begin｜>'],
  prefixes: ['<｜tool▁calls▁begin｜>'],
  closers: ['<｜tool▁call▁end｜>', '<｜tool▁calls▁end｜>', '<｜end▁of▁sentence｜>'],
  // The marks around results, which the model may repeat.
  artefacts: [
    '<｜tool▁outputs▁begin｜>',
    '<｜tool▁output▁begin｜>',
    '<｜tool▁output▁end｜>',
    '<｜tool▁outputs▁end｜>',
  ],
  *read(cursor, calls) {
    let name = yield* readName(cursor);
    if (!(yield* cursor.takes('<｜tool▁sep｜>'))) return false;
    if (name !== 'function' || (yield* cursor.peek()) === '{') {
      return yield* readCallArguments(cursor, calls, { name });
    }
    name = yield* readName(cursor);
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes('```json'))) return false;
    if (!(yield* readCallArguments(cursor, calls, { name }))) return false;
    yield* cursor.takeSpace();
    return yield* cursor.takes('```');
  },
};

/**
 * `<|tool_calls_section_begin|>`, then `<|tool_call_begin|>functions.name:index<|tool_call_argument_begin|>{…}` and
 * `<|tool_call_end|>` for each call of Kimi K2. The text before the arguments is the call's id.
 *
 * @see https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
 */
export const kimi: TextToolFormat = {
  name: 'kimi',
  openers: ['<|tool_call_begin|>'],
  prefixes: ['<|tool_calls_section_begin|>'],
  closers: ['<|tool_call_end|>', '<|tool_calls_section_end|>', '<|im_end|>'],
  // Kimi K2 Thinking starts calls without closing its reasoning.
  reasoningEnders: ['<|tool_calls_section_begin|>'],
  *read(cursor, calls) {
    const id = yield* readName(cursor);
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes('<|tool_call_argument_begin|>'))) return false;
    return yield* readCallArguments(cursor, calls, { name: id, id });
  },
};

const plamoToken = (name: string): string => `<|plamo:${name}:plamo|>`;

/** A request for each call of PLaMo 3: the name, and JSON after the word `json`, each between special tokens. */
export const plamo: TextToolFormat = {
  name: 'plamo',
  openers: [plamoToken('begin_tool_name')],
  prefixes: [plamoToken('begin_tool_requests'), plamoToken('begin_tool_request')],
  closers: [
    ...['end_tool_arguments', 'end_tool_request', 'end_tool_requests'].map(plamoToken),
    '<|plamo:tag|>',
  ],
  *read(cursor, calls) {
    const name = yield* readName(cursor);
    if (!(yield* takesToken(cursor, plamoToken('end_tool_name')))) return false;
    if (!(yield* takesToken(cursor, plamoToken('begin_tool_arguments')))) return false;
    if (yield* takesToken(cursor, '<|plamo:constrain|>')) yield* takesToken(cursor, 'json');
    yield* takesToken(cursor, '<|plamo:msg|>');
    if (!(yield* readCallArguments(cursor, calls, { name }))) return false;
    yield* takesToken(cursor, plamoToken('end_tool_arguments'));
    return true;
  },
};

/** `<|tools_prefix|>[{"name": {…}}, …]<|tools_suffix|>`: the only key of an item is the name of the tool. */
export const apertus: TextToolFormat = {
  name: 'apertus',
  openers: ['<|tools_prefix|>'],
  closers: ['<|tools_suffix|>'],
  turnEnds: ['<|assistant_end|>'],
  *accepts(cursor) {
    return (yield* cursor.peek()) === '[';
  },
  *read(cursor, calls) {
    cursor.take(1);
    do {
      if (!(yield* readItem(cursor, calls))) return false;
      yield* cursor.takeSpace();
      yield* cursor.takes(';');
    } while (yield* cursor.takes(','));
    return yield* cursor.takes(']');
  },
};

function* readItem(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  if (!(yield* takesToken(cursor, '{')) || !(yield* takesToken(cursor, '"'))) return false;
  const name = yield* readName(cursor);
  if (!(yield* cursor.takes('"')) || !(yield* takesToken(cursor, ':'))) return false;
  // The call ends with its item, which has no other key.
  const isRead = yield* readCallArguments(cursor, { ...calls, end() {} }, { name, isNested: true });
  if (!isRead || !(yield* takesToken(cursor, '}'))) return false;
  calls.end();
  return true;
}

function* takesToken(cursor: TextCursor, token: string): Reading<boolean> {
  yield* cursor.takeSpace();
  return yield* cursor.takes(token);
}

const SEPARATOR = '<|message_sep|>';

/**
 * `{"name": …, "arguments": {…}}` after `<|function_call|>` of GigaChat 3.1, or after a message header of GigaChat 3.
 * Servers that drop special tokens leave `function call` at the start of a line.
 */
const gigachatCall = createJsonListFormat('gigachat', {
  openers: ['<|function_call|>', `${SEPARATOR}\n\nfunction call<|role_sep|>`],
  lineOpeners: ['function call'],
  artefacts: [SEPARATOR],
  turnEnds: ['</s>'],
  *accepts(cursor) {
    return (yield* cursor.peek()) === '{';
  },
});

/** A message has one call at most, and no text after it. */
export const gigachat: TextToolFormat = {
  ...gigachatCall,
  *read(cursor, calls, opener) {
    if (!(yield* gigachatCall.read(cursor, calls, opener))) return false;
    yield* takeRest(cursor);
    return true;
  },
};

/**
 * The four variants of `[TOOL_CALLS]`, by version of the tokenizer:
 *
 * - up to v7: `[{"name": …, "arguments": …, "id": …}]`
 * - v11: `name[CALL_ID]id[ARGS]{…}`
 * - later: `name[ARGS]{…}`
 * - servers that drop special tokens: `name{…}`
 *
 * @see https://github.com/mistralai/mistral-common
 */
export const mistral: TextToolFormat = {
  name: 'mistral',
  openers: ['[TOOL_CALLS]'],
  closers: ['</s>', '[/TOOL_CALLS]'],
  *read(cursor, calls) {
    if ((yield* takesUpToList(cursor)) || (yield* cursor.peek()) === '{') {
      const fields = { name: 'name', arguments: ['arguments'], id: 'id' };
      return yield* readJsonCalls(cursor, calls, { fields, waitsForId: true });
    }
    const name = yield* readName(cursor);
    yield* cursor.takeSpace(MAX_STRAY);
    const id = (yield* cursor.takes('[CALL_ID]')) ? yield* readName(cursor) : '';
    yield* cursor.takeSpace(MAX_STRAY);
    yield* cursor.takes('[ARGS]');
    return yield* readCallArguments(cursor, calls, { name, ...(id !== '' && { id }) });
  },
};

/** The maximum number of stray characters between the marker and a list. vLLM skips a few stray words too. */
const MAX_STRAY = 32;

/** Takes stray characters before a list of calls. Takes nothing if there is no list. */
function* takesUpToList(cursor: TextCursor): Reading<boolean> {
  const { length } = yield* cursor.look(/[^{<\n[]/, { most: MAX_STRAY });
  if ((yield* cursor.peek(length)) !== '[') return false;
  const start = yield* findSpaceEnd(cursor, { start: length + 1, most: MAX_STRAY });
  const isList = (yield* cursor.peek(start)) === '{';
  if (isList) cursor.take(length);
  return isList;
}
