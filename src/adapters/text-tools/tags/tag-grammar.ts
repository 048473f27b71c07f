import type { Trim } from '../values/argument-writer.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';

/** A tag of a call that consists of tags around plain values. */
export type Tag = {
  readonly length: number;
  /** The tag is misspelt, or has another shape than that of the family. */
  readonly isTolerant?: boolean;
} & (
  | ParameterTag
  /** The start of a parameter whose key cannot be read. `opener` is the markup directly before the value. */
  | { readonly kind: 'opener'; readonly opener: string }
  | { readonly kind: 'parameter-end' }
  | { readonly kind: 'call'; readonly opener: string }
  /** The end of a call. Truncated if the text ends within it. */
  | { readonly kind: 'call-end'; readonly isTruncated?: boolean }
  | { readonly kind: 'list' }
  | { readonly kind: 'list-end' }
  /** A tag of no grammar, or one that cannot be read. The name of a plain one. */
  | { readonly kind: 'other'; readonly name?: string; readonly isClosing?: boolean }
);

/** The start of a parameter. */
export interface ParameterTag {
  readonly kind: 'parameter';
  readonly key: string;
  readonly isJson?: boolean | undefined;
  /** The tag closes itself, so that the value is empty. */
  readonly isEmpty?: boolean;
  /** The markup directly before the value. */
  readonly opener: string;
}

/** The tags of a model family, and the meaning of its values. */
export interface TagGrammar {
  /**
   * Returns the tag at the current position. Looks ahead and takes nothing. Between parameters, all that looks like a tag
   * is one, and known misspellings are read. Within a value, only those are that may end it, or that it must balance.
   */
  readTag(cursor: TextCursor, options?: { isBetween: boolean }): Reading<Tag | undefined>;
  /**
   * Returns true if the text ends, a list of calls starts or ends, or the next call starts after `offset` characters
   * and white space.
   */
  endsAfter(cursor: TextCursor, offset: number): Reading<boolean>;
  /** Returns true if a parameter starts after `offset` characters and white space. */
  startsParameter(cursor: TextCursor, offset: number): Reading<boolean>;
  /** Takes the white space between tags. */
  takeSpace(cursor: TextCursor): Reading<string>;
  /** Values have tags at their ends. Otherwise the next tag ends them. */
  readonly hasValueEnds: boolean;
  /** The white space around a value that belongs to the tags. */
  readonly trims: Trim;
  /** Values contain XML entities. */
  readonly hasEntities: boolean;
  /** A value may be in `<![CDATA[…]]>`. */
  readonly hasCdata?: boolean;
  /** Converts the text of values. */
  toText?(text: string): string;
}

export interface TagTexts {
  /** The start of a parameter tag up to its key: `<parameter=` or `<parameter name=`. */
  readonly parameter: string;
  readonly parameterEnd: string;
  /** The start of a call tag up to its name: `<function=`. */
  readonly call: string;
  readonly callEnd: string;
  /** Opening tags of lists of calls. */
  readonly lists?: readonly string[];
  readonly listEnds?: readonly string[];
  /** The tags of a key that is an element of its own. `parameter` is its opening tag. */
  readonly key?: KeyTags;
}

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

/** Longer than any tag that contains the name of a tool or parameter. */
const MAX_TAG = 300;

/** The maximum white space after the end of a call before the next tag. */
const MAX_SPACE_AFTER_CALL = 64;

/** The maximum number of letters after a name that it does not have. */
const MAX_SUFFIX = 16;

/** The maximum number of tags of one kind in a row. */
const MAX_REPEATED = 4;

/** Creates a grammar. White space around names, around `=` and before `>` is accepted. */
export function createTagGrammar(
  texts: TagTexts,
  {
    trims = false,
    hasEntities = false,
  }: { trims?: Trim | undefined; hasEntities?: boolean | undefined } = {},
): TagGrammar {
  const reader = new TagReader(texts);
  return {
    readTag: (cursor, options) => reader.read(cursor, options?.isBetween === true),
    endsAfter: createEndReader(texts),
    *startsParameter(cursor, offset) {
      const start = yield* findSpaceEnd(cursor, { start: offset, most: MAX_SPACE_AFTER_CALL });
      return yield* cursor.sees(texts.parameter, start);
    },
    takeSpace: cursor => cursor.takeSpace(),
    hasValueEnds: texts.key?.close !== texts.parameterEnd,
    trims,
    hasEntities,
  };
}

