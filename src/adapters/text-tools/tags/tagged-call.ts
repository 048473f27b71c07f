import { resolveSchema } from '../../../core/tool-calls/json-schema.js';
import { BEFORE_MENTION, endsInMarkup } from '../reading/markup.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';
import { type ArgumentWriter, createArgumentWriter, type ValueWriter } from '../values/argument-writer.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import type { ParameterTag, Tag, TagGrammar } from './tag-grammar.js';
import { NestedCalls, ValueBuffer } from './value-buffer.js';

/**
 * Reads the parameters of a call, from after its opening tag up to its closing tag. A call whose closing tag is missing
 * at the end of the text is unclosed; it is accepted only with a parameter, and with all parameters that its tool
 * requires. If any word can be the name of a call without parameters, such a call counts only if its tool is declared.
 *
 * A misspelt tag is read as the tag that it must be. Such a call counts only for a declared tool, with parameters of its
 * schema alone and with all that it requires. What cannot be read makes the whole call invalid.
 */
export const readTaggedCall = (
  cursor: TextCursor,
  calls: TextCalls,
  {
    grammar,
    name,
    id,
    isAnyWord = false,
  }: { grammar: TagGrammar; name: string; id?: string | undefined; isAnyWord?: boolean },
): Reading<boolean> => {
  const tool = calls.begin(name, { id });
  const state = new CallState(tool, createArgumentWriter(tool, calls.input, grammar));
  return readParameters(cursor, calls, { grammar, name, isAnyWord, state });
};

/** What the tags of a call have shown so far. */
class CallState {
  /** A tag was misspelt, repeated or missing. */
  isTolerant = false;
  /** A misspelt tag started a parameter. Its key must be in the schema. */
  readonly guessedKeys = new Set<string>();
  /** A value contains the end of a parameter that may be a real one. */
  hasStrayEnd = false;
  /** A value contains the start of a parameter that may be a real one. */
  hasStrayStart = false;

  constructor(
    readonly tool: DeclaredTool | undefined,
    readonly writer: ArgumentWriter,
  ) {}

  /** Notes a key that a misspelt tag contains. */
  guess(key: string): void {
    this.isTolerant = true;
    this.guessedKeys.add(key);
  }

  /** Returns true if an element with this name is a parameter of the tool that was not written yet. */
  isElement(name: string): boolean {
    return this.writer.keys?.includes(name) === true && !this.writer.has(name) && !isPrototypeKey(name);
  }

  /** Returns true if no other reading of the text would be another call. */
  get isCertain(): boolean {
    const { tool, writer } = this;
    if (writer.hasDuplicate || this.hasStrayStart) return false;
    // The start of a parameter that was not written may be missing before the end that is in the value.
    if (this.hasStrayEnd && writer.keys?.every(key => writer.has(key)) !== true) return false;
    if (!this.isTolerant) return true;
    const areKnown = [...this.guessedKeys].every(key => writer.keys?.includes(key) === true);
    return tool !== undefined && areKnown && hasRequired(tool, writer);
  }
}

function* readParameters(
  cursor: TextCursor,
  calls: TextCalls,
  {
    grammar,
    name,
    isAnyWord,
    state,
  }: { grammar: TagGrammar; name: string; isAnyWord: boolean; state: CallState },
): Reading<boolean> {
  const { tool, writer } = state;
  let tag: Tag | undefined;
  for (;;) {
    yield* grammar.takeSpace(cursor);
    tag = yield* grammar.readTag(cursor, { isBetween: true });
    if (tag?.kind === 'parameter') {
      if (isPrototypeKey(tag.key)) return false;
      if (!(yield* readParameter(cursor, { grammar, state, parameter: tag }))) return false;
    } else if (tag?.kind === 'other' && tag.isClosing === false && state.isElement(tag.name ?? '')) {
      cursor.take(tag.length);
      if (!(yield* readElement(cursor, state, tag.name ?? ''))) return false;
    } else if (tag?.kind === 'call' && writer.size === 0 && tag.opener === name) {
      cursor.take(tag.length);
      state.isTolerant = true;
    } else {
      break;
    }
  }
  const hasParameters = writer.size > 0;
  const isUnclosed = tag === undefined && (yield* endsUnclosed(cursor, tool, writer));
  if (tag?.kind === 'other' && tag.isClosing === true && tag.name === name)
    tag = { kind: 'call-end', length: tag.length, isTolerant: true };
  const isEnd = tag?.kind === 'call-end' || tag?.kind === 'list-end';
  const isWholeEnd =
    isEnd && tag?.isTolerant !== true && !(tag?.kind === 'call-end' && tag.isTruncated === true);
  // A parameter after the end belongs to the call. Without it, another call would run.
  const isClosed =
    isEnd && (isWholeEnd || hasParameters) && !(yield* grammar.startsParameter(cursor, tag?.length ?? 0));
  // The start of the next call proves that this one has ended.
  const isInterrupted = tag?.kind === 'call' && hasParameters;
  if (!isClosed && !isUnclosed && !isInterrupted) {
    if (tag !== undefined && hasParameters) yield* skipCall(cursor, grammar);
    return false;
  }
  if (isInterrupted || tag?.isTolerant === true) state.isTolerant = true;
  if (!state.isCertain || (isAnyWord && tool === undefined && !hasParameters)) return false;
  if (tag?.kind === 'call-end') cursor.take(tag.length);
  writer.end();
  calls.end({ isUnclosed });
  return true;
}

