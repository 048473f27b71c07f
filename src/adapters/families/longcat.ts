import { createPairGrammar } from '../../text-tools/formats/argument-pairs.js';
import { readJsonCalls } from '../../text-tools/values/json-call.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { readTaggedCall } from '../../text-tools/values/tagged-call.js';
import { readName } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

const grammar = createPairGrammar(tag => `longcat_${tag}`);

/**
 * `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>`, or the name of the tool and a
 * `<longcat_arg_key>` and `<longcat_arg_value>` for each argument between the same tags.
 */
export const longcatFormat: TextToolFormat = {
  name: 'longcat',
  openers: ['<longcat_tool_call>'],
  closers: ['</longcat_tool_call>'],
  turnEnds: ['</longcat_s>'],
  *accepts(cursor) {
    const first = yield* cursor.peek();
    return first !== undefined && /[[{\p{L}\p{N}_]/u.test(first);
  },
  *read(cursor, calls) {
    const first = yield* cursor.peek();
    if (first === '{' || first === '[') {
      const fields = { name: 'name', arguments: ['arguments', 'parameters'], id: 'id' };
      return yield* readJsonCalls(cursor, calls, { fields });
    }
    const name = yield* readName(cursor);
    return yield* readTaggedCall(cursor, calls, { grammar, name, isAnyWord: true });
  },
};

/** The reasoning tags of LongCat-Flash-Thinking. */
const longcatThinkTags = { open: '<longcat_think>', close: '</longcat_think>' };

/** LongCat writes calls in `<longcat_tool_call>`, with JSON or with pairs of keys and values. */
export const longcat = defineModelAdapter({
  name: 'longcat',
  appliesTo: matchModelName('longcat(?!.?(?:video|audio|image|avatar))'),
  middleware: textToolsMiddleware({ formats: [longcatFormat], reasoning: [longcatThinkTags, thinkTags] }),
});
