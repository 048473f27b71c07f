import type { Trim } from '../values/argument-writer.js';
import { readCallArguments } from '../values/json-call.js';
import { BAR, createTagGrammar, readHeader, type TagGrammar } from '../tags/tag-grammar.js';
import { readTaggedCall } from '../tags/tagged-call.js';
import {
  findSpaceEnd,
  MAX_NAME,
  MAX_SPACE,
  type Reading,
  readName,
  type TextCursor,
} from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';

/** The variations of the `<invoke>` format. */
export interface InvokeFormatOptions {
  /** The names of the tags around a list of calls. */
  readonly lists: readonly string[];
  /** A prefix of all tag names. */
  readonly tagPrefix?: string;
  /** White space before a list that belongs to it. */
  readonly leads?: readonly string[];
  readonly closers?: readonly string[];
  readonly artefacts?: readonly string[];
  readonly reasoningEnders?: readonly string[];
  /** Markers before a call or a list of calls. */
  readonly prefixes?: readonly string[];
  /** The white space around a value that belongs to its tags. */
  readonly trims?: Trim;
  /** Decodes XML entities in values. */
  readonly hasEntities?: boolean;
}

const toInvokeTags = (prefix: string, lists: readonly string[]) => ({
  parameter: `<${prefix}parameter name=`,
  parameterEnd: `</${prefix}parameter>`,
  call: `<${prefix}invoke name=`,
  callEnd: `</${prefix}invoke>`,
  lists: lists.map(list => `<${prefix}${list}>`),
  listEnds: lists.map(list => `</${prefix}${list}>`),
});

/**
 * Creates a format of `<invoke name="…"><parameter name="…">…</parameter></invoke>` calls in a list. A call may contain
 * its arguments as a JSON object instead, and a call without arguments may close itself.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createInvokeFormat(
  name: string,
  {
    lists,
    tagPrefix = '',
    leads = [],
    prefixes = [],
    closers = [],
    trims,
    hasEntities,
    ...others
  }: InvokeFormatOptions,
): TextToolFormat {
  const tags = toInvokeTags(tagPrefix, lists);
  const grammar = createTagGrammar(tags, { trims, hasEntities });
  function* readJsonBody(cursor: TextCursor, calls: TextCalls, tool: string): Reading<boolean> {
    if (!(yield* readCallArguments(cursor, calls, { name: tool }))) return false;
    yield* cursor.takeSpace(MAX_SPACE);
    yield* cursor.takes(tags.callEnd);
    return true;
  }

  return {
    name,
    openers: [tags.call],
    prefixes: [...prefixes, ...['', ...leads].flatMap(lead => tags.lists.map(tag => lead + tag))],
    closers: [...tags.listEnds, ...closers],
    ...others,
    *read(cursor, calls) {
      const tool = (yield* readAttribute(cursor)).trim();
      if (tool === '') return false;
      yield* cursor.takeSpace(MAX_SPACE);
      if (yield* takesSelfClosing(cursor, calls, tool)) return true;
      if (!(yield* cursor.takes('>'))) return false;
      yield* cursor.takeSpace();
      return (yield* cursor.peek()) === '{'
        ? yield* readJsonBody(cursor, calls, tool)
        : yield* readTaggedCall(cursor, calls, { grammar, name: tool });
    },
  };
}

/** Takes a name, which may be in quotes. Returns an empty string if there is none. */
export function* readAttribute(cursor: TextCursor): Reading<string> {
  const quote = yield* cursor.peek();
  if (quote !== '"' && quote !== "'") return yield* readName(cursor);
  const isPart = (character: string, offset: number) =>
    offset < MAX_NAME && character !== quote && character !== '\n';
  const end = yield* cursor.scan(isPart, 1);
  return end < MAX_NAME && (yield* cursor.peek(end)) === quote ? cursor.take(end + 1).slice(1, -1) : '';
}

/** Reads the end of a tag that is a whole call, such as `<invoke name="ping"/>`. */
export function* takesSelfClosing(cursor: TextCursor, calls: TextCalls, name: string): Reading<boolean> {
  const isClosed = name.endsWith('/') ? yield* cursor.takes('>') : yield* cursor.takes('/>');
  if (!isClosed) return false;
  calls.begin(name.replace(/\/$/, ''));
  calls.end();
  return true;
}

/** Claude's `<invoke>` calls in `<function_calls>`, with markup characters escaped as entities. */
export const claude = createInvokeFormat('claude', {
  lists: ['function_calls', 'antml:function_calls'],
  hasEntities: true,
});

/** The names of the tags around the calls of DeepSeek. */
const dsmlLists = ['function_calls', 'tool_calls', 'calls'];

