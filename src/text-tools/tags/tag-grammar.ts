import type { Trim } from '../values/argument-writer.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';

/** A tag of a call that consists of tags around plain values. */
export type Tag = { readonly length: number } & (
  | { readonly kind: 'parameter'; readonly key: string; readonly isJson?: boolean | undefined }
  | { readonly kind: 'parameter-end' }
  /** A misspelt end of a parameter. */
  | { readonly kind: 'misspelt-end' }
  | { readonly kind: 'call' }
  /** The end of a call. Truncated if the text ends within it. */
  | { readonly kind: 'call-end'; readonly isTruncated?: boolean }
  | { readonly kind: 'list' }
  | { readonly kind: 'list-end' }
);

/** The tags of a model family, and the meaning of its values. */
export interface TagGrammar {
  /**
   * Returns the tag at the current position. Looks ahead and takes nothing. Between parameters, incomplete tags may count
   * that would be text within a value.
   */
  readTag(cursor: TextCursor, options?: { isBetween: boolean }): Reading<Tag | undefined>;
  /**
   * Returns true if the text ends, a list of calls starts or ends, or the next call starts after `offset` characters
   * and white space.
   */
  endsAfter(cursor: TextCursor, offset: number): Reading<boolean>;
  /** Takes the white space between tags. */
  takeSpace(cursor: TextCursor): Reading<string>;
  /** The white space around a value that belongs to the tags. */
  readonly trims: Trim;
  /** Values contain XML entities. */
  readonly hasEntities: boolean;
  /** A value may be in `<![CDATA[…]]>`, and a call with the same parameter twice is ambiguous, and no call. */
  readonly isStrict?: boolean;
  /** Converts the text of values. */
  toText?(text: string): string;
}

export interface TagTexts {
  /** The start of a parameter tag up to its key: `<parameter=`. */
  readonly parameter: string;
  readonly parameterEnd: string;
  /** The start of a call tag up to its name: `<function=`. */
  readonly call: string;
  readonly callEnd: string;
  /** Opening tags of lists of calls. */
  readonly lists?: readonly string[];
  readonly listEnds?: readonly string[];
  /** Reads the text between the start of a parameter tag and its `>`. */
  readHeader?(header: string): { key: string; isJson?: boolean } | undefined;
}

/** Longer than any tag that contains the name of a tool or parameter. */
const MAX_TAG = 300;

/** The maximum white space after the end of a call before the next tag. */
const MAX_SPACE_AFTER_CALL = 64;

/** Creates a grammar of `<start…>` tags. White space around the name, around `=` and before `>` is accepted. */
export function createTagGrammar(
  texts: TagTexts,
  {
    trims = false,
    hasEntities = false,
  }: { trims?: Trim | undefined; hasEntities?: boolean | undefined } = {},
): TagGrammar {
  return {
    readTag: createTagReader(texts),
    endsAfter: createEndReader(texts),
    takeSpace: cursor => cursor.takeSpace(),
    trims,
    hasEntities,
  };
}

