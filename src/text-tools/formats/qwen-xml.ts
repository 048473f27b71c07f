import { readTaggedCall } from '../read-tagged-call.js';
import { readName } from '../read-name.js';
import { createTagGrammar } from '../tag-grammar.js';
import type { TextToolFormat } from '../text-tool-format.js';

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
  return {
    name,
    openers: ['<function='],
    prefixes: [open, '<|im_start|>assistant'],
    closers: [close, '<|im_end|>'],
    *read(cursor, calls) {
      const tool = yield* readName(cursor);
      if (tool === '' || !(yield* cursor.takes('>'))) return false;
      return yield* readTaggedCall(cursor, calls, { grammar, name: tool });
    },
  };
}
