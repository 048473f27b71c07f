import { resolveSchema } from '../../tool-calls/json-schema.js';
import { type ArgumentWriter, createArgumentWriter } from './argument-writer.js';
import { isPrototypeKey } from './json-scanner.js';
import type { TagGrammar } from './tag-grammar.js';
import { readTaggedValue } from './tagged-value.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';

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
    const tag = yield* grammar.readTag(cursor);
    if (tag?.kind === 'parameter') {
      if (isPrototypeKey(tag.key)) return false;
      cursor.take(tag.length);
      if (!(yield* readTaggedValue(cursor, { grammar, argumentWriter, parameter: tag }))) return false;
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