/**
 * `<｜DSML｜invoke name="…">` of DeepSeek V3.2 and V4. The attribute `string` distinguishes strings from JSON. Blank
 * lines before a list belong to it, and V4 starts calls without closing its reasoning.
 */
export const dsml = createInvokeFormat('dsml', {
  tagPrefix: '｜DSML｜',
  lists: dsmlLists,
  leads: ['\n\n', '\n'],
  reasoningEnders: ['<｜DSML｜tool_calls>'],
  closers: ['<｜end▁of▁sentence｜>'],
});

/** DSML with a space after the prefix of each tag, as DeepSeek V4.1 writes it. */
export const spacedDsml = createInvokeFormat('spaced-dsml', {
  tagPrefix: '｜DSML｜ ',
  lists: dsmlLists,
  leads: ['\n\n', '\n'],
  reasoningEnders: ['<｜DSML｜ calls>', '<｜DSML｜ tool_calls>'],
  closers: ['<｜end▁of▁sentence｜>'],
});

/** The first bars of the prefix in the forms that models write. */
const BARS = ['｜', '|', '‖', '¦', '∣', '｜｜', '||'];

const VARIANT = new RegExp(`^(/?)(${BAR}+DSML${BAR}+\\s?)(\\w+)(.*)$`, 'i');

/** Returns a tag with any bars at the position. Takes nothing. */
function* readVariantTag(cursor: TextCursor) {
  const text = yield* cursor.look(/[^<>\n]/, { start: 1, most: MAX_VARIANT });
  if ((yield* cursor.peek()) !== '<' || (yield* cursor.peek(text.length + 1)) !== '>') return undefined;
  const [, slash, prefix = '', name = '', header = ''] = VARIANT.exec(text) ?? [];
  return name === ''
    ? undefined
    : { isClosing: slash === '/', prefix, name, header, length: text.length + 2 };
}

const MAX_VARIANT = 200;

/**
 * DSML with bars of another form in its tags, such as `<|DSML|invoke …>` and `<｜｜DSML｜｜invoke …>`, for declared tools
 * (https://github.com/cline/cline/issues/13348, https://github.com/lsdefine/GenericAgent/issues/804,
 * https://github.com/xorbitsai/xagent/issues/790).
 */
export const dsmlVariants: TextToolFormat = {
  name: 'dsml-variants',
  openers: BARS.map(bar => `<${bar}DSML`),
  readsOpener: true,
  reasoningEnders: BARS.flatMap(bar => dsmlLists.map(list => `<${bar}DSML${bar}${list}>`)),
  closers: [
    '<｜end▁of▁sentence｜>',
    ...BARS.flatMap(bar => dsmlLists.map(list => `</${bar}DSML${bar}${list}>`)),
  ],
  *accepts(cursor) {
    const tag = yield* readVariantTag(cursor);
    return tag?.isClosing === false && (tag.name === 'invoke' || dsmlLists.includes(tag.name));
  },
  *read(cursor, calls) {
    for (let count = 0; ; count++) {
      yield* cursor.takeSpace();
      const tag = yield* readVariantTag(cursor);
      if (tag !== undefined && dsmlLists.includes(tag.name)) {
        cursor.take(tag.length);
        if (tag.isClosing) return count > 1;
        continue;
      }
      if (tag?.name !== 'invoke' || tag.isClosing) return count > 1;
      cursor.take(tag.length);
      const header = readHeader(tag.header, true);
      if (header === undefined || !calls.isDeclared(header.key)) return false;
      // The tags have the prefix as it is written.
      const grammar = createTagGrammar(toInvokeTags(tag.prefix, dsmlLists));
      if (!(yield* readTaggedCall(cursor, calls, { grammar, name: header.key }))) return false;
      if ((yield* cursor.peek()) === undefined) return true;
    }
  },
};

/** DSML of GigaChat 3.5, under another name. */
export const gcml = createInvokeFormat('gcml', { tagPrefix: '｜GCML｜', lists: ['tool_calls'] });

/** `<invoke>` calls in `<dots_function_call>` of dots. */
export const dots = createInvokeFormat('dots', { lists: ['dots_function_call'] });

/** `<atem:invoke>` calls in the messages of Muse. White space is part of a value. */
export const atem = createInvokeFormat('atem', { tagPrefix: 'atem:', lists: ['function_calls'] });

/** `<invoke>` calls in `<minimax:tool_call>` of MiniMax M2. A line break on one side of a value belongs to it. */
export const minimax = createInvokeFormat('minimax', {
  lists: ['minimax:tool_call'],
  trims: 'pair',
  closers: ['[e~['],
});

/**
 * `<｜tool_calls_begin｜>`, then `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="…">` for each call of
 * Step 3. The tokens look like those of DeepSeek, with `_` instead of `▁`.
 */
