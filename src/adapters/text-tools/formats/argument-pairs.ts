import {
  findSpaceEnd,
  lookForName,
  MAX_SPACE,
  type Reading,
  readName,
  type TextCursor,
} from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { readCallArguments, readJsonCalls } from '../values/json-call.js';
import { isKnownChild } from '../tags/element-tree.js';
import { createTagGrammar, type KeyTags, type TagGrammar } from '../tags/tag-grammar.js';
import { readTaggedCall } from '../tags/tagged-call.js';

/**
 * The tags of a call whose arguments are pairs of a key and a value. Those of `<|fn|>name<|k|>key<|v|>value<|/v|><|/fn|>` are
 * `{ call: '<|fn|>', key: { open: '<|k|>', close: '<|v|>' }, valueEnd: '<|/v|>', callEnd: '<|/fn|>' }`.
 */
export interface PairTags {
  readonly call: string;
  readonly callEnd: string;
  readonly key: KeyTags;
  readonly valueEnd: string;
  readonly lists?: readonly string[];
  readonly listEnds?: readonly string[];
}

type TagName = 'tool_call' | 'tool_calls' | 'arg_key' | 'arg_value' | 'arg_type';

/**
 * Returns the tags of `<arg_key>key</arg_key><arg_value>value</arg_value>` pairs.
 *
 * @param tagOf Returns the name of a tag as the family writes it, with a prefix or suffix.
 */
export function toPairTags(tagOf: (name: TagName) => string): PairTags {
  const open = (name: TagName) => `<${tagOf(name)}>`;
  const close = (name: TagName) => `</${tagOf(name)}>`;
  return {
    call: open('tool_call'),
    callEnd: close('tool_call'),
    key: {
      open: open('arg_key'),
      close: close('arg_key'),
      valueOpen: open('arg_value'),
      type: { open: open('arg_type'), close: close('arg_type') },
    },
    valueEnd: close('arg_value'),
    lists: [open('tool_calls')],
    listEnds: [close('tool_calls')],
  };
}

const toGrammar = ({ key, ...texts }: PairTags): TagGrammar =>
  createTagGrammar({ ...texts, parameter: key.open, parameterEnd: texts.valueEnd, key });

function* startsName(cursor: TextCursor): Reading<boolean> {
  return /[\p{L}\p{N}_]/u.test((yield* cursor.peek()) ?? '');
}

type PairMarkers = Pick<TextToolFormat, 'prefixes' | 'turnEnds'> & { readonly closers?: readonly string[] };

/**
 * Creates a format of calls whose body is the name of the tool and a pair of a key and a value for each argument, or the JSON of
 * a call.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createPairFormat(name: string, tags: PairTags, markers: PairMarkers = {}): TextToolFormat {
  const grammar = toGrammar(tags);
  return {
    name,
    openers: [tags.call],
    prefixes: tags.lists ?? [],
    ...markers,
    closers: [tags.callEnd, ...(tags.listEnds ?? []), ...(markers.closers ?? [])],
    *accepts(cursor) {
      return /[[{\p{L}\p{N}_]/u.test((yield* cursor.peek()) ?? '');
    },
    *read(cursor, calls) {
      const first = yield* cursor.peek();
      if (first === '{' || first === '[') return yield* readJsonCalls(cursor, calls);
      const tool = yield* readName(cursor);
      return yield* readTaggedCall(cursor, calls, { grammar, name: tool, isAnyWord: true });
    },
  };
}

/**
 * `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>`, or the name of the tool and a
 * `<longcat_arg_key>` and `<longcat_arg_value>` for each argument between the same tags.
 */
export const longcat = createPairFormat(
  'longcat',
  toPairTags(tag => `longcat_${tag}`),
  { turnEnds: ['</longcat_s>'] },
);

/** `<ifm|tool_calls>`, then a `<ifm|tool_call>` for each call of K2-Horizon, with JSON or pairs that may state their type. */
export const horizon = createPairFormat(
  'k2-horizon',
  toPairTags(tag => `ifm|${tag}`),
);

const xmlTags = toPairTags(tag => tag);

