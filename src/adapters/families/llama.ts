import { llamaPythonicFormat, pythonicFormat } from '../../text-tools/formats/pythonic.js';
import { readJsonCalls } from '../../text-tools/values/json-call.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { cogito } from './cogito.js';
import { defineModelAdapter, matchModelName, unlessOf } from '../model-adapter.js';
import { nemotron } from './nemotron.js';
import { xlam } from './xlam.js';

const fields = { name: 'name', arguments: ['parameters', 'arguments'] };

/** `<|python_tag|>{"name": …, "parameters": {…}}` of Llama 3 and 4, with semicolons between several calls. */
export const llamaFormat: TextToolFormat = {
  name: 'llama',
  openers: ['<|python_tag|>', '<|python_start|>'],
  closers: ['<|eom_id|>', '<|eot_id|>', '<|eot|>', '<|eom|>', '<|python_end|>'],
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

/**
 * Llama 3 and 4 respond with the bare JSON of a call (vllm-project/vllm#46863). Llama 4, small models of Llama 3.2 and
 * ToolACE also write a list of Python calls.
 */
export const llama = defineModelAdapter({
  name: 'llama',
  appliesTo: unlessOf(matchModelName('llama', 'meta-llama', 'toolace'), cogito, nemotron, xlam),
  middleware: textToolsMiddleware({
    formats: [llamaPythonicFormat, llamaFormat, bareJsonFormat, pythonicFormat],
  }),
});
