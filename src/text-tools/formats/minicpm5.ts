import { createTagGrammar, type TagGrammar } from '../tags/tag-grammar.js';
import { readAttribute, takesSelfClosing } from './invoke.js';
import { readTaggedCall } from '../tags/tagged-call.js';
import type { TextToolFormat } from '../reading/text-tool-format.js';

/** What the model writes between the name of a tag and its attribute: a space, nothing, or the tokenizer's glyph. */
const spaces = [' ', '', 'Ġ'];

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

const grammars = spaces.map(createGrammar);

const grammar: TagGrammar = {
  ...createGrammar(' '),
  isStrict: true,
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
  toText: text => text.replaceAll('Ġ', ' ').replaceAll('Ċ', '\n'),
};

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
    return yield* readTaggedCall(cursor, calls, { grammar: hasGlyphs ? glyphGrammar : grammar, name });
  },
};