/** The pairs of GLM between the tags of IQuest-Coder V2. */
export const iquest = createPairFormat('iquest-coder', {
  ...xmlTags,
  call: '<iquestcoder_tool_call>',
  callEnd: '</iquestcoder_tool_call>',
});

/** The pairs of GLM, in which HyperCLOVA X writes strings with or without quotes. */
export const hyperclova = createPairFormat(
  'hyperclova',
  { ...xmlTags, key: { ...xmlTags.key, isJson: true } },
  { turnEnds: ['<|im_end|>'] },
);

/**
 * `<|tool_call:start|>name`, then `<|tool_arg:start|>key<|tool_arg:value|>value<|tool_arg:end|>` for each argument, and
 * `<|tool_call:end|>` of Solar Open 2.
 */
export const solar = createPairFormat('solar-open', {
  call: '<|tool_call:start|>',
  callEnd: '<|tool_call:end|>',
  key: { open: '<|tool_arg:start|>', close: '<|tool_arg:value|>' },
  valueEnd: '<|tool_arg:end|>',
});

/** A line break between tags that some servers leave escaped. */
const ESCAPED_BREAK = String.raw`\n`;

const glmGrammar: TagGrammar = {
  ...toGrammar({
    ...xmlTags,
    key: { ...xmlTags.key, findSpaceEnd: findEscapedSpaceEnd },
    lists: [],
    listEnds: [],
  }),
  *takeSpace(cursor) {
    let space = '';
    for (;;) {
      const next = (yield* cursor.takeSpace()) + ((yield* cursor.takes(ESCAPED_BREAK)) ? ESCAPED_BREAK : '');
      if (next === '') return space;
      space += next;
    }
  },
};

/** Returns the offset after white space and escaped line breaks. */
function* findEscapedSpaceEnd(cursor: TextCursor, start: number): Reading<number> {
  for (let end = start; ; end += ESCAPED_BREAK.length) {
    end = yield* findSpaceEnd(cursor, { start: end });
    if (end > start + MAX_SPACE || !(yield* cursor.sees(ESCAPED_BREAK, end))) return end;
  }
}

/**
 * Takes the name of a tool. Before the end of a key, the name is followed by the key, whose own start is missing
 * (https://github.com/vllm-project/vllm/issues/47190). Then only the name of a declared tool is taken, before one of its keys.
 */
function* readGluedName(cursor: TextCursor, calls: TextCalls): Reading<string> {
  const written = yield* lookForName(cursor);
  const isGlued = !calls.isDeclared(written) && (yield* cursor.sees(xmlTags.key.close, written.length));
  if (!isGlued) return cursor.take(written.length);
  const ends = [...Array(written.length).keys()].filter(end => {
    const tool = calls.find(written.slice(0, end));
    if (tool === undefined || tool.name !== written.slice(0, end)) return false;
    return isKnownChild({ schema: tool.schema, root: tool.schema }, written.slice(end));
  });
  const [end] = ends;
  return cursor.take(end === undefined || ends.length > 1 ? written.length : end);
}

/** Returns the declared tool after a path, as in `Weather/get_weather`. */
function toToolName(written: string, calls: TextCalls): string {
  let name = written;
  while (name.endsWith('\\n')) name = name.slice(0, -2);
  const last = name.slice(name.lastIndexOf('/') + 1);
  return !calls.isDeclared(name) && calls.isDeclared(last) ? last : name;
}

/**
 * `<tool_call>name`, then `<arg_key>key</arg_key>` and `<arg_value>value</arg_value>` for each argument, and
 * `</tool_call>`. GLM 5.3 also writes `<tool_call>name>{…}`.
 */
export const glm: TextToolFormat = {
  name: 'glm',
  openers: ['<tool_call>'],
  closers: ['</tool_call>', '<|observation|>', '<|user|>'],
  accepts: startsName,
  *read(cursor, calls) {
    const name = toToolName(yield* readGluedName(cursor, calls), calls);
    if (yield* cursor.takes('>')) return yield* readCallArguments(cursor, calls, { name });
    return yield* readTaggedCall(cursor, calls, { grammar: glmGrammar, name, isAnyWord: true });
  },
};

const MAX_SUFFIX = 32;

