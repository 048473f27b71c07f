import { takeRest } from '../../text-tools/formats/fenced.js';
import { createJsonListFormat } from '../../text-tools/formats/json-list.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

const SEPARATOR = '<|message_sep|>';

/**
 * `{"name": …, "arguments": {…}}` after `<|function_call|>` of GigaChat 3.1, or after a message header of GigaChat 3.
 * Servers that drop special tokens leave `function call` at the start of a line.
 */
const callFormat: TextToolFormat = createJsonListFormat('gigachat', {
  openers: ['<|function_call|>', `${SEPARATOR}\n\nfunction call<|role_sep|>`],
  lineOpeners: ['function call'],
  artefacts: [SEPARATOR],
  turnEnds: ['</s>'],
});

/** A message has one call at most, and no text after it. */
export const gigachatFormat: TextToolFormat = {
  ...callFormat,
  *accepts(cursor) {
    return (yield* cursor.peek()) === '{';
  },
  *read(cursor, calls, opener) {
    if (!(yield* callFormat.read(cursor, calls, opener))) return false;
    yield* takeRest(cursor);
    return true;
  },
};

/** GigaChat 3 writes the call as a separate message after the text. */
export const gigachat = defineModelAdapter({
  name: 'gigachat',
  appliesTo: matchModelName('gigachat(?!.?(?:1|2|20b|vision|audio))'),
  middleware: textToolsMiddleware({ formats: [gigachatFormat], reasoning: [thinkTags] }),
});
