import { readName } from '../read-name.js';
import { readTaggedCall } from '../tagged-call.js';
import { createTagGrammar } from '../tag-grammar.js';
import type { TextToolFormat } from '../text-tool-format.js';

/** `<invoke name="…"><parameter name="…">…</parameter></invoke>` in a list, as MiniMax M2 writes it. */
export const minimaxFormat: TextToolFormat = createInvokeFormat('minimax', {
  lists: ['minimax:tool_call'],
  trims: true,
  closers: ['[e~['],
  // Of MiniMax M3, which writes calls that its server reads, and leaves this behind.
  artefacts: [']<]minimax[>[</tool_call>', ']<]minimax[>['],
});

/** The same as Claude writes it, with entities for the characters of markup. */
export const claudeFormat: TextToolFormat = createInvokeFormat('claude', {
  lists: ['function_calls', 'antml:function_calls'],
  hasEntities: true,
});

/**
 * The same as DeepSeek V3.2 and V4 write it, in tags of special characters. The attribute `string` tells a string from
 * JSON. Blank lines before a list belong to it, and V4 calls without ending its thoughts.
 */
export const dsmlFormat: TextToolFormat = createInvokeFormat('dsml', {
  tagPrefix: '｜DSML｜',
  lists: ['function_calls', 'tool_calls'],
  leads: ['\n\n', '\n'],
  reasoningEnders: ['<｜DSML｜tool_calls>'],
  closers: ['<｜end▁of▁sentence｜>'],
});

interface InvokeOptions {
  readonly lists: readonly string[];
  readonly tagPrefix?: string;
  /** What may stand before a list and belongs to it. */
  readonly leads?: readonly string[];
  readonly closers?: readonly string[];
  readonly artefacts?: readonly string[];
  readonly reasoningEnders?: readonly string[];
  readonly trims?: boolean;
  readonly hasEntities?: boolean;
}

function createInvokeFormat(
  name: string,
  { lists, tagPrefix = '', leads = [], closers = [], trims, hasEntities, ...others }: InvokeOptions,
): TextToolFormat {
  const open = lists.map(list => `<${tagPrefix}${list}>`);
  const close = lists.map(list => `</${tagPrefix}${list}>`);
  const opener = `<${tagPrefix}invoke name="`;
  const grammar = createTagGrammar(
    {
      parameter: `<${tagPrefix}parameter name="`,
      parameterEnd: `</${tagPrefix}parameter>`,
      call: opener,
      callEnd: `</${tagPrefix}invoke>`,
      lists: open,
      listEnds: close,
      readHeader,
    },
    { trims, hasEntities },
  );
  return {
    name,
    openers: [opener],
    prefixes: [...open, ...leads.flatMap(lead => open.map(tag => lead + tag))],
    closers: [...close, ...closers],
    ...others,
    *read(cursor, calls) {
      const tool = yield* readName(cursor);
      if (tool === '' || !(yield* cursor.takes('">'))) return false;
      return yield* readTaggedCall(cursor, calls, { grammar, name: tool });
    },
  };
}

/** `key"`, or `key" string="false"`. */
function readHeader(header: string): { key: string; isJson?: boolean } | undefined {
  const [, key, isString] = /^([^"<>]+)"(?:\s+string="(true|false)")?$/.exec(header) ?? [];
  if (key === undefined) return undefined;
  return { key, ...(isString !== undefined && { isJson: isString === 'false' }) };
}