/** The parameters that were written. */
interface WrittenKeys {
  readonly size: number;
  has(key: string): boolean;
}

/**
 * Returns true if the text ends after a complete parameter, and all parameters that the tool requires were written. Those
 * of an undeclared tool are unknown. The call is then unclosed.
 */
export function* endsUnclosed(
  cursor: TextCursor,
  tool: DeclaredTool | undefined,
  writer: WrittenKeys,
): Reading<boolean> {
  if (tool === undefined || writer.size === 0 || (yield* cursor.peek()) !== undefined) return false;
  return hasRequired(tool, writer);
}

/** Returns true if all parameters that the tool requires were written. */
export function hasRequired(tool: DeclaredTool, writer: Pick<WrittenKeys, 'has'>): boolean {
  const { required } = resolveSchema(tool.schema, tool.schema);
  return !Array.isArray(required) || required.every(key => writer.has(String(key)));
}

/** Takes the rest of a call that cannot be read, up to its end or the start of the next call. */
function* skipCall(cursor: TextCursor, grammar: TagGrammar): Reading<void> {
  for (;;) {
    if ((yield* cursor.passUntil(TAG_START, () => {})) === undefined) return;
    const tag = yield* grammar.readTag(cursor);
    if (tag?.kind === 'call' || tag?.kind === 'list' || tag?.kind === 'list-end') return;
    cursor.take(tag?.length ?? 1);
    if (tag?.kind === 'call-end') return;
  }
}

/** Reads the value of an element that has the name of its parameter, up to its closing tag before another tag. */
function* readElement(cursor: TextCursor, state: CallState, name: string): Reading<boolean> {
  const end = `</${name}>`;
  let text = '';
  state.guess(name);
  for (;;) {
    if ((yield* cursor.passUntil(TAG_START, plain => void (text += plain))) === undefined) return false;
    if (!(yield* cursor.takes(end))) {
      text += cursor.take(1);
      continue;
    }
    const space = yield* cursor.takeSpace();
    const next = yield* cursor.peek();
    if (next === '<' || next === undefined) break;
    text += end + space;
  }
  const value = state.writer.open(name);
  value.push(text.replace(/^\r?\n/, '').replace(/\r?\n$/, ''));
  value.end();
  return true;
}

const CDATA_END = /\]/g;

/** Reads a verbatim value up to the end of its parameter. */
function* readVerbatim(cursor: TextCursor, grammar: TagGrammar, value: ValueWriter): Reading<boolean> {
  // The writer decodes entities.
  const push = (text: string) => value.push(text.replaceAll('&', '&amp;'));
  while (!(yield* cursor.takes(']]>'))) {
    if ((yield* cursor.peek()) === undefined) return false;
    push(cursor.take(1));
    yield* cursor.passUntil(CDATA_END, push);
  }
  value.end();
  yield* cursor.takeSpace();
  const tag = yield* grammar.readTag(cursor);
  if (tag?.kind !== 'parameter-end') return false;
  cursor.take(tag.length);
  return true;
}

interface ReadParameterOptions {
  readonly grammar: TagGrammar;
  readonly state: CallState;
  /** The tag that starts the value. */
  readonly parameter: Extract<Tag, { kind: 'parameter' }>;
}

