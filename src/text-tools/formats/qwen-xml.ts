import type { Trim } from '../values/argument-writer.js';
import { readCallArguments } from '../values/json-call.js';
import { createTagGrammar, readKeyTag, type TagGrammar } from '../tags/tag-grammar.js';
import { readTaggedCall } from '../tags/tagged-call.js';
import { type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { readAttribute, takesSelfClosing } from './invoke.js';

interface FunctionTags {
  readonly open: string;
  readonly close: string;
  readonly trims: Trim;
}

const createFunctionGrammar = ({ open, close, trims }: FunctionTags): TagGrammar =>
  createTagGrammar(
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

/** Creates a format of `<function=name><parameter=key>value</parameter></function>` calls in a pair of tags. */
function createFunctionFormat(name: string, { open, close, trims }: FunctionTags): TextToolFormat {
  const grammar = createFunctionGrammar({ open, close, trims });
  const nameless: TagGrammar = {
    ...grammar,
    *readTag(cursor) {
      return (yield* readKeyTag(cursor, namelessTag)) ?? (yield* grammar.readTag(cursor));
    },
  };

  /** Reads the call after its name. */
  function* readBody(cursor: TextCursor, calls: TextCalls, tool: string): Reading<boolean> {
    yield* cursor.takeSpace(MAX_SPACE);
    // Llama 3.1 writes JSON between the tags.
    if ((yield* cursor.peek()) === '{') return yield* readCallArguments(cursor, calls, { name: tool });
    const isNameless = yield* cursor.sees(namelessTag.open);
    return yield* readTaggedCall(cursor, calls, { grammar: isNameless ? nameless : grammar, name: tool });
  }

  return {
    name,
    // Small models omit the bracket before a name, or close it before the name.
    openers: ['<function=', `${open}function=`, `${open}\nfunction=`, '<function>'],
    prefixes: [open, '<|im_start|>assistant'],
    closers: ['</function>', close, '<|im_end|>'],
    *read(cursor, calls, opener) {
      const tool = yield* readAttribute(cursor);
      yield* cursor.takeSpace(MAX_SPACE);
      if (tool !== '' && (yield* takesSelfClosing(cursor, calls, tool))) return true;
      if (tool === '' || !(yield* cursor.takes(opener === '<function>' ? '</function>' : '>'))) return false;
      return yield* readBody(cursor, calls, tool);
    },
  };
}

const MAX_SPACE = 32;

/** `<parameter>key</parameter>` with the value on the next line. */
const namelessTag = { open: '<parameter>', close: '</parameter>' };

/**
 * `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>` of Qwen3-Coder and Nemotron 3
 * Nano, with line breaks around the values.
 */
export const qwenXml: TextToolFormat = createFunctionFormat('qwen-xml', {
  open: '<tool_call>',
  close: '</tool_call>',
  trims: true,
});

const qwenGrammar = createFunctionGrammar({ open: '<tool_call>', close: '</tool_call>', trims: true });

/** The parameters of a call whose function is missing, so that no tool is meant. */
export const bareParameterFormat: TextToolFormat = {
  name: 'bare-parameter',
  openers: ['<tool_call>'],
  closers: ['</tool_call>'],
  accepts: cursor => cursor.sees('<parameter='),
  read: (cursor, calls) => readTaggedCall(cursor, calls, { grammar: qwenGrammar, name: '' }),
};

/** The format of Qwen3-Coder with the values between the tags. A line break on one side only belongs to the value. */
export const mimo = createFunctionFormat('mimo', {
  open: '<tool_call>',
  close: '</tool_call>',
  trims: 'pair',
});

/** The format of Qwen3-Coder in `<seed:tool_call>`. Values keep the line breaks around them. */
export const seed = createFunctionFormat('seed', {
  open: '<seed:tool_call>',
  close: '</seed:tool_call>',
  trims: false,
});
