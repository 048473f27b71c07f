import { createArgumentWriter } from './argument-writer.js';
import { isPrototypeKey } from './json-scanner.js';
import type { TagGrammar } from './tag-grammar.js';
import { readTaggedValue } from './tagged-value.js';
import type { Reading, TextCursor } from './text-cursor.js';
import type { TextCalls } from './text-tool-format.js';

/**
 * Reads the parameters of a call, from after its opening tag up to its closing tag. A call whose tag is
 * missing at the end of the text may lack parameters, and is not accepted. If any word can be the name of a call without
 * parameters, such a call counts only if its tool is declared.
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
    const tag = yield* grammar.readTag(cursor);
    if (tag?.kind === 'parameter') {
      if (isPrototypeKey(tag.key)) return false;
      cursor.take(tag.length);
      if (!(yield* readTaggedValue(cursor, { grammar, argumentWriter, parameter: tag }))) return false;
      hasParameters = true;
      continue;
    }
    const isClosed = tag?.kind === 'call-end' && (tag.isTruncated !== true || hasParameters);
    if (!isClosed && tag?.kind !== 'list-end') return false;
    if (isAnyWord && tool === undefined && !hasParameters) return false;
    if (tag?.kind === 'call-end') cursor.take(tag.length);
    argumentWriter.end();
    calls.end();
    return true;
  }
}
