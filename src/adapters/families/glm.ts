import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { createTagGrammar, readKeyTag, type TagGrammar } from '../../text-tools/parser/tag-grammar.js';
import { readTaggedCall } from '../../text-tools/values/tagged-call.js';
import {
  findSpaceEnd,
  type Reading,
  readName,
  type TextCursor,
} from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

const tags = createTagGrammar({
  parameter: '<arg_key>',
  parameterEnd: '</arg_value>',
  call: '<tool_call>',
  callEnd: '</tool_call>',
});

const keyTag = {
  open: '<arg_key>',
  close: '</arg_key>',
  valueOpen: '<arg_value>',
  findSpaceEnd: findEscapedSpaceEnd,
};

const grammar: TagGrammar = {
  ...tags,
  *readTag(cursor) {
    return (yield* readKeyTag(cursor, keyTag)) ?? (yield* tags.readTag(cursor));
  },
  *takeSpace(cursor) {
    let space = '';
    for (;;) {
      const next = (yield* cursor.takeSpace()) + ((yield* cursor.takes(ESCAPED_BREAK)) ? ESCAPED_BREAK : '');
      if (next === '') return space;
      space += next;
    }
  },
};

/** A line break between tags that some servers leave escaped. */
const ESCAPED_BREAK = String.raw`\n`;

/** The maximum white space between a key and its value. */
const MAX_SPACE = 32;

/** Returns the offset after white space and escaped line breaks. */
function* findEscapedSpaceEnd(cursor: TextCursor, start: number): Reading<number> {
  for (let end = start; ; end += ESCAPED_BREAK.length) {
    end = yield* findSpaceEnd(cursor, { start: end, most: MAX_SPACE });
    if (end > start + MAX_SPACE || !(yield* cursor.sees(ESCAPED_BREAK, end))) return end;
  }
}

/**
 * `<tool_call>name`, then `<arg_key>key</arg_key>` and `<arg_value>value</arg_value>` for each argument, and
 * `</tool_call>`.
 */
export const glmFormat: TextToolFormat = {
  name: 'glm',
  openers: ['<tool_call>'],
  closers: ['</tool_call>', '<|observation|>', '<|user|>'],
  *accepts(cursor) {
    const character = yield* cursor.peek();
    return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  },
  *read(cursor, calls) {
    const name = yield* readName(cursor);
    return yield* readTaggedCall(cursor, calls, {
      grammar,
      name: name.replace(/(?:\\n)+$/, ''),
      isAnyWord: true,
    });
  },
};

/** GLM 4.5 and later write calls as pairs of `<arg_key>` and `<arg_value>`, or in the format of the system prompt. */
export const glm = defineModelAdapter({
  name: 'glm',
  appliesTo: matchModelName('glm', 'chatglm'),
  middleware: textToolsMiddleware({
    formats: [hermesFormat, qwenXmlFormat, glmFormat],
    reasoning: [thinkTags],
    // The chat templates since GLM 4.7 end in `<think>`.
    startsInReasoning: modelId => /glm-?(?:4\.[7-9]|[5-9])(?![\db])/i.test(modelId),
  }),
});