/** Reads a parameter from its opening tag on. */
function* readParameter(cursor: TextCursor, options: ReadParameterOptions): Reading<boolean> {
  const { grammar, state, parameter } = options;
  cursor.take(parameter.length);
  if (parameter.isTolerant === true) state.guess(parameter.key);
  if (parameter.isEmpty === true) {
    state.writer.open(parameter.key, parameter).end();
    return true;
  }
  if (grammar.hasCdata === true && (yield* cursor.takes('<![CDATA['))) {
    return yield* readVerbatim(cursor, grammar, state.writer.open(parameter.key));
  }
  return yield* new ValueReader(cursor, options).read();
}

const TAG_START = /</g;

const MAX_TAIL = 64;

/** Cutting the text with each chunk would take longer than reading it. */
const MAX_WRITTEN = 512;

/** Returns true between the tags of one element of other markup, as in `<code></parameter></code>`. */
function isBetweenTags(before: string, next: Tag | undefined): boolean {
  if (next?.kind !== 'other' || next.isClosing !== true) return false;
  const start = before.slice(before.lastIndexOf('<'));
  return start === `<${next.name}>` || (start.startsWith(`<${next.name} `) && start.endsWith('>'));
}

/**
 * Reads the value of a parameter up to its closing tag. A value may contain the tags themselves, for example in a file
 * about tool calls. A tag therefore counts only in the right surroundings:
 *
 * - A closing tag closes the value if a tag comes next. Before other text it is part of the value. Unless a sentence
 *   mentions it, it may then close a parameter whose start is missing, so that all parameters of the tool must be written.
 * - A parameter tag within the value and the next closing tag are a pair within the value. If that closing tag is where
 *   one of the call would be, the value ended before the pair, and its own closing tag is missing.
 * - The opening tag of the value directly after itself, and a closing tag directly after another one, count once.
 * - A call at the start of a line is part of the value up to its end. A call within a line is part of it up to the end
 *   of the line.
 * - The complete end of a call ends the value if the text or the list of calls ends after it, or another call starts.
 *
 * Text streams as soon as it is certain. From an uncertain parameter tag up to the tag that decides it, text is
 * buffered.
 */
class ValueReader {
  private readonly grammar: TagGrammar;
  private readonly state: CallState;
  private readonly parameter: ParameterTag;
  private readonly value: ValueBuffer;
  private readonly nestedCalls = new NestedCalls();
  /** True directly after a nested tag that starts a list of calls, which counts as the start of a line. */
  private isAfterList = false;
  /** True until the value contains a line break. */
  private isOneLine = true;
  /** True if the line contains more than white space. */
  private isInLine = false;
  /** At least the end of the text before the position. */
  private written = '';

  constructor(
    private readonly cursor: TextCursor,
    options: ReadParameterOptions,
  ) {
    this.grammar = options.grammar;
    this.state = options.state;
    this.parameter = options.parameter;
    this.value = new ValueBuffer(options.state.writer, options.parameter);
  }

  /** @returns false if the text ended before the value did. */
  *read(): Reading<boolean> {
    const { cursor, grammar } = this;
    for (;;) {
      if ((yield* cursor.passUntil(TAG_START, this.write)) === undefined) return false;
      const tag = yield* grammar.readTag(cursor);
      if (tag === undefined) this.write(cursor.take(1));
      else if (yield* this.endsAt(tag)) return true;
    }
  }

  private readonly write = (text: string): void => {
    const isBlank = text.trim() === '';
    if (!isBlank) this.isAfterList = false;
    const lineStart = text.lastIndexOf('\n') + 1;
    if (lineStart > 0) {
      this.isOneLine = false;
      this.nestedCalls.endLine();
      this.isInLine = text.slice(lineStart).trim() !== '';
    } else if (!isBlank) {
      this.isInLine = true;
    }
    this.written += text;
    if (this.written.length > MAX_WRITTEN) this.written = this.tail;
    this.value.write(text);
  };

  /** The end of the text before the position. */
  private get tail(): string {
    return this.written.slice(-MAX_TAIL);
  }

  private get isLineStart(): boolean {
    return this.cursor.previous === '\n' || this.isAfterList;
  }

