import type { ArgumentWriter } from './argument-writer.js';
import { createInnerCalls } from './nested-calls.js';
import { isPrototypeKey } from './json-scanner.js';
import type { Tag, TagGrammar } from './tag-grammar.js';
import type { Reading, TextCursor } from './text-cursor.js';

type ParameterTag = Extract<Tag, { kind: 'parameter' }>;

export interface TaggedValueOptions {
  readonly grammar: TagGrammar;
  readonly argumentWriter: ArgumentWriter;
  /** The tag that opened the value. */
  readonly parameter: ParameterTag;
}

/** A parameter tag within a value. */
interface Opener {
  readonly parameter: ParameterTag;
  /** Whether it may begin the next parameter, or is text of this value for certain. */
  readonly mayBeReal: boolean;
  /** Where the value before it ends and its own begins, in what is held. */
  readonly end: number;
  readonly start: number;
}

const TAG_START = /</g;

/**
 * Reads the value of a parameter to behind its closing tag. Values may hold the tags themselves, in a file about tool
 * calls for one, so a tag counts by what is around it:
 *
 * - A closing tag closes the value only before the next parameter of the tool, or the end of the call.
 * - A parameter tag at the start of a line and the next closing tag are a pair within the value, unless that closing
 *   tag stands where one of the call would: then the value ended before the pair, and its own closing tag was lost.
 * - A call at the start of a line is one within the value, up to its end; one within a line, up to the line's end.
 * - The whole end of a call ends the value if the text, or the list of calls, ends or goes on with a call behind it.
 *
 * What is decided streams. Held is the text from a parameter tag that is not decided to the tag that decides it.
 *
 * @returns whether the value ended.
 */
