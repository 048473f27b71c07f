import { type ArgumentWriter, createArgumentWriter, type ValueWriter } from '../values/argument-writer.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import { createTagGrammar, type TagGrammar } from '../tags/tag-grammar.js';
import { takesSelfClosing } from './invoke.js';
import { endsUnclosed, readTaggedValue } from '../tags/tagged-call.js';
import { readAttribute, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';

const createGrammar = (space: string): TagGrammar =>
  createTagGrammar(
    {
      parameter: `<param${space}name=`,
      parameterEnd: '</param>',
      call: `<function${space}name=`,
      callEnd: '</function>',
      readHeader: header => {
        const [, , key] = /^(["'])([^"'<>]+)\1$/.exec(header) ?? [];
        return key === undefined ? undefined : { key };
      },
    },
    { hasEntities: true },
  );

/** What the model writes between the name of a tag and its attribute: a space, nothing, or the tokenizer's glyph. */
const spaces = [' ', '', 'Ġ'];

const grammars = spaces.map(createGrammar);

const grammar: TagGrammar = {
  ...createGrammar(' '),
  *readTag(cursor) {
    for (const { readTag } of grammars) {
      const tag = yield* readTag(cursor);
      if (tag !== undefined) return tag;
    }
    return undefined;
  },
};

/** The same tags in text with glyphs of the tokenizer in place of white space. */
const glyphGrammar: TagGrammar = {
  ...grammar,
  *takeSpace(cursor) {
    return cursor.take(yield* cursor.scan(character => /[\sĠĊ]/.test(character)));
  },
};

/** Returns a writer that converts the glyphs of a tokenizer to white space. */
const withoutGlyphs = (writer: ArgumentWriter): ArgumentWriter => ({
  ...writer,
  open(key, options) {
    const value = writer.open(key, options);
    return {
      push: text => value.push(text.replaceAll('Ġ', ' ').replaceAll('Ċ', '\n')),
      end: value.end,
    };
  },
});

/**
 * `<function name="…"><param name="…">…</param></function>` for each call. A value in `<![CDATA[…]]>` is verbatim, other
 * values contain XML entities. The space in the tags may be missing, and servers leave the tokenizer's glyphs for space and
 * line break in the text. A call with the same parameter twice is ambiguous, and no call.
 */
export const minicpm: TextToolFormat = {
  name: 'minicpm',
  openers: spaces.map(space => `<function${space}name=`),
  closers: ['</function>'],
  turnEnds: ['<|im_end|>'],
  *read(cursor, calls, opener) {
    const name = yield* readAttribute(cursor);
    if (name === '') return false;
    yield* cursor.takeSpace();
    if (yield* takesSelfClosing(cursor, calls, name)) return true;
    if (!(yield* cursor.takes('>'))) return false;
    const hasGlyphs = opener.includes('Ġ') || /[ĠĊ]/.test((yield* cursor.peek()) ?? '');
    const tags = hasGlyphs ? glyphGrammar : grammar;
    const tool = calls.begin(name);
    const written = createArgumentWriter(tool, { ...tags, write: calls.input });
    const argumentWriter = hasGlyphs ? withoutGlyphs(written) : written;
    for (;;) {
      yield* tags.takeSpace(cursor);
      const tag = yield* tags.readTag(cursor);
      if (tag?.kind !== 'parameter') {
        const isClosed = tag?.kind === 'call-end' && (tag.isTruncated !== true || written.size > 0);
        if (!isClosed && !(yield* endsUnclosed(cursor, tool, written))) return false;
        if (isClosed) cursor.take(tag.length);
        argumentWriter.end();
        calls.end({ isUnclosed: !isClosed });
        return true;
      }
      if (isPrototypeKey(tag.key) || argumentWriter.has(tag.key)) return false;
      cursor.take(tag.length);
      const isRead = (yield* cursor.takes('<![CDATA['))
        ? yield* readVerbatim(cursor, argumentWriter.open(tag.key))
        : yield* readTaggedValue(cursor, { grammar: tags, argumentWriter, parameter: tag });
      if (!isRead || written.hasDuplicate) return false;
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
