import { isSpace, type Reading, type TextCursor } from './text-cursor.js';

/** A tag of a call that is written as tags around plain values. */
export type Tag = { readonly length: number } & (
  | { readonly kind: 'parameter'; readonly key: string; readonly isJson?: boolean | undefined }
  | { readonly kind: 'parameter-end' }
  /** What looks like the end of a parameter with a slip in it. */
  | { readonly kind: 'drifted-end' }
  | { readonly kind: 'call' }
  /** The end of a call; cut, where the text ends within it. */
  | { readonly kind: 'call-end'; readonly isCut?: boolean }
  | { readonly kind: 'list' }
  | { readonly kind: 'list-end' }
);

/** What the tags of a family look like, and what their values mean. */
export interface TagGrammar {
  /** The tag that begins here. Looks ahead and takes nothing. */
  readTag(cursor: TextCursor): Reading<Tag | undefined>;
  /** Whether the text or the list of calls ends, or the next call begins, `offset` characters on behind white space. */
  endsBehind(cursor: TextCursor, offset: number): Reading<boolean>;
  /** Whether one line break on either side of a value belongs to the tags. */
  readonly trims: boolean;
  /** Whether values are written with the entities of XML. */
  readonly hasEntities: boolean;
}

/** Longer than any tag with the name of a tool or parameter in it. */
const LONGEST_TAG = 300;

/** The tags that calls are written in. */
export interface TagTexts {
  /** What a parameter begins with, up to its key; `<parameter=`. */
  readonly parameter: string;
  readonly parameterEnd: string;
  /** What a call begins with, up to its name; `<function=`. */
  readonly call: string;
  readonly callEnd: string;
  /** What may be around calls. */
  readonly lists?: readonly string[];
  readonly listEnds?: readonly string[];
  /** Reads what stands between the beginning of a tag and its `>`. */
  readHeader?(header: string): { key: string; isJson?: boolean } | undefined;
}

/** White space behind the end of a call, as far as it is looked at. */
const MAX_SPACE = 64;

/** Tags of the form `<beginning…>`. White space around the name and the `=` of a beginning, and before the `>`, is allowed. */
export function createTagGrammar(
  texts: TagTexts,
  {
    trims = false,
    hasEntities = false,
  }: { trims?: boolean | undefined; hasEntities?: boolean | undefined } = {},
): TagGrammar {
  return { readTag: createTagReader(texts), endsBehind: createEndReader(texts), trims, hasEntities };
}

function createEndReader({ call, lists = [], listEnds = [] }: TagTexts): TagGrammar['endsBehind'] {
  const ends = [call, ...lists, ...listEnds];
  return function* endsBehind(cursor, offset) {
    let start = offset;
    let character = yield* cursor.peek(start);
    while (character !== undefined && isSpace(character) && start < offset + MAX_SPACE) {
      character = yield* cursor.peek(++start);
    }
    let text = '';
    while (character !== undefined) {
      text += character;
      if (!ends.some(end => end.startsWith(text))) return false;
      if (ends.includes(text)) return true;
      character = yield* cursor.peek(start + text.length);
    }
    return true;
  };
}

function createTagReader(texts: TagTexts): TagGrammar['readTag'] {
  const { parameter, parameterEnd, call, callEnd, lists = [], listEnds = [], readHeader = toKey } = texts;
  const driftStart = parameterEnd.slice(0, -1);
  const beginnings = [parameter, parameterEnd, call, callEnd, ...lists, ...listEnds];
  const longestBeginning = Math.max(...beginnings.map(beginning => beginning.length));

  function toTag(tag: string): Tag | undefined {
    const { length } = tag;
    const tight = toTight(tag);
    if (tight === parameterEnd) return { kind: 'parameter-end', length };
    if (tight === callEnd) return { kind: 'call-end', length };
    if (lists.includes(tight)) return { kind: 'list', length };
    if (listEnds.includes(tight)) return { kind: 'list-end', length };
    if (tight.startsWith(parameter)) {
      const header = readHeader(tight.slice(parameter.length, -1).trim());
      return header && { kind: 'parameter', length, ...header };
    }
    if (tight.startsWith(call)) return { kind: 'call', length };
    return toDriftedEnd(tag);
  }

  /** `</parameter1>`, `</parameter_function>`, and `</parameter` without its end. */
  function toDriftedEnd(tag: string): Tag | undefined {
    if (!tag.startsWith(driftStart)) return undefined;
    const rest = tag.slice(driftStart.length);
    if (/^\w*>$/.test(rest)) return { kind: 'drifted-end', length: tag.length };
    return /^\s/.test(rest) && !rest.includes('>')
      ? { kind: 'drifted-end', length: driftStart.length }
      : undefined;
  }

  function mayBegin(text: string): boolean {
    if (text.length > longestBeginning) return true;
    const tight = text.replace(/^<\s*(\/?)\s*/, '<$1').replace(/\s*(?:=\s*)?$/, '');
    return beginnings.some(beginning => beginning.startsWith(tight) || tight.startsWith(beginning));
  }

  return function* readTag(cursor) {
    if ((yield* cursor.peek()) !== '<') return undefined;
    let tag = '<';
    for (;;) {
      const character = yield* cursor.peek(tag.length);
      if (character === undefined) return toCutTag(tag);
      if (character === '<') return toDriftedEnd(tag);
      tag += character;
      if (character === '>') return toTag(tag);
      if (tag.length > LONGEST_TAG) return undefined;
      if (tag.length <= longestBeginning + 1 && !mayBegin(tag) && !isDrifting(tag)) return undefined;
    }
  };

  function isDrifting(text: string): boolean {
    return text.startsWith(driftStart);
  }

  /** Behind a whole value an end that is cut is an end. */
  function toCutTag(tag: string): Tag | undefined {
    const isCut = tag.length >= 3 && [callEnd, ...listEnds].some(end => end.startsWith(tag));
    if (isCut) return { kind: 'call-end', length: tag.length, isCut };
    return toDriftedEnd(tag);
  }
}

/** Without the white space that may be around a tag's name and `=`, and before `>`. */
const toTight = (tag: string): string =>
  tag
    .replace(/^<\s*(\/?)\s*/, '<$1')
    .replace(/^(<\/?[^\s=<>"']+)\s*=\s*/, '$1=')
    .replace(/\s+>$/, '>');

/** A key: anything on one line but what is in quotes. A template may have more than a name in it. */
function toKey(header: string): { key: string } | undefined {
  return /^[^\n"'][^\n]*$/.test(header) ? { key: header } : undefined;
}
