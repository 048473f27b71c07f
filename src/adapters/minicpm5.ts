import { createArgumentWriter, type ValueWriter } from '../text-tools/argument-writer.js';
import { isPrototypeKey } from '../text-tools/json-scanner.js';
import { thinkTags } from '../text-tools/reasoning.js';
import { createTagGrammar } from '../text-tools/tag-grammar.js';
import { takesSelfClosing } from '../text-tools/formats/invoke.js';
import { readTaggedValue } from '../text-tools/tagged-value.js';
import { type Reading, readName, type TextCursor } from '../text-tools/text-cursor.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from './model-adapter.js';

const grammar = createTagGrammar(
  {
    parameter: '<param name=',
    parameterEnd: '</param>',
    call: '<function name=',
    callEnd: '</function>',
    readHeader: header => {
      const [, , key] = /^(["'])([^"'<>]+)\1$/.exec(header) ?? [];
      return key === undefined ? undefined : { key };
    },
  },
  { hasEntities: true },
);

/**
 * `<function name="…"><param name="…">…</param></function>` for each call. A value in `<![CDATA[…]]>` is verbatim, other
 * values contain XML entities.
 */
export const minicpmFormat: TextToolFormat = {
  name: 'minicpm',
  openers: ['<function name="', "<function name='"],
  closers: ['</function>'],
  turnEnds: ['<|im_end|>'],
  *read(cursor, calls, opener) {
    const name = yield* readName(cursor);
    if (name === '' || !(yield* cursor.takes(opener.slice(-1)))) return false;
    yield* cursor.takeSpace();
    if (yield* takesSelfClosing(cursor, calls, name)) return true;
    if (!(yield* cursor.takes('>'))) return false;
    const argumentWriter = createArgumentWriter(calls.begin(name), { ...grammar, write: calls.input });
    for (;;) {
      yield* cursor.takeSpace();
      const tag = yield* grammar.readTag(cursor);
      if (tag?.kind !== 'parameter') {
        if (tag?.kind !== 'call-end' || tag.isTruncated === true) return false;
        cursor.take(tag.length);
        argumentWriter.end();
        calls.end();
        return true;
      }
      if (isPrototypeKey(tag.key) || argumentWriter.has(tag.key)) return false;
      cursor.take(tag.length);
      const isRead = (yield* cursor.takes('<![CDATA['))
        ? yield* readVerbatim(cursor, argumentWriter.open(tag.key))
        : yield* readTaggedValue(cursor, { grammar, argumentWriter, parameter: tag });
      if (!isRead) return false;
    }
  },
};

const CDATA_END = /\]/g;

/** Reads a verbatim value up to the closing tag of its parameter. */
function* readVerbatim(cursor: TextCursor, value: ValueWriter): Reading<boolean> {
  // The writer decodes entities.
  const push = (text: string) => value.push(text.replaceAll('&', '&amp;'));
  while (!(yield* cursor.takes(']]>'))) {
    if ((yield* cursor.peek()) === undefined) return false;
    push(cursor.take(1));
    yield* cursor.passUntil(CDATA_END, push);
  }
  value.end();
  yield* cursor.takeSpace();
  return yield* cursor.takes('</param>');
}

/** MiniCPM5 writes calls as XML. Earlier models have other formats. */
export const minicpm5 = defineModelAdapter({
  name: 'minicpm5',
  appliesTo: matchModelName('minicpm-?5'),
  middleware: textToolsMiddleware({ formats: [minicpmFormat], reasoning: [thinkTags] }),
});