function createEndReader(texts: TagTexts): TagGrammar['endsAfter'] {
  const ends = [texts.call, ...(texts.lists ?? []), ...(texts.listEnds ?? [])];
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

/** The meaning of a tag's name. */
type Role =
  | 'parameter'
  | 'parameter-end'
  | 'key-end'
  | 'value'
  | 'type'
  | 'type-end'
  | 'call'
  | 'call-end'
  | 'list'
  | 'list-end';

/** A tag as it is written, up to its `>`, or up to what interrupts it. */
interface WrittenTag {
  readonly isClosing: boolean;
  readonly name: string;
  /** The text between the name and the `>`. */
  readonly header: string;
  readonly length: number;
  /** False if a line break, another tag or the end of the text comes before the `>`. */
  readonly isComplete: boolean;
  /** The role of the name. Undefined for the name of another grammar. */
  readonly role: Role | undefined;
  /** The name is exactly that of the role. */
  readonly isExact: boolean;
}

interface Name {
  readonly role: Role;
  readonly isClosing: boolean;
  readonly name: string;
  /** The name in lower case without its prefix. */
  readonly bare: string;
}

/** Tags of one kind that follow each other. */
interface TagCount {
  readonly count: number;
  /** The position after them and the white space that follows. */
  readonly end: number;
  /** The position after the last one. */
  readonly tagEnd: number;
  /** The tag at `end`. */
  readonly next: WrittenTag | undefined;
  /** There is one tag, and it is as it must be. */
  readonly isExact: boolean;
  readonly hasCall: boolean;
}

/** The bars of a prefix such as `｜DSML｜`, of which models write several forms. */
export const BAR = '[|｜‖¦│┃∣❘ǀ]';
const BARS = new RegExp(`^${BAR}+\\w*${BAR}+$`);
const PREFIX = new RegExp(`^(?:${BAR}+\\w*${BAR}+\\s?|\\w+\\||[\\w-]+:(?=\\w))`);
const NAME_END = /[\s=>"'<Ġ]/;

const toBare = (name: string): string => (name.replace(PREFIX, '') || name).toLowerCase();

/** Reads the tags of one grammar. */
class TagReader {
  private readonly names: readonly Name[];
  private readonly longest: number;
  /** The attribute with the key of a parameter, or `=` if the key follows the name. */
  private readonly hasAttribute: boolean;

  constructor(private readonly texts: TagTexts) {
    const { key, lists = [], listEnds = [] } = texts;
    const rows: [Role, string | undefined][] = [
      ['parameter', texts.parameter],
      // The space before the attribute may be missing.
      ['parameter', / name=$/.test(texts.parameter) ? texts.parameter.replace(' ', '') : undefined],
      ['parameter-end', texts.parameterEnd],
      ['key-end', key?.close],
      ['value', key?.valueOpen],
      ['type', key?.type?.open],
      ['type-end', key?.type?.close],
      ['call', texts.call],
      ['call-end', texts.callEnd],
      ...lists.map((text): [Role, string] => ['list', text]),
      ...listEnds.map((text): [Role, string] => ['list-end', text]),
    ];
    this.names = rows.flatMap(([role, text]) => {
      const [, slash, name = ''] = /^<(\/?)((?:[|｜]\w+[|｜]\s?)?[^\s=>Ġ]+)/.exec(text ?? '') ?? [];
      return name === '' ? [] : [{ role, isClosing: slash === '/', name, bare: toBare(name) }];
    });
    this.longest = Math.max(...this.names.map(entry => entry.name.length)) + MAX_SUFFIX;
    this.hasAttribute = /\sname=$/.test(texts.parameter);
  }

  *read(cursor: TextCursor, isBetween: boolean): Reading<Tag | undefined> {
    const { key } = this.texts;
    const written = yield* this.scan(cursor, 0);
    if (key !== undefined && (isBetween || written?.role === 'parameter')) {
      const pair = yield* this.readPair(cursor, key, written);
      if (pair !== undefined && (isBetween || pair.isTolerant !== true)) return pair;
    }
    if (written === undefined) return undefined;
    if (!written.isComplete && (yield* cursor.peek(written.length)) === undefined) {
      const truncated = this.toTruncated(cursor.rest());
      if (truncated !== undefined) return truncated;
    }
    const tag = this.toTag(written);
    return isBetween || this.countsInValue(tag, written) ? tag : undefined;
  }

  /** Within a value, a misspelt tag is text unless it is about a parameter. */
  private countsInValue(tag: Tag, writtenTag: WrittenTag): boolean {
    switch (tag.kind) {
      case 'other':
        return false;
      case 'parameter':
      case 'opener':
        return writtenTag.isComplete && (writtenTag.isExact || this.isSpelt(writtenTag.name));
      case 'parameter-end':
        return true;
      default:
        return tag.isTolerant !== true;
    }
  }

  /** Returns true if only the case of a name differs. */
  private isSpelt(written: string): boolean {
    return this.names.some(entry => entry.name.toLowerCase() === written.toLowerCase());
  }

  /** Looks at the text from a `<` on. Returns undefined for text that is no tag. */
  private *scan(cursor: TextCursor, offset: number): Reading<WrittenTag | undefined> {
    if ((yield* cursor.peek(offset)) !== '<') return undefined;
    const scanner = new TagScanner(this.longest, (name, isClosing) => this.find(name, isClosing));
    const end = yield* cursor.scan(character => scanner.push(character), offset + 1);
    return scanner.end(end - offset);
  }

  /** Returns the role of a name: that of the same name, or of the one that it is a misspelling of. */
  private find(name: string, isClosing: boolean): { role: Role; isExact: boolean } | undefined {
    const exact = this.names.find(known => known.isClosing === isClosing && known.name === name);
    if (exact !== undefined) return { role: exact.role, isExact: true };
    const bare = toBare(name);
    const near = this.names.find(known => known.isClosing === isClosing && isNear(bare, known));
    return near && { role: near.role, isExact: false };
  }

  private toTag(written: WrittenTag): Tag {
    const { role, header, isComplete, isExact } = written;
    // The text that interrupts a tag is no part of it.
    const length = isComplete ? written.length : written.length - header.length;
    const isPlain = isExact && isComplete && header.trim() === '';
    const tolerant = isPlain ? {} : ({ isTolerant: true } as const);
    const { key } = this.texts;
    const isKeyed = key === undefined;
    switch (role) {
      case 'parameter':
        if (isKeyed || (key.valueOpen === undefined && header.trim() !== ''))
          return this.toParameter(written);
        return { kind: 'opener', length, opener: '', isTolerant: true };
      case 'value':
        return { kind: 'opener', length, opener: key?.valueOpen ?? '', ...tolerant };
      case 'call':
        if (isKeyed) return this.toCall(written);
        return { kind: 'call', length, opener: '', ...tolerant };
      case 'parameter-end':
      case 'call-end':
      case 'list':
      case 'list-end':
        return !isComplete && header.trim() !== ''
          ? { kind: 'other', length }
          : { kind: role, length, ...tolerant };
      default: {
        const { name, isClosing } = written;
        return isComplete && header === ''
          ? { kind: 'other', length, name, isClosing }
          : { kind: 'other', length };
      }
    }
  }

  private toParameter({ name, header, length, isComplete, isExact }: WrittenTag): Tag {
    const opener = `<${name}${header.trim()}>`;
    const isAttribute = this.hasAttribute && !name.endsWith('name');
    const read = isComplete ? readHeader(header, isAttribute) : undefined;
    const isEmpty = isComplete && header.trimEnd().endsWith('/');
    if (read === undefined) return { kind: isEmpty ? 'other' : 'opener', length, opener, isTolerant: true };
    const { isTolerant, ...facts } = read;
    const isDeviating = isTolerant || !isExact;
    return { kind: 'parameter', length, opener, ...facts, ...(isDeviating && { isTolerant: true }) };
  }

  private toCall({ header, length, isComplete, isExact }: WrittenTag): Tag {
    // A call without arguments that closes itself contains no tags.
    if (!isComplete || header.endsWith('/')) return { kind: 'other', length };
    const read = readHeader(header, /name=$/.test(this.texts.call));
    if (read === undefined) return isExact ? { kind: 'call', length, opener: '' } : { kind: 'other', length };
    return { kind: 'call', length, opener: read.key, ...(!isExact && { isTolerant: true }) };
  }

  /** An incomplete end of a call counts as its end after a complete value. */
  private toTruncated(rest: string): Tag | undefined {
    const { callEnd, listEnds = [] } = this.texts;
    const isTruncated = rest.length >= 3 && [callEnd, ...listEnds].some(end => end.startsWith(rest));
    return isTruncated ? { kind: 'call-end', length: rest.length, isTruncated } : undefined;
  }

  /**
   * Reads a parameter whose key is between a pair of tags, with a tag before the value. One of the tags may be missing,
   * and each may be repeated. Takes nothing.
   *
   * @param first The tag at the position.
   */
  private *readPair(
    cursor: TextCursor,
    tags: KeyTags,
    first: WrittenTag | undefined,
  ): Reading<Tag | undefined> {
    const { close: keyEnd, valueOpen = '', type } = tags;
    const skip = tags.findSpaceEnd ?? findValueStart;
    const isOpen = (tag: WrittenTag) =>
      tag.role === 'call' || (tag.role === 'parameter' && (valueOpen !== '' || tag.header.trim() === ''));
    const open = yield* this.countTags(cursor, { first, start: 0, is: isOpen, skip });
    const text = yield* cursor.look(/[^<]/, { start: open.end });
    const key = text.trim();
    const isStarted = open.count > 0 || (valueOpen !== '' && /^[\w.-]+$/.test(key));
    if (key === '' || !isStarted) return undefined;
    // Without a tag before the value, the tags around the key are those of a parameter.
    const endRole = valueOpen === '' && keyEnd === this.texts.parameterEnd ? 'parameter-end' : 'key-end';
    const isEnd = (tag: WrittenTag) => tag.role === endRole || tag.role === 'parameter';
    const keyTextEnd = open.end + text.length;
    const closing = yield* this.scan(cursor, keyTextEnd);
    const close = yield* this.countTags(cursor, { first: closing, start: keyTextEnd, is: isEnd, skip });
    if (close.count === 0 && (open.count === 0 || open.hasCall || valueOpen === '')) return undefined;
    let isJson = tags.isJson;
    let start = close.end;
    if (type !== undefined && (yield* cursor.sees(type.open, start))) {
      const name = yield* cursor.look(/[^<]/, { start: start + type.open.length });
      const end = start + type.open.length + name.length;
      if (!(yield* cursor.sees(type.close, end))) return undefined;
      isJson = name.trim() !== 'string';
      start = yield* skip(cursor, end + type.close.length);
    }
    const isSimple = open.isExact && close.isExact;
    const parameter = { kind: 'parameter', key, ...(isJson !== undefined && { isJson }) } as const;
    if (valueOpen === '') {
      return { ...parameter, opener: keyEnd, length: close.tagEnd, ...(!isSimple && { isTolerant: true }) };
    }
    const value = start === close.end ? close.next : yield* this.scan(cursor, start);
    if (value?.role === 'value' && value.isComplete) {
      const isExact = isSimple && value.isExact && value.header.trim() === '';
      const length = start + value.length;
      return { ...parameter, opener: valueOpen, length, ...(!isExact && { isTolerant: true }) };
    }
    const next = yield* cursor.peek(start);
    if (next === undefined || next === '<' || !isSimple) return undefined;
    return { ...parameter, opener: valueOpen, length: start, isTolerant: true };
  }

  /** Looks at the tags of one kind that follow each other. */
  private *countTags(
    cursor: TextCursor,
    options: {
      /** The tag at `start`. */
      first: WrittenTag | undefined;
      start: number;
      is: (tag: WrittenTag) => boolean;
      skip: (cursor: TextCursor, start: number) => Reading<number>;
    },
  ): Reading<TagCount> {
    let count = 0;
    let end = options.start;
    let tagEnd = options.start;
    let isExact = false;
    let hasCall = false;
    let tag = options.first;
    while (count < MAX_REPEATED) {
      if (tag === undefined || !options.is(tag)) break;
      const isInterrupted = !tag.isComplete && tag.header.trim() !== '';
      if (isInterrupted) break;
      isExact = count === 0 && tag.isExact && tag.isComplete && tag.header.trim() === '';
      hasCall ||= tag.role === 'call';
      tagEnd = end + tag.length - (tag.isComplete ? 0 : tag.header.length);
      end = yield* options.skip(cursor, tagEnd);
      tag = yield* this.scan(cursor, end);
      count++;
    }
    return { count, end, tagEnd, next: tag, isExact: isExact && !hasCall, hasCall };
  }
}

const findValueStart = (cursor: TextCursor, start: number): Reading<number> =>
  findSpaceEnd(cursor, { start });

/** Collects the characters of a tag after its `<`. */
class TagScanner {
  private state: 'start' | 'name' | 'header' | 'closed' | 'none' = 'start';
  private isClosing = false;
  private name = '';
  private header = '';
  private found: { role: Role; isExact: boolean } | undefined;

  constructor(
    private readonly longest: number,
    private readonly find: (name: string, isClosing: boolean) => { role: Role; isExact: boolean } | undefined,
  ) {}

  /** Adds a character. Returns false if it ends the tag, or if the text is no tag. */
  push(character: string): boolean {
    switch (this.state) {
      case 'start':
        return this.start(character);
      case 'name':
        return this.addToName(character);
      case 'header':
        return this.addToHeader(character);
      default:
        return false;
    }
  }

  /** Returns the tag, which ends before or with the character at this offset. */
  end(offset: number): WrittenTag | undefined {
    if (this.state === 'name') this.endName();
    if (this.state !== 'header' && this.state !== 'closed') return undefined;
    const isComplete = this.state === 'closed';
    const { isClosing, name, header, found } = this;
    const length = isComplete ? offset + 1 : offset;
    return {
      isClosing,
      name,
      header,
      length,
      isComplete,
      role: found?.role,
      isExact: found?.isExact === true,
    };
  }

  private start(character: string): boolean {
    if (character === '/' && !this.isClosing) this.isClosing = true;
    else if (/[\p{L}|｜‖_¦│┃∣❘]/u.test(character)) return this.addToName(character);
    else if (character !== ' ') this.state = 'none';
    return this.state !== 'none';
  }

  private addToName(character: string): boolean {
    this.state = 'name';
    const isBetween = character === ' ' && BARS.test(this.name);
    if (isBetween || !NAME_END.test(character)) {
      this.name += character;
      if (this.name.length > this.longest) this.state = 'none';
      return this.state === 'name';
    }
    this.endName();
    return this.addToHeader(character);
  }

  private endName(): void {
    const name = this.name.replace(/\/$/, '');
    if (name !== this.name) this.header = '/';
    this.name = name;
    this.found = this.find(name, this.isClosing);
    this.state = 'header';
  }

  private addToHeader(character: string): boolean {
    if (character === '>') this.state = 'closed';
    if (character === '>' || character === '<' || character === '\n' || this.found === undefined)
      return false;
    this.header += character;
    if (this.header.length > MAX_TAG) this.state = 'none';
    return this.state === 'header';
  }
}

/** Returns true for a name in another case, with another prefix, or with one letter more, less or other. */
function isNear(bare: string, known: Name): boolean {
  if (bare === known.bare) return true;
  // `</parameter1>` and `</parameter_function>`.
  if (known.role === 'parameter-end' && known.bare.length > 4 && bare.startsWith(known.bare)) return true;
  return known.bare.length > 4 && isWithinOne(bare, known.bare);
}

/** Returns true if two texts differ in at most one letter. */
function isWithinOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}

export interface Header {
  readonly key: string;
  readonly isTolerant: boolean;
  readonly isJson?: boolean;
  readonly isEmpty?: boolean;
}

const ATTRIBUTE = /\s*([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/y;

/**
 * Reads the key after the name of a tag: `=key` or ` name="key"`. More attributes, in any order and with either quote, and
 * the other of the two forms are accepted.
 */
export function readHeader(written: string, hasAttribute: boolean): Header | undefined {
  const isEmpty = written.trimEnd().endsWith('/');
  const header = (isEmpty ? written.replace(/\/\s*$/, '') : written).replaceAll('Ġ', ' ').trim();
  const [, direct] = /^=\s*([^]*)$/.exec(header) ?? [];
  const attributes = new Map<string, string>();
  const rest = direct === undefined ? header : `name=${direct}`;
  ATTRIBUTE.lastIndex = 0;
  let end = 0;
  for (let match = ATTRIBUTE.exec(rest); match !== null; match = ATTRIBUTE.exec(rest)) {
    const [, name = '', double, single, bare = ''] = match;
    attributes.set(name, double ?? single ?? bare);
    end = ATTRIBUTE.lastIndex;
  }
  const isWhole = end === rest.length && rest !== '';
  const string = attributes.get('string');
  const isJson = string === undefined ? {} : { isJson: string === 'false' };
  // A key after `=` may contain spaces.
  if (direct !== undefined && !isWhole) {
    const isPlain = /^[^"'=<>]+$/.test(direct) && direct.trim() !== '';
    return isPlain && !isEmpty ? { key: direct.trim(), isTolerant: hasAttribute } : undefined;
  }
  const key = attributes.get('name')?.trim();
  if (!isWhole || key === undefined || key === '') return undefined;
  // An empty element with more than a name may have its value there.
  const hasMore = [...attributes.keys()].some(name => name !== 'name' && name !== 'string');
  if (isEmpty && hasMore) return undefined;
  const isTolerant = isEmpty || hasMore || hasAttribute === (direct !== undefined);
  return { key, isTolerant, ...isJson, ...(isEmpty && { isEmpty }) };
}
