import { resolveSchema } from '../../tool-calls/json-schema.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';
import { type ArgumentWriter, createArgumentWriter, type ValueWriter } from '../values/argument-writer.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import type { Tag, TagGrammar } from './tag-grammar.js';
import {
  createNestedCalls,
  createValueBuffer,
  type NestedCalls,
  type ParameterTag,
  type ValueBuffer,
} from './value-buffer.js';

/**
 * Reads the parameters of a call, from after its opening tag up to its closing tag. A call whose closing tag is missing
 * at the end of the text is unclosed; it is accepted only with a parameter, and with all parameters that its tool
 * requires. If any word can be the name of a call without parameters, such a call counts only if its tool is declared.
 */
export function* readTaggedCall(
  cursor: TextCursor,
  calls: TextCalls,
  {
    grammar,
    name,
    id,
    isAnyWord = false,
  }: { grammar: TagGrammar; name: string; id?: string | undefined; isAnyWord?: boolean },
): Reading<boolean> {
  const tool = calls.begin(name, { id });
  const argumentWriter = createArgumentWriter(tool, { ...grammar, write: calls.input });
  let hasParameters = false;
  for (;;) {
    yield* grammar.takeSpace(cursor);
    const tag = yield* grammar.readTag(cursor, { isBetween: true });
    if (tag?.kind === 'parameter') {
      const isRepeated = grammar.isStrict === true && argumentWriter.has(tag.key);
      if (isPrototypeKey(tag.key) || isRepeated) return false;
      cursor.take(tag.length);
      const isRead =
        grammar.isStrict === true && (yield* cursor.takes('<![CDATA['))
          ? yield* readVerbatim(cursor, argumentWriter.open(tag.key))
          : yield* readTaggedValue(cursor, { grammar, argumentWriter, parameter: tag });
      if (!isRead || (grammar.isStrict === true && argumentWriter.hasDuplicate)) return false;
      hasParameters = true;
      continue;
    }
    const isUnclosed = tag === undefined && (yield* endsUnclosed(cursor, tool, argumentWriter));
    const isClosed = tag?.kind === 'call-end' && (tag.isTruncated !== true || hasParameters);
    if (!isClosed && !isUnclosed && tag?.kind !== 'list-end') return false;
    if (isAnyWord && tool === undefined && !hasParameters) return false;
    if (tag?.kind === 'call-end') cursor.take(tag.length);
    argumentWriter.end();
    calls.end({ isUnclosed });
    return true;
  }
}

/**
 * Returns true if the text ends after a complete parameter, and all parameters that the tool requires were written. Those
 * of an undeclared tool are unknown. The call is then unclosed.
 */
export function* endsUnclosed(
  cursor: TextCursor,
  tool: DeclaredTool | undefined,
  { size, has }: Pick<ArgumentWriter, 'size' | 'has'>,
): Reading<boolean> {
  if (tool === undefined || size === 0 || (yield* cursor.peek()) !== undefined) return false;
  const { required } = resolveSchema(tool.schema, tool.schema);
  return !Array.isArray(required) || required.every(key => has(String(key)));
}

const CDATA_END = /\]/g;

/** Reads a verbatim value, and the end of its parameter. */
function* readVerbatim(cursor: TextCursor, value: ValueWriter): Reading<boolean> {
  // The writer decodes entities.
  const push = (text: string) => value.push(text.replaceAll('&', '&amp;'));
  while (!(yield* cursor.takes(']]>'))) {
    if ((yield* cursor.peek()) === undefined) return false;
    push(cursor.take(1));
    yield* cursor.passUntil(CDATA_END, push);
  }
  value.end();
  yield* cursor.takeSpace();
  return yield* cursor.takes('</param>');
}

interface TaggedValueOptions {
  readonly grammar: TagGrammar;
  readonly argumentWriter: ArgumentWriter;
  /** The tag that started the value. */
  readonly parameter: ParameterTag;
}

