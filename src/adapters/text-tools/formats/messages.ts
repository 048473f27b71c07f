import { readReasoning } from '../parser/reasoning.js';
import { findSpaceEnd, MAX_SPACE, type Reading, readName, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { readJsonCalls } from '../values/json-call.js';
import { atem } from './invoke.js';

/** The characters with which a word may start that precedes a marker at the start of a response. */
export const WORD_STARTS: readonly string[] = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'];

const AUTHOR = /[\p{L}\p{N}_.:/-]/u;

const MODEL_MESSAGE = '<|message_model|>';
const MESSAGE_END = '<|end_message|>';
const CALL_CONTENTS = ['<|content_invoke_tool_json|>', '<|content_invoke_tool_text|>'];

const CONTENTS = [...CALL_CONTENTS, '<|content_text|>', '<|content_thinking|>', '<|content_tool_error|>'];

/** Returns true if the kind of a message's content follows, also after the name of an author. Takes nothing. */
function* seesContent(cursor: TextCursor): Reading<boolean> {
  const { length } = yield* cursor.look(AUTHOR);
  for (const content of CONTENTS) if (yield* cursor.sees(content, length)) return true;
  return false;
}

/**
 * `<|message_model|>author<|content_invoke_tool_json|>{"name": …, "args": {…}}<|end_message|>` of Inkling. The author may be
 * missing, and so is the marker of the first message, with which the prompt ends. Other contents are reasoning and text.
 */
export const inkling: TextToolFormat = {
  name: 'inkling',
  openers: [MODEL_MESSAGE, ...CALL_CONTENTS],
  startOpeners: WORD_STARTS,
  closers: [MESSAGE_END],
  artefacts: [MODEL_MESSAGE, '<|content_text|>', '<|content_tool_error|>', MESSAGE_END],
  turnEnds: ['<|content_model_end_sampling|>'],
  *accepts(cursor) {
    return (yield* cursor.sees('{')) || (yield* seesContent(cursor));
  },
  *read(cursor, calls, opener) {
    if (!CALL_CONTENTS.includes(opener)) {
      yield* readName(cursor, AUTHOR);
      const content = yield* cursor.match(CALL_CONTENTS);
      if (content === undefined) {
        calls.drop();
        return false;
      }
      cursor.take(content.length);
      yield* cursor.takeSpace(MAX_SPACE);
    }
    return yield* readJsonCalls(cursor, calls, {
      fields: { name: 'name', arguments: ['args', 'arguments'] },
    });
  },
};

const MESSAGE = '<|message|>';
const ASSISTANT = '<|start|>assistant';
const ENDS = ['<|eom|>', '<|eot|>'];

/**
 * ` to=recipient<|message|>body<|eom|>` of Muse. Messages to the user are text, those to `self` reasoning, and those to a
 * tool contain calls in `<atem:function_calls>`. The first message has no `<|start|>assistant`, with which the prompt ends.
 */
export const muse: TextToolFormat = {
  name: 'muse',
  openers: [ASSISTANT],
  startOpeners: [' to=', 'to='],
  closers: [...(atem.closers ?? []), ...ENDS],
  artefacts: [ASSISTANT, ...ENDS],
  isMessageMarkup: true,
  *accepts(cursor) {
    return (yield* findRecipient(cursor)) !== undefined;
  },
  *read(cursor, calls) {
    const recipient = (yield* findRecipient(cursor)) ?? '';
    yield* cursor.takeSpace();
    cursor.take(`to=${recipient}${MESSAGE}`.length);
    if (recipient !== 'user' && recipient !== 'self') return yield* readInvokes(cursor, calls);
    calls.drop();
    if (recipient === 'self') {
      yield* readReasoning(cursor, '<|eom|>', ['<|eot|>', '<|start|>'], calls.reasoning);
      calls.drop();
    }
    return false;
  },
};

/** Returns the recipient of a message. Takes nothing. */
function* findRecipient(cursor: TextCursor): Reading<string | undefined> {
  const start = yield* findSpaceEnd(cursor, { start: 0, most: 1 });
  if (!(yield* cursor.sees('to=', start))) return undefined;
  const recipient = yield* cursor.look(/[^\s<]/, { start: start + 3 });
  return (yield* cursor.sees(MESSAGE, start + 3 + recipient.length)) ? recipient : undefined;
}

function* readInvokes(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  const starts = [...atem.openers, ...(atem.prefixes ?? [])];
  let isRead = false;
  for (;;) {
    const space = yield* findSpaceEnd(cursor);
    let start: string | undefined;
    for (const marker of starts) if (yield* cursor.sees(marker, space)) start = marker;
    if (start === undefined) return isRead;
    cursor.take(space + start.length);
    if (!atem.openers.includes(start)) continue;
    if (!(yield* atem.read(cursor, calls, start))) return false;
    isRead = true;
  }
}