  /** True if the text before the position may mention a tag. */
  private get mayMention(): boolean {
    return this.isInLine && BEFORE_MENTION.test(this.cursor.previous);
  }

  /** True if the text before the position ends in markup in place of the end of the value. */
  private get hasWrongEnd(): boolean {
    return this.grammar.hasValueEnds && endsInMarkup(this.tail);
  }

  /** Ends the value, which was closed by a tag, or by what follows it. */
  private end(isClosed: boolean): true {
    this.state.hasStrayStart ||= this.value.hasStrayStart || (!isClosed && this.hasWrongEnd);
    this.value.end(isClosed);
    return true;
  }

  /** Returns true if the value ends before or with the tag. */
  private *endsAt(tag: Tag): Reading<boolean> {
    const { cursor, nestedCalls, value } = this;
    switch (tag.kind) {
      case 'parameter':
      case 'opener':
        this.readStart(tag);
        return false;
      case 'parameter-end':
        return tag.isTolerant === true ? yield* this.readMisspeltEnd(tag) : yield* this.readEnd(tag);
      case 'call': {
        const isInLine = !this.isLineStart && !(yield* this.endsLine(tag));
        nestedCalls.begin({ isInLine, tags: value.openTags });
        break;
      }
      case 'call-end':
        if (nestedCalls.hasOpen) this.endNestedCall();
        else if (yield* this.isUnclosedBefore(tag)) return this.end(false);
        break;
      case 'list': {
        const isNested = this.isLineStart;
        this.write(cursor.take(tag.length));
        this.isAfterList = isNested;
        return false;
      }
      default:
        break;
    }
    this.write(cursor.take(tag.length));
    return false;
  }

  /** Reads the start of a parameter within the value. */
  private readStart(tag: Extract<Tag, { kind: 'parameter' | 'opener' }>): void {
    const { cursor, nestedCalls, value } = this;
    if (value.isBlank && value.openTags === 0 && tag.opener !== '' && tag.opener === this.parameter.opener) {
      value.openRepeated(cursor.take(tag.length));
      this.state.isTolerant = true;
      return;
    }
    const mayBeNext = tag.kind === 'parameter' && this.mayBeNextParameter(tag);
    if (mayBeNext && (this.isLineStart || this.isOneLine)) {
      value.openParameter(tag, { end: '', tag: cursor.take(tag.length) }, this.hasWrongEnd);
      return;
    }
    const isEmpty = tag.kind === 'parameter' && tag.isEmpty === true;
    if (!isEmpty && !nestedCalls.takesParameter()) value.openLiteral(this.mayMention);
    this.write(cursor.take(tag.length));
  }

  private *readEnd(tag: Tag): Reading<boolean> {
    const { cursor, grammar, nestedCalls, value, state } = this;
    if (nestedCalls.takesParameterEnd()) {
      this.write(cursor.take(tag.length));
      return false;
    }
    const { mayMention, tail } = this;
    let text = cursor.take(tag.length) + (yield* grammar.takeSpace(cursor));
    let next = yield* grammar.readTag(cursor, { isBetween: true });
    const { innermost, openTags } = value;
    if (next?.kind === 'parameter-end' && innermost === undefined && !value.isBlank) {
      // The same tag twice counts once.
      state.isTolerant = true;
      text += cursor.take(next.length) + (yield* grammar.takeSpace(cursor));
      next = yield* grammar.readTag(cursor, { isBetween: true });
    }
    const isMention = (mayMention && !text.includes('\n')) || isBetweenTags(tail, next);
    switch (innermost?.kind) {
      case undefined:
        if (!isBetweenTags(tail, next) && (yield* this.isEndBefore(next, text))) return this.end(true);
        break;
      case 'repeated':
        // An end of its own makes the tag part of the value.
        if (next?.kind !== 'parameter-end') return this.end(true);
        break;
      case 'parameter':
        if (yield* this.isEndOfParameter(next)) return this.end(true);
        if (innermost.isAfterEnd) state.hasStrayEnd = true;
        break;
      case 'literal':
        if (yield* this.isEndAfterLiteral(next, text)) return this.end(true);
        break;
    }
    // The next parameter was opened, which is decided at its end.
    if (value.innermost?.kind === 'parameter' && value.innermost !== innermost) return false;
    if (innermost === undefined && !isMention) state.hasStrayEnd = true;
    this.write(text);
    if (openTags > 0) value.closeTags(openTags - 1);
    return false;
  }

