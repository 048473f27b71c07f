import { createTagGrammar, readKeyTag, type TagGrammar } from '../parser/tag-grammar.js';

/**
 * Creates a grammar of `<arg_key>key</arg_key><arg_value>value</arg_value>` pairs in the tags of a call.
 *
 * @param tagOf Returns the name of a tag as the family writes it, with a prefix or suffix.
 */
export function createPairGrammar(
  tagOf: (name: 'tool_call' | 'tool_calls' | 'arg_key' | 'arg_value') => string,
): TagGrammar {
  const open = (name: Parameters<typeof tagOf>[0]) => `<${tagOf(name)}>`;
  const close = (name: Parameters<typeof tagOf>[0]) => `</${tagOf(name)}>`;
  const tags = createTagGrammar({
    parameter: open('arg_key'),
    parameterEnd: close('arg_value'),
    call: open('tool_call'),
    callEnd: close('tool_call'),
    lists: [open('tool_calls')],
    listEnds: [close('tool_calls')],
  });
  const keyTag = { open: open('arg_key'), close: close('arg_key'), valueOpen: open('arg_value') };
  return {
    ...tags,
    *readTag(cursor) {
      return (yield* readKeyTag(cursor, keyTag)) ?? (yield* tags.readTag(cursor));
    },
  };
}
