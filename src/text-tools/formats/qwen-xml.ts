import { readCallArguments } from '../read-call-arguments.js';
import { readKeyTag } from '../read-key-tag.js';
import { readName } from '../read-name.js';
import { readTaggedCall } from '../tagged-call.js';
import { createTagGrammar, type TagGrammar } from '../tag-grammar.js';
import type { Reading, TextCursor } from '../text-cursor.js';
import type { TextCalls, TextToolFormat } from '../text-tool-format.js';

/**
 * `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>`, as Qwen3-Coder and Nemotron 3
 * Nano write it, with line breaks around the values.
 */
export const qwenXmlFormat: TextToolFormat = createFunctionFormat('qwen-xml', {
  open: '<tool_call>',
  close: '</tool_call>',
  trims: true,
});

/** The same in `<seed:tool_call>`, with values that keep their line breaks, as Seed-OSS writes it. */
export const seedFormat: TextToolFormat = createFunctionFormat('seed', {
  open: '<seed:tool_call>',
  close: '</seed:tool_call>',
  trims: false,
});

function createFunctionFormat(
  name: string,
  { open, close, trims }: { open: string; close: string; trims: boolean },
): TextToolFormat {
  const grammar = createTagGrammar(
    {
      parameter: '<parameter=',
      parameterEnd: '</parameter>',
      call: '<function=',
      callEnd: '</function>',
      lists: [open],
      listEnds: [close],
    },
    { trims },
  );
  const nameless: TagGrammar = {
    ...grammar,
    *readTag(cursor) {
      return (yield* readKeyTag(cursor, namelessTag)) ?? (yield* grammar.readTag(cursor));
    },
  };

  /** Reads on behind the name. */
  function* readBody(cursor: TextCursor, calls: TextCalls, tool: string): Reading<boolean> {
    yield* cursor.takeSpace(MAX_SPACE);
    // Llama 3.1 puts JSON between the tags.
    if ((yield* cursor.peek()) === '{') return yield* readCallArguments(cursor, calls, { name: tool });
    const isNameless = yield* cursor.sees(namelessTag.open);
    return yield* readTaggedCall(cursor, calls, { grammar: isNameless ? nameless : grammar, name: tool });
  }

  return {
    name,
    // Small models lose the bracket before a name, or the name's place within the bracket.
    openers: ['<function=', `${open}function=`, `${open}\nfunction=`, '<function>'],
    prefixes: [open, '<|im_start|>assistant'],
    closers: ['</function>', close, '<|im_end|>'],
    *read(cursor, calls, opener) {
      const tool = yield* readName(cursor);
      yield* cursor.takeSpace(MAX_SPACE);
      if (tool === '' || !(yield* cursor.takes(opener === '<function>' ? '</function>' : '>'))) return false;
      return yield* readBody(cursor, calls, tool);
    },
  };
}

const MAX_SPACE = 32;

/** `<parameter>key</parameter>`, and the value on the next line. */
const namelessTag = { open: '<parameter>', close: '</parameter>' };
