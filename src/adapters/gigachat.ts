import { createJsonListFormat } from '../text-tools/formats/json-list.js';
import { thinkTags } from '../text-tools/reasoning.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

const SEPARATOR = '<|message_sep|>';

/**
 * `{"name": …, "arguments": {…}}` after `<|function_call|>` of GigaChat 3.1, or after a message header of GigaChat 3.
 * Servers that drop special tokens leave `function call` at the start of a line.
 */
export const gigachatFormat: TextToolFormat = createJsonListFormat('gigachat', {
  openers: ['<|function_call|>', `${SEPARATOR}\n\nfunction call<|role_sep|>`],
  lineOpeners: ['function call'],
  artefacts: [SEPARATOR],
  turnEnds: ['</s>'],
});

/** GigaChat 3 writes the call as a separate message after the text. */
export const gigachat = defineModelAdapter({
  name: 'gigachat',
  appliesTo: matchModelName('gigachat(?!.?(?:1|2|20b|vision|audio))'),
  middleware: textToolsMiddleware({ formats: [gigachatFormat], reasoning: [thinkTags] }),
});