/** The state of reading one value. */
interface ValueReader extends Omit<TaggedValueOptions, 'parameter'> {
  readonly cursor: TextCursor;
  readonly value: ValueBuffer;
  readonly nestedCalls: NestedCalls;
  /** True directly after a nested tag that starts a list of calls, which counts as the start of a line. */
  isAfterList: boolean;
  /** True until the value contains a line break. */
  isOneLine: boolean;
}

const TAG_START = /</g;

/**
 * Reads the value of a parameter up to its closing tag. A value may contain the tags themselves, for example in a file
 * about tool calls. A tag therefore counts only in the right surroundings:
 *
 * - A closing tag closes the value only before the tool's next parameter or the end of the call.
 * - A parameter tag at the start of a line and the next closing tag are a pair within the value. If that closing tag
 *   is where one of the call would be, the value ended before the pair, and its own closing tag is missing.
 * - A call at the start of a line is part of the value up to its end. A call within a line is part of it up to the end
 *   of the line.
 * - The complete end of a call ends the value if the text or the list of calls ends after it, or another call starts.
 *
 * Text streams as soon as it is certain. From an uncertain parameter tag up to the tag that decides it, text is
 * buffered.
 *
 * @returns false if the text ended before the value did.
 */
function* readTaggedValue(
  cursor: TextCursor,
  { grammar, argumentWriter, parameter }: TaggedValueOptions,
): Reading<boolean> {
  const reader: ValueReader = {
    cursor,
    grammar,
    argumentWriter,
    value: createValueBuffer(argumentWriter, parameter),
    nestedCalls: createNestedCalls(),
    isAfterList: false,
    isOneLine: true,
  };
  for (;;) {
    if ((yield* cursor.passUntil(TAG_START, text => write(reader, text))) === undefined) return false;
    const tag = yield* grammar.readTag(cursor);
    if (tag === undefined) {
      write(reader, cursor.take(1));
    } else if (yield* readTag(reader, tag)) {
      reader.value.end();
      return true;
    }
  }
}

/** Returns true if the value ends before or with the tag. */
function* readTag(reader: ValueReader, tag: Tag): Reading<boolean> {
  const { cursor, nestedCalls, value } = reader;
  switch (tag.kind) {
    case 'parameter':
      readParameter(reader, tag);
      return false;
    case 'parameter-end':
      return yield* readParameterEnd(reader, tag);
    case 'misspelt-end':
      return yield* readMisspeltEnd(reader, tag);
    case 'call': {
      const isInLine = !isLineStart(reader) && !(yield* endsLine(reader, tag));
      nestedCalls.begin({ isInLine, tags: value.openTags });
      break;
    }
    case 'call-end':
      if (nestedCalls.hasOpen) endNestedCall(reader);
      else if (yield* endsUnclosedValue(reader, tag)) return true;
      break;
    case 'list': {
      const isNested = isLineStart(reader);
      write(reader, cursor.take(tag.length));
      reader.isAfterList = isNested;
      return false;
    }
    case 'list-end':
      break;
  }
  write(reader, cursor.take(tag.length));
  return false;
}

function readParameter(reader: ValueReader, tag: ParameterTag): void {
  const { cursor, nestedCalls, value } = reader;
  if ((isLineStart(reader) || reader.isOneLine) && mayBeNextParameter(reader, tag)) {
    value.openParameter(tag, { end: '', tag: cursor.take(tag.length) });
    return;
  }
  if (!nestedCalls.takesParameter() && (isLineStart(reader) || nestedCalls.hasMultiline)) value.openText();
  write(reader, cursor.take(tag.length));
}