export function* readTaggedValue(
  cursor: TextCursor,
  { grammar, argumentWriter, parameter }: TaggedValueOptions,
): Reading<boolean> {
  const value = argumentWriter.open(parameter.key, parameter);
  /** Parameter tags that have not been closed. */
  const openers: Opener[] = [];
  /** The keys of those that may be real. */
  const openKeys = new Set<string>();
  /** The text from the first of those on. */
  let held = '';
  const innerCalls = createInnerCalls();
  let isBehindList = false;
  let isOneLine = true;

  for (;;) {
    accept(cursor.takeUntil(TAG_START));
    const next = yield* cursor.peek();
    if (next === undefined) return false;
    if (next !== '<') continue;
    const tag = yield* grammar.readTag(cursor);
    if (tag === undefined) accept(cursor.take(1));
    else if (yield* readTag(tag)) return true;
  }

  /** @returns whether the value ended before the tag, or with it. */
  function* readTag(tag: Tag): Reading<boolean> {
    switch (tag.kind) {
      case 'parameter':
        return readParameter(tag);
      case 'parameter-end':
        return yield* readParameterEnd(tag);
      case 'drifted-end':
        return yield* readDriftedEnd(tag);
      case 'call':
        innerCalls.begin({ isInLine: !isLineStart() && !(yield* endsLine(tag)), tags: openers.length });
        break;
      case 'call-end':
        if (innerCalls.hasOpen) endInnerCall();
        // Behind a value that has no end of its own, one that is cut tells nothing.
        else if (tag.isCut !== true && (isLineStart() || isOneLine) && (yield* endsCall(tag))) return end();
        break;
      case 'list': {
        const isInner = isLineStart();
        accept(cursor.take(tag.length));
        isBehindList = isInner;
        return false;
      }
      case 'list-end':
        break;
    }
    accept(cursor.take(tag.length));
    return false;
  }

  function readParameter(tag: ParameterTag): false {
    const mayBeReal = (isLineStart() || isOneLine) && mayBeNext(tag);
    if (mayBeReal) {
      hold(tag, '');
      return false;
    }
    if (!innerCalls.takesParameter() && (isLineStart() || innerCalls.hasLong)) {
      openers.push({ parameter: tag, mayBeReal, end: 0, start: 0 });
    }
    accept(cursor.take(tag.length));
    return false;
  }

  function* readParameterEnd(tag: Tag): Reading<boolean> {
    if (innerCalls.takesParameterEnd()) {
      accept(cursor.take(tag.length));
      return false;
    }
    const text = cursor.take(tag.length) + (yield* cursor.takeSpace());
    const next = yield* grammar.readTag(cursor);
    const isEnd = next === undefined ? (yield* cursor.peek()) === undefined : next.kind === 'list-end';
    const opener = openers.at(-1);
    if (opener === undefined) {
      if (isEnd || next?.kind === 'call-end') return end();
      if (next?.kind === 'parameter') {
        const isCertain = argumentWriter.knows(next.key) && !argumentWriter.has(next.key);
        if (isCertain || isPrototypeKey(next.key)) return end();
        hold(next, text);
        return false;
      }
    } else {
      const isOfCall = opener.mayBeReal || (openers.length === 1 && !innerCalls.hasLong);
      const isNext =
        opener.mayBeReal &&
        next?.kind === 'parameter' &&
        argumentWriter.knows(next.key) &&
        !openKeys.has(next.key);
      // Where the pair is text, its tag had no end of its own.
      if (isOfCall && next?.kind === 'call-end' && (yield* endsCall(next))) return end();
      if (isNext || (isEnd && opener.mayBeReal)) return end();
    }
    accept(text);
    if (opener !== undefined) closePair(opener);
    return false;
  }

  function* readDriftedEnd(tag: Tag): Reading<boolean> {
    const text = cursor.take(tag.length) + (yield* cursor.takeSpace());
    const next = yield* grammar.readTag(cursor);
    if (next?.kind === 'parameter' && mayBeNext(next)) {
      hold(next, text);
      return false;
    }
    if (next?.kind === 'call-end' && !innerCalls.hasLong && (yield* endsCall(next))) return end();
    accept(text);
    return false;
  }

  /** Whether the parameter is one that the call may go on with, although this value was not closed. */
  function mayBeNext({ key }: ParameterTag): boolean {
    const isInPair = innerCalls.hasLong || openers.at(-1)?.mayBeReal === false;
    const isUsed = argumentWriter.has(key) || openKeys.has(key);
    return !isInPair && argumentWriter.knows(key) && !isUsed && !isPrototypeKey(key);
  }

  function isLineStart(): boolean {
    return cursor.previous === '\n' || isBehindList;
  }

  /** The parameters that a call in the value did not close end with it. */
  function endInnerCall(): void {
    const tags = innerCalls.end({ isBehindTag: isLineStart() || cursor.previous === '>' });
    if (tags === undefined) return;
    for (const opener of openers.slice(tags).reverse()) closePair(opener);
  }

  function* endsLine(tag: Tag): Reading<boolean> {
    const next = yield* cursor.peek(tag.length);
    return next === '\n' || next === '\r';
  }

  /** Whether behind the tag the list or the text ends, or the next call begins. */
  function* endsCall(tag: Tag): Reading<boolean> {
    return yield* grammar.endsBehind(cursor, tag.length);
  }

  function accept(text: string): void {
    if (text.trim() !== '') isBehindList = false;
    if (text.includes('\n')) {
      isOneLine = false;
      innerCalls.endLine();
    }
    if (held !== '') held += text;
    else value.push(text);
  }

  /** From `text`, an end that does not count unless the tag does, and the tag on, everything is held. */
  function hold(tag: ParameterTag, text: string): void {
    const end = held.length;
    held += text + cursor.take(tag.length);
    openers.push({ parameter: tag, mayBeReal: true, end, start: held.length });
    openKeys.add(tag.key);
  }

  function closePair({ parameter: { key }, mayBeReal }: Opener): void {
    openers.pop();
    if (mayBeReal) openKeys.delete(key);
    if (openers.length > 0) return;
    value.push(held);
    held = '';
  }

  /** Ends the value, and those that were held to be part of it. */
  function end(): true {
    const real = openers.filter(({ mayBeReal }) => mayBeReal);
    value.push(held.slice(0, real[0]?.end));
    value.end();
    for (const [index, { parameter, start }] of real.entries()) {
      const next = argumentWriter.open(parameter.key, parameter);
      next.push(held.slice(start, real[index + 1]?.end));
      next.end();
    }
    return true;
  }
}