  /** Returns true if a closing tag closes the value before what follows. Otherwise it is part of the value, or undecided. */
  private *isEndBefore(next: Tag | undefined, text: string): Reading<boolean> {
    if (next === undefined) return (yield* this.cursor.peek()) === undefined;
    if (next.kind === 'parameter-end') return false;
    if (next.kind !== 'parameter' || next.isTolerant === true) return true;
    const { writer } = this.state;
    if ((writer.isDeclared(next.key) && !writer.has(next.key)) || isPrototypeKey(next.key)) return true;
    this.value.openParameter(next, { end: text, tag: this.cursor.take(next.length) });
    return false;
  }

  /** Returns true if a closing tag closes the value, which may be that of the innermost parameter. */
  private *isEndOfParameter(next: Tag | undefined): Reading<boolean> {
    if (next === undefined) return (yield* this.cursor.peek()) === undefined;
    if (next.kind === 'list-end') return true;
    if (next.kind === 'call-end') return yield* this.endsCall(next);
    return (
      next.kind === 'parameter' && this.state.writer.isDeclared(next.key) && !this.value.hasOpen(next.key)
    );
  }

  /** Returns true if a closing tag closes the value although a tag within it is open. */
  private *isEndAfterLiteral(next: Tag | undefined, text: string): Reading<boolean> {
    const { cursor, value, nestedCalls, state } = this;
    if (nestedCalls.hasMultiline || !(value.openTags === 1 || value.hasOnlyMentions)) return false;
    if (next?.kind === 'call-end') return yield* this.endsCall(next);
    if (next?.kind !== 'parameter' || next.isTolerant === true) return false;
    if (!state.writer.isDeclared(next.key) || state.writer.has(next.key)) return false;
    // The text mentions the open tag. Otherwise the closing tag may be that of the open one.
    if (value.hasOnlyMentions) return true;
    value.closeTags(0);
    value.openParameter(next, { end: text, tag: cursor.take(next.length) }, true);
    return false;
  }

  private *readMisspeltEnd(tag: Tag): Reading<boolean> {
    const { cursor, grammar, nestedCalls, state, value } = this;
    const text = cursor.take(tag.length) + (yield* grammar.takeSpace(cursor));
    const next = yield* grammar.readTag(cursor);
    if (next?.kind === 'parameter' && this.mayBeNextParameter(next)) {
      state.isTolerant = true;
      value.openParameter(next, { end: text, tag: cursor.take(next.length) });
      return false;
    }
    if (next?.kind === 'call-end' && !nestedCalls.hasMultiline && (yield* this.endsCall(next))) {
      state.isTolerant = true;
      return this.end(true);
    }
    this.write(text);
    return false;
  }

  /** Returns true if the call may continue with this parameter although the value was not closed. */
  private mayBeNextParameter(parameter: ParameterTag): boolean {
    const { nestedCalls, state, value } = this;
    const isInPair = nestedCalls.hasMultiline || value.innermost?.kind === 'literal';
    const isUsed = state.writer.has(parameter.key) || value.hasOpen(parameter.key);
    return !isInPair && state.writer.isDeclared(parameter.key) && !isUsed && !isPrototypeKey(parameter.key);
  }

  /** Ends a nested call and its unclosed parameters. */
  private endNestedCall(): void {
    const isAfterTag = this.isLineStart || this.cursor.previous === '>';
    const tags = this.nestedCalls.end({ isAfterTag });
    if (tags !== undefined) this.value.closeTags(tags);
  }

  /** Returns true if the end of the call ends a value without a closing tag. A truncated end is not enough. */
  private *isUnclosedBefore(tag: Extract<Tag, { kind: 'call-end' }>): Reading<boolean> {
    if (tag.isTruncated === true || !(this.isLineStart || this.isOneLine)) return false;
    return yield* this.endsCall(tag);
  }

  private *endsLine(tag: Tag): Reading<boolean> {
    const next = yield* this.cursor.peek(tag.length);
    return next === '\n' || next === '\r';
  }

  /** Returns true if the text or the list of calls ends after the tag, or the next call starts. */
  private endsCall(tag: Tag): Reading<boolean> {
    return this.grammar.endsAfter(this.cursor, tag.length);
  }
}
