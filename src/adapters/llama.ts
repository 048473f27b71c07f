import { readJsonCalls } from '../text-tools/json-call.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../text-tools/text-cursor.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

const fields = { name: 'name', arguments: ['parameters', 'arguments'] };

/** `<|python_tag|>{"name": …, "parameters": {…}}` of Llama 3 and 4, with semicolons between several calls. */
export const llamaFormat: TextToolFormat = {
  name: 'llama',
  openers: ['<|python_tag|>'],
  closers: ['<|eom_id|>', '<|eot_id|>', '<|eot|>'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields }))) return false;
    } while (yield* takesSeparator(cursor));
    return true;
  },
};

/** The same JSON without a marker. The first keys distinguish it from other JSON at the start of a response. */
export const bareJsonFormat: TextToolFormat = {
  name: 'bare-json',
  openers: [],
  startOpeners: ['{'],
  *read(cursor, calls) {
    do {
      if (!(yield* readJsonCalls(cursor, calls, { fields, isStrict: true }))) return false;
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

/** Llama 3 and 4 respond with the bare JSON of a call (vllm-project/vllm#46863). */
export const llama = defineModelAdapter({
  name: 'llama',
  appliesTo: matchModelName('llama', 'meta-llama'),
  middleware: textToolsMiddleware({ formats: [llamaFormat, bareJsonFormat] }),
});