export const step3 = createInvokeFormat('step3', {
  tagPrefix: 'steptml:',
  lists: [],
  prefixes: [
    '<｜tool_calls_begin｜>',
    '<｜tool_call_begin｜>',
    '<｜tool_call_begin｜>function<｜tool_sep｜>',
  ],
  closers: ['</steptml:invoke>', '<｜tool_call_end｜>', '<｜tool_calls_end｜>', '<|im_end|>'],
  trims: 'space',
});

/** What the model writes between the name of a tag and its attribute: a space, nothing, or the tokenizer's glyph. */
const spaces = [' ', '', 'Ġ'];

const grammar: TagGrammar = {
  ...createTagGrammar(
    {
      parameter: '<param name=',
      parameterEnd: '</param>',
      call: '<function name=',
      callEnd: '</function>',
    },
    { hasEntities: true },
  ),
  hasCdata: true,
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

interface FunctionTags {
  readonly open: string;
  readonly close: string;
  readonly trims: Trim;
}

const createFunctionGrammar = (tags: FunctionTags): TagGrammar =>
  createTagGrammar(
    {
      parameter: '<parameter=',
      parameterEnd: '</parameter>',
      call: '<function=',
      callEnd: '</function>',
      lists: [tags.open],
      listEnds: [tags.close],
    },
    { trims: tags.trims },
  );

/** Creates a format of `<function=name><parameter=key>value</parameter></function>` calls in a pair of tags. */
/* @__NO_SIDE_EFFECTS__ */
function createFunctionFormat(name: string, tags: FunctionTags): TextToolFormat {
  const { open, close, trims } = tags;
  const grammar = createFunctionGrammar(tags);
  const nameless = createTagGrammar(
    {
      parameter: '<parameter>',
      parameterEnd: '</parameter>',
      call: '<function=',
      callEnd: '</function>',
      key: namelessTag,
    },
    { trims },
  );

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
    openers: ['<function=', '<function name=', `${open}function=`, `${open}\nfunction=`, '<function>'],
    prefixes: [open, '<|im_start|>assistant'],
    closers: ['</function>', close, '<|im_end|>'],
    *read(cursor, calls, opener) {
      const tool = (yield* readAttribute(cursor)).trim();
      yield* cursor.takeSpace(MAX_SPACE);
      if (tool !== '' && (yield* takesSelfClosing(cursor, calls, tool))) return true;
      if (tool === '' || !(yield* cursor.takes(opener === '<function>' ? '</function>' : '>'))) return false;
      return yield* readBody(cursor, calls, tool);
    },
  };
}

/** `<parameter>key</parameter>` with the value on the next line. */
const namelessTag = { open: '<parameter>', close: '</parameter>' };

const qwenTags = { open: '<tool_call>', close: '</tool_call>', trims: true };

/**
 * `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>` of Qwen3-Coder and Nemotron 3
 * Nano, with line breaks around the values.
 */
export const qwenXml: TextToolFormat = createFunctionFormat('qwen-xml', qwenTags);

const qwenGrammar = createFunctionGrammar(qwenTags);

/** `<tool_call>name` of a declared tool, and an element for each parameter. */
export const namedCallFormat: TextToolFormat = {
  name: 'named-call',
  openers: ['<tool_call>'],
  closers: ['</tool_call>'],
  *accepts(cursor, calls) {
    const name = yield* cursor.look(/[\w.-]/);
    if (!calls.isDeclared(name)) return false;
    return (yield* cursor.peek(yield* findSpaceEnd(cursor, { start: name.length }))) === '<';
  },
  *read(cursor, calls) {
    const name = yield* readName(cursor);
    return yield* readTaggedCall(cursor, calls, { grammar: qwenGrammar, name, isAnyWord: true });
  },
};

/** The parameters of a call whose function is missing, so that no tool is meant. */
export const bareParameterFormat: TextToolFormat = {
  name: 'bare-parameter',
  openers: ['<tool_call>'],
  closers: ['</tool_call>'],
  accepts: cursor => cursor.sees('<parameter='),
  read: (cursor, calls) => readTaggedCall(cursor, calls, { grammar: qwenGrammar, name: '' }),
};

/** The format of Qwen3-Coder with the values between the tags. A line break on one side only belongs to the value. */
export const mimo = createFunctionFormat('mimo', { ...qwenTags, trims: 'pair' });

/** The format of Qwen3-Coder in `<seed:tool_call>`. Values keep the line breaks around them. */
export const seed = createFunctionFormat('seed', {
  open: '<seed:tool_call>',
  close: '</seed:tool_call>',
  trims: false,
});
