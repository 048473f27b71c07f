import { readCallArguments } from '../read-call-arguments.js';
import { readName } from '../read-name.js';
import type { TextToolFormat } from '../text-tool-format.js';

/**
 * `<｜tool▁calls▁begin｜>` and, for each call, `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`, as
 * DeepSeek V3.1 writes it. V3 and R1 put `function` before, and the name and fenced JSON behind the separator.
 */
export const deepseekFormat: TextToolFormat = {
  name: 'deepseek',
  openers: ['<｜tool▁call▁begin｜>'],
  prefixes: ['<｜tool▁calls▁begin｜>'],
  closers: ['<｜tool▁call▁end｜>', '<｜tool▁calls▁end｜>', '<｜end▁of▁sentence｜>'],
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
