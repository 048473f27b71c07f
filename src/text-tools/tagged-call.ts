import { createArgumentWriter } from './argument-writer.js';
import { isPrototypeKey } from './json-scanner.js';
import type { TagGrammar } from './tag-grammar.js';
import { readTaggedValue } from './tagged-value.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextCalls } from './text-tool-format.js';

/**
 * Reads the parameters of a call, from after its opening tag up to its closing tag. An unclosed call is accepted only if
 * the text ends directly after a parameter, and no required parameter is missing.
 */
export function* readTaggedCall(
  cursor: TextCursor,
  calls: TextCalls,
  { grammar, name, id }: { grammar: TagGrammar; name: string; id?: string },
): Reading<boolean> {
  const tool = calls.begin(name, { id });
  const argumentWriter = createArgumentWriter(tool, { ...grammar, write: calls.input });
  let hasParameters = false;
  for (;;) {
    yield* cursor.takeSpace();
    const tag = yield* grammar.readTag(cursor);
    if (tag?.kind === 'parameter') {
      if (isPrototypeKey(tag.key)) return false;
      cursor.take(tag.length);
      if (!(yield* readTaggedValue(cursor, { grammar, argumentWriter, parameter: tag }))) return false;
      hasParameters = true;
      continue;
    }
    const isAtEnd = tag === undefined && (yield* cursor.peek()) === undefined;
    const isClosed = tag?.kind === 'call-end' && (tag.isTruncated !== true || hasParameters);
    if (!isClosed && tag?.kind !== 'list-end' && !(isAtEnd && hasParameters && argumentWriter.hasRequired))
      return false;
    if (tag?.kind === 'call-end') cursor.take(tag.length);
    argumentWriter.end();
    calls.end();
    return true;
  }
}