function createEndReader({ call, lists = [], listEnds = [] }: TagTexts): TagGrammar['endsAfter'] {
  const ends = [call, ...lists, ...listEnds];
  return function* endsAfter(cursor, offset) {
    const start = yield* findSpaceEnd(cursor, { start: offset, most: MAX_SPACE_AFTER_CALL });
    let text = '';
    let character = yield* cursor.peek(start);
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
  const misspeltStart = parameterEnd.slice(0, -1);
  const starts = [parameter, parameterEnd, call, callEnd, ...lists, ...listEnds];
  const longestStart = Math.max(...starts.map(start => start.length));

  function toTag(tag: string): Tag | undefined {
    const { length } = tag;
    const compact = toCompact(tag);
    if (compact === parameterEnd) return { kind: 'parameter-end', length };
    if (compact === callEnd) return { kind: 'call-end', length };
    if (lists.includes(compact)) return { kind: 'list', length };
    if (listEnds.includes(compact)) return { kind: 'list-end', length };
    if (compact.startsWith(parameter)) {
      const header = readHeader(compact.slice(parameter.length, -1).trim());
      return header && { kind: 'parameter', length, ...header };
    }
    // A call without arguments that closes itself contains no tags.
    if (compact.startsWith(call)) return compact.endsWith('/>') ? undefined : { kind: 'call', length };
    return toMisspeltEnd(tag);
  }

  /** Recognizes `</parameter1>`, `</parameter_function>`, and `</parameter` without its bracket. */
  function toMisspeltEnd(tag: string): Tag | undefined {
    if (!tag.startsWith(misspeltStart)) return undefined;
    const rest = tag.slice(misspeltStart.length);
    if (/^\w*>$/.test(rest)) return { kind: 'misspelt-end', length: tag.length };
    return /^\s/.test(rest) && !rest.includes('>')
      ? { kind: 'misspelt-end', length: misspeltStart.length }
      : undefined;
  }

  /** An incomplete end of a call counts as its end after a complete value. */
  function toTruncatedTag(tag: string): Tag | undefined {
    const isTruncated = tag.length >= 3 && [callEnd, ...listEnds].some(end => end.startsWith(tag));
    if (isTruncated) return { kind: 'call-end', length: tag.length, isTruncated };
    return toMisspeltEnd(tag);
  }

  function mayBecomeTag(text: string): boolean {
    if (text.length > longestStart || text.startsWith(misspeltStart)) return true;
    if (starts.some(start => start.startsWith(text) || text.startsWith(start))) return true;
    if (!/[\s=]/.test(text)) return false;
    const compact = text.replace(/^<\s*(\/?)\s*/, '<$1').replace(/(?<!\s)\s*(?:=\s*)?$/, '');
    return starts.some(start => start.startsWith(compact) || compact.startsWith(start));
  }

  return function* readTag(cursor) {
    let tag = '';
    let end: 'closed' | 'next' | 'none' | undefined;
    yield* cursor.scan(character => {
      if ((character === '<') !== (tag === '')) {
        end = tag === '' ? 'none' : 'next';
        return false;
      }
      tag += character;
      if (character === '>') end = 'closed';
      else if (tag.length > MAX_TAG || !mayBecomeTag(tag)) end = 'none';
      return end === undefined;
    });
    switch (end) {
      case 'closed':
        return toTag(tag);
      case 'next':
        return toMisspeltEnd(tag);
      case 'none':
        return undefined;
      case undefined:
        return tag === '' ? undefined : toTruncatedTag(tag);
    }
  };
}

/** Removes the white space around a tag's name and `=`, and before `>`. */
const toCompact = (tag: string): string =>
  tag
    .replace(/^<\s*(\/?)\s*/, '<$1')
    .replace(/^(<\/?[^\s=<>"']+)\s*=\s*/, '$1=')
    .replace(/(?<!\s)\s+>$/, '>');

/** Accepts a key on one line, without quotes or in a pair of them. Some templates write more than a name. */
function toKey(header: string): { key: string } | undefined {
  const [, , quoted] = /^(["'])([^\n"']+)\1$/.exec(header) ?? [];
  const key = quoted ?? header;
  return /^[^\n"'][^\n]*$/.test(key) ? { key } : undefined;
}

const MAX_SPACE_BEFORE_VALUE = 32;

/** The tags around a key, and before its value. */
export interface KeyTags {
  readonly open: string;
  readonly close: string;
  /** The tag before the value. @default none */
  readonly valueOpen?: string;
  /** The tags around the type of the value, which may precede it. */
  readonly type?: { readonly open: string; readonly close: string };
  /** Strings may be in quotes. */
  readonly isJson?: boolean;
  /** Returns the offset after the white space at offset `start`, between the key and its value. */
  findSpaceEnd?(cursor: TextCursor, start: number): Reading<number>;
}

/**
 * Reads a parameter tag whose key is between a pair of tags, with an optional tag before the value. Takes nothing.
 *
 * @param isBetween The tag can only be that of a parameter, so that the end of the key or the tag before the value may be missing.
 */
export function* readKeyTag(
  cursor: TextCursor,
  tags: KeyTags,
  { isBetween = false }: { isBetween?: boolean } = {},
): Reading<Tag | undefined> {
  const { open, close, valueOpen = '', type } = tags;
  if (!(yield* cursor.sees(open))) return undefined;
  const key = yield* cursor.look(/[^<]/, { start: open.length });
  const closeStart = open.length + key.length;
  if (key.trim() === '') return undefined;
  const tag = { kind: 'parameter', key: key.trim(), ...(tags.isJson && { isJson: true }) } as const;
  if (!(yield* cursor.sees(close, closeStart))) {
    const hasValue = isBetween && valueOpen !== '' && (yield* cursor.sees(valueOpen, closeStart));
    return hasValue ? { ...tag, length: closeStart + valueOpen.length } : undefined;
  }
  const keyEnd = closeStart + close.length;
  if (valueOpen === '') return { ...tag, length: keyEnd };

  const findEnd = tags.findSpaceEnd ?? findValueStart;
  let start = yield* findEnd(cursor, keyEnd);
  let isJson: boolean | undefined;
  if (type !== undefined && (yield* cursor.sees(type.open, start))) {
    const name = yield* cursor.look(/[^<]/, { start: start + type.open.length });
    const end = start + type.open.length + name.length;
    if (!(yield* cursor.sees(type.close, end))) return undefined;
    isJson = name.trim() !== 'string';
    start = yield* findEnd(cursor, end + type.close.length);
  }
  const written = { ...tag, ...(isJson !== undefined && { isJson }) };
  if (yield* cursor.sees(valueOpen, start)) return { ...written, length: start + valueOpen.length };
  const next = isBetween ? yield* cursor.peek(start) : undefined;
  return next === undefined || next === '<' ? undefined : { ...written, length: start };
}

const findValueStart = (cursor: TextCursor, start: number): Reading<number> =>
  findSpaceEnd(cursor, { start, most: MAX_SPACE_BEFORE_VALUE });