function* readParameterEnd(reader: ValueReader, tag: Tag): Reading<boolean> {
  const { cursor, grammar, argumentWriter, nestedCalls, value } = reader;
  if (nestedCalls.takesParameterEnd()) {
    write(reader, cursor.take(tag.length));
    return false;
  }
  const text = cursor.take(tag.length) + (yield* grammar.takeSpace(cursor));
  const next = yield* grammar.readTag(cursor, { isBetween: true });
  const isAtEnd = next === undefined ? (yield* cursor.peek()) === undefined : next.kind === 'list-end';
  const { mayBeParameter } = value;
  if (mayBeParameter === undefined) {
    if (isAtEnd || next?.kind === 'call-end') return true;
    if (next?.kind === 'parameter') {
      const isNext = argumentWriter.isDeclared(next.key) && !argumentWriter.has(next.key);
      if (isNext || isPrototypeKey(next.key)) return true;
      value.openParameter(next, { end: text, tag: cursor.take(next.length) });
      return false;
    }
  } else {
    // One unclosed text tag does not prevent the end of the call.
    const mayEndCall = mayBeParameter || (value.openTags === 1 && !nestedCalls.hasMultiline);
    if (mayEndCall && next?.kind === 'call-end' && (yield* endsCall(reader, next))) return true;
    const isNext =
      next?.kind === 'parameter' && argumentWriter.isDeclared(next.key) && !value.hasOpen(next.key);
    if (mayBeParameter && (isNext || isAtEnd)) return true;
  }
  write(reader, text);
  if (value.openTags > 0) value.closeTags(value.openTags - 1);
  return false;
}

function* readMisspeltEnd(reader: ValueReader, tag: Tag): Reading<boolean> {
  const { cursor, grammar, nestedCalls, value } = reader;
  const text = cursor.take(tag.length) + (yield* grammar.takeSpace(cursor));
  const next = yield* grammar.readTag(cursor);
  if (next?.kind === 'parameter' && mayBeNextParameter(reader, next)) {
    value.openParameter(next, { end: text, tag: cursor.take(next.length) });
    return false;
  }
  if (next?.kind === 'call-end' && !nestedCalls.hasMultiline && (yield* endsCall(reader, next))) return true;
  write(reader, text);
  return false;
}

/** Returns true if the call may continue with this parameter although the value was not closed. */
function mayBeNextParameter(
  { argumentWriter, nestedCalls, value }: ValueReader,
  { key }: ParameterTag,
): boolean {
  const isInPair = nestedCalls.hasMultiline || value.mayBeParameter === false;
  const isUsed = argumentWriter.has(key) || value.hasOpen(key);
  return !isInPair && argumentWriter.isDeclared(key) && !isUsed && !isPrototypeKey(key);
}

/** Ends a nested call and its unclosed parameters. */
function endNestedCall(reader: ValueReader): void {
  const tags = reader.nestedCalls.end({
    isAfterTag: isLineStart(reader) || reader.cursor.previous === '>',
  });
  if (tags !== undefined) reader.value.closeTags(tags);
}

/** Returns true if the end of the call ends a value without a closing tag. A truncated end is not enough. */
function* endsUnclosedValue(reader: ValueReader, tag: Extract<Tag, { kind: 'call-end' }>): Reading<boolean> {
  if (tag.isTruncated === true || !(isLineStart(reader) || reader.isOneLine)) return false;
  return yield* endsCall(reader, tag);
}

const isLineStart = ({ cursor, isAfterList }: ValueReader): boolean =>
  cursor.previous === '\n' || isAfterList;

function* endsLine({ cursor }: ValueReader, tag: Tag): Reading<boolean> {
  const next = yield* cursor.peek(tag.length);
  return next === '\n' || next === '\r';
}

/** Returns true if the text or the list of calls ends after the tag, or the next call starts. */
const endsCall = ({ grammar, cursor }: ValueReader, tag: Tag): Reading<boolean> =>
  grammar.endsAfter(cursor, tag.length);

function write(reader: ValueReader, text: string): void {
  if (text.trim() !== '') reader.isAfterList = false;
  if (text.includes('\n')) {
    reader.isOneLine = false;
    reader.nestedCalls.endLine();
  }
  reader.value.write(text);
}
