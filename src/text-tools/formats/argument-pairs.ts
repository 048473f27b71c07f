import { findSpaceEnd, type Reading, readName, type TextCursor } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';
import { readJsonCalls } from '../values/json-call.js';
import { createTagGrammar, readKeyTag, type TagGrammar } from '../tags/tag-grammar.js';
import { readTaggedCall } from '../tags/tagged-call.js';

/**
 * Creates a grammar of `<arg_key>key</arg_key><arg_value>value</arg_value>` pairs in the tags of a call.
 *
 * @param tagOf Returns the name of a tag as the family writes it, with a prefix or suffix.
 */
export function createPairGrammar(
  tagOf: (name: 'tool_call' | 'tool_calls' | 'arg_key' | 'arg_value') => string,
): TagGrammar {
  const open = (name: Parameters<typeof tagOf>[0]) => `<${tagOf(name)}>`;
  const close = (name: Parameters<typeof tagOf>[0]) => `</${tagOf(name)}>`;
  const tags = createTagGrammar({
    parameter: open('arg_key'),
    parameterEnd: close('arg_value'),
    call: open('tool_call'),
    callEnd: close('tool_call'),
    lists: [open('tool_calls')],
    listEnds: [close('tool_calls')],
  });
  const keyTag = { open: open('arg_key'), close: close('arg_key'), valueOpen: open('arg_value') };
  return {
    ...tags,
    *readTag(cursor) {
      return (yield* readKeyTag(cursor, keyTag)) ?? (yield* tags.readTag(cursor));
    },
  };
}

const longcatGrammar = createPairGrammar(tag => `longcat_${tag}`);

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
      return yield* readJsonCalls(cursor, calls);
    }
    const name = yield* readName(cursor);
    return yield* readTaggedCall(cursor, calls, { grammar: longcatGrammar, name, isAnyWord: true });
  },
};

const glmTags = createTagGrammar({
  parameter: '<arg_key>',
  parameterEnd: '</arg_value>',
  call: '<tool_call>',
  callEnd: '</tool_call>',
});

const glmKeyTag = {
  open: '<arg_key>',
  close: '</arg_key>',
  valueOpen: '<arg_value>',
  findSpaceEnd: findEscapedSpaceEnd,
};

const glmGrammar: TagGrammar = {
  ...glmTags,
  *readTag(cursor) {
    return (yield* readKeyTag(cursor, glmKeyTag)) ?? (yield* glmTags.readTag(cursor));
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
      grammar: glmGrammar,
      name: name.replace(/(?:\\n)+$/, ''),
      isAnyWord: true,
    });
  },
};
