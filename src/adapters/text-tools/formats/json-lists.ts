import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';
import { readJsonCalls } from '../values/json-call.js';

export type JsonListFormatMarkers = Omit<TextToolFormat, 'name' | 'read'>;

/**
 * Creates a format of `[{"name": …, "arguments": {…}}, …]` after a marker. The JSON determines the end of the calls, so
 * a missing or wrong closing marker is accepted. A single call without the list is accepted too, and so is `parameters`
 * in place of `arguments`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createJsonListFormat(name: string, markers: JsonListFormatMarkers): TextToolFormat {
  return {
    name,
    *accepts(cursor) {
      const first = yield* cursor.peek();
      return first === '[' || first === '{';
    },
    read: (cursor, calls) => readJsonCalls(cursor, calls),
    ...markers,
  };
}

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>` of Qwen 2.5 and 3, Hermes and Granite. */
export const hermes = createJsonListFormat('hermes', {
  openers: ['<tool_call>'],
  prefixes: ['<|im_start|>assistant'],
  // An extra brace is a common mistake of models.
  closers: ['</tool_call>', '}</tool_call>', '}\n</tool_call>', '</tool>', '</think>', '<|im_end|>'],
});

/** The format of Hermes from ERNIE 4.5 Thinking, which answers in `<response>`. */
export const ernie: TextToolFormat = {
  ...hermes,
  wrappers: [{ open: '<response>', close: '</response>' }],
};

/**
 * `<|tool_call|>[{"name": …, "arguments": {…}}]` of Granite 3, and `<function_call>{…}` for each call of Granite 20B.
 * With reasoning, Granite 3.3 writes its answer in `<response>`.
 */
export const granite = createJsonListFormat('granite', {
  openers: ['<|tool_call|>', '<function_call>'],
  closers: ['</function_call>'],
  turnEnds: ['<|end_of_text|>'],
  wrappers: [{ open: '<response>', close: '</response>' }],
});

/** `<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>` for each call. `<|interpreter|>` is code. */
export const internlm = createJsonListFormat('internlm', {
  openers: ['<|plugin|>'],
  prefixes: ['<|action_start|>'],
  closers: ['<|action_end|>'],
  turnEnds: ['<|im_end|>'],
});

/** `<TOOLCALL>[{"name": …, "arguments": "{…}"}]</TOOLCALL>`, whose arguments are often JSON in a string. */
export const nemotron = createJsonListFormat('nemotron', {
  openers: ['<TOOLCALL>'],
  closers: ['</TOOLCALL>'],
  turnEnds: ['<SPECIAL_12>'],
});

/** `functools[{"name": …, "arguments": {…}}]` at the start of a line. Before an object, the word is prose. */
export const phi = createJsonListFormat('phi', {
  openers: [],
  lineOpeners: ['functools'],
  turnEnds: ['<|end|>'],
  *accepts(cursor) {
    return (yield* cursor.peek()) === '[';
  },
});

/** `<dots_function_call>{"name": …, "arguments": {…}}</dots_function_call>` of dots. */
export const dotsJson = createJsonListFormat('dots-json', {
  openers: ['<dots_function_call>'],
  closers: ['</dots_function_call>'],
});

/** `<|tool_call_start|>[{"name": …, "arguments": {…}}]<|tool_call_end|>` of openPangu. */
export const pangu = createJsonListFormat('pangu', {
  openers: ['<|tool_call_start|>'],
  closers: ['<|tool_call_end|>'],
});

/** `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`, the form that the chat template describes. */
export const phiToken = createJsonListFormat('phi-token', {
  openers: ['<|tool_call|>'],
  closers: ['<|/tool_call|>'],
});

/** `[TOOL_CALLS][{"name": …, "arguments": {…}}]`, one of the markers that xLAM puts before its lists. */
export const xlam = createJsonListFormat('xlam', { openers: ['[TOOL_CALLS]'] });

/** `<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": {…}}]<|END_ACTION|>` of Command R7B. */
export const commandR: TextToolFormat = {
  name: 'command-r',
  openers: ['<|START_ACTION|>'],
  closers: ['<|END_ACTION|>'],
  artefacts: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
  turnEnds: ['<|END_OF_TURN_TOKEN|>'],
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'tool_name', arguments: ['parameters'], id: 'tool_call_id' },
    }),
};

/** A list of calls without a marker, which counts only at the start of a response. */
export const bareList: TextToolFormat = {
  name: 'bare-list',
  openers: [],
  startOpeners: ['['],
  read: (cursor, calls) =>
    readJsonCalls(cursor, calls, {
      fields: { name: 'name', arguments: ['arguments', 'parameters'] },
      isStrict: true,
    }),
};

const llamaFields = { name: 'name', arguments: ['parameters', 'arguments'] };

/** `<|python_tag|>{"name": …, "parameters": {…}}` of Llama 3 and 4, with semicolons between several calls. */
export const llama: TextToolFormat = {
  name: 'llama',
  openers: ['<|python_tag|>', '<|python_start|>'],
  closers: ['<|eom_id|>', '<|eot_id|>', '<|eot|>', '<|eom|>', '<|python_end|>'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields: llamaFields }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

/** The same JSON without a marker. The first keys distinguish it from other JSON at the start of a response. */
export const bareJson: TextToolFormat = {
  name: 'bare-json',
  openers: [],
  startOpeners: ['{'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields: llamaFields, isStrict: true }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

const MAX_SPACE = 8;

/** Takes a semicolon and the white space around it if another call follows. */
function* takesSeparator(cursor: TextCursor): Reading<boolean> {
  const semicolon = yield* findSpaceEnd(cursor, { start: 0, most: MAX_SPACE });
  if ((yield* cursor.peek(semicolon)) !== ';') return false;
  const next = yield* findSpaceEnd(cursor, { start: semicolon + 1, most: MAX_SPACE });
  if ((yield* cursor.peek(next)) !== '{') return false;
  cursor.take(next);
  return true;
}