/**
 * `<tool_calls>` with one of these bodies:
 *
 * - `[{"name": …, "arguments": {…}}]` of Hunyuan A13B and Jamba
 * - `{"name": …, "arguments": {…}}` on a line for each call of MiniMax M1
 * - `<tool_call>name<tool_sep>`, pairs of `<arg_key>` and `<arg_value>`, and `</tool_call>` for each call of Hunyuan 3;
 *   Hunyuan 4 writes no `<tool_sep>`
 *
 * Tokenizers of Hunyuan append a suffix to all tags, such as `:opensource`. All tags of a list have the same one.
 */
export const callList: TextToolFormat = {
  name: 'call-list',
  openers: ['<tool_calls>', '<tool_calls:'],
  closers: ['</tool_calls>'],
  *accepts(cursor) {
    return /[[{<\w]/.test((yield* cursor.peek()) ?? '');
  },
  *read(cursor, calls, opener) {
    const suffix = yield* readSuffix(cursor, opener);
    if (suffix === undefined) return false;
    yield* cursor.takeSpace(MAX_SPACE);
    if (yield* cursor.takes(`<tool_call${suffix}>`)) return yield* readCalls(cursor, calls, suffix);
    do {
      if (!(yield* readJsonCalls(cursor, calls))) return false;
    } while (yield* takesNextObject(cursor));
    return true;
  },
};

/** Takes the white space before another object of the list. */
function* takesNextObject(cursor: TextCursor): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor);
  if ((yield* cursor.peek(start)) !== '{') return false;
  cursor.take(start);
  return true;
}

/** The calls of Hunyuan 3 and 4 without the tags of a list. */
export const pairCall: TextToolFormat = {
  name: 'pair-call',
  openers: ['<tool_call>', '<tool_call:'],
  closers: ['</tool_call>'],
  accepts: startsName,
  *read(cursor, calls, opener) {
    const suffix = yield* readSuffix(cursor, opener);
    return suffix !== undefined && (yield* readCalls(cursor, calls, suffix));
  },
};

/** Reads calls up to the end of their list, from after the first opening tag. */
function* readCalls(cursor: TextCursor, calls: TextCalls, suffix: string): Reading<boolean> {
  const grammar = toGrammar(toPairTags(name => name + suffix));
  do {
    if (!(yield* readPairs(cursor, calls, { grammar, suffix }))) return false;
  } while (yield* takesTag(cursor, `<tool_call${suffix}>`));
  yield* takesTag(cursor, `</tool_calls${suffix}>`);
  return true;
}

/** Reads one call of Hunyuan 3 or 4 after its opening tag. */
function* readPairs(
  cursor: TextCursor,
  calls: TextCalls,
  options: { grammar: TagGrammar; suffix: string },
): Reading<boolean> {
  yield* cursor.takeSpace(MAX_SPACE);
  const name = yield* readName(cursor);
  if (name === '') return false;
  const isAnyWord = !(yield* takesTag(cursor, `<tool_sep${options.suffix}>`));
  return yield* readTaggedCall(cursor, calls, { grammar: options.grammar, name, isAnyWord });
}

/** Takes the suffix of an opener that ends with its colon. Returns undefined for text that is no suffix. */
function* readSuffix(cursor: TextCursor, opener: string): Reading<string | undefined> {
  if (!opener.endsWith(':')) return '';
  const suffix = yield* cursor.look(/[\w-]/, { most: MAX_SUFFIX });
  if (suffix === '' || (yield* cursor.peek(suffix.length)) !== '>') return undefined;
  cursor.take(suffix.length + 1);
  return `:${suffix}`;
}

/** Takes a tag and the white space before it. Takes nothing if another text comes next. */
function* takesTag(cursor: TextCursor, tag: string): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor);
  if (!(yield* cursor.sees(tag, start))) return false;
  cursor.take(start + tag.length);
  return true;
}

/** The lists of Hunyuan. After its reasoning, A13B writes the answer in `<answer>`. */
export const hunyuan: TextToolFormat = {
  ...callList,
  name: 'hunyuan',
  turnEnds: ['<|eos|>', '<|hy_eos|>'],
  wrappers: [{ open: '<answer>', close: '</answer>' }],
};
