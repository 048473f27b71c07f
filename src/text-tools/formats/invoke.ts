import { createTagGrammar } from '../tag-grammar.js';
import { readTaggedCall } from '../tagged-call.js';
import { readName } from '../text-cursor.js';
import type { TextToolFormat } from '../text-tool-format.js';

/** The variations of the `<invoke>` format. */
export interface InvokeFormatOptions {
  /** The names of the tags around a list of calls. */
  readonly lists: readonly string[];
  /** A prefix of all tag names. */
  readonly tagPrefix?: string;
  /** White space before a list that belongs to it. */
  readonly leads?: readonly string[];
  readonly closers?: readonly string[];
  readonly artefacts?: readonly string[];
  readonly reasoningEnders?: readonly string[];
  /** Removes one line break on each side of a value. */
  readonly trims?: boolean;
  /** Decodes XML entities in values. */
  readonly hasEntities?: boolean;
}

/** Creates a format of `<invoke name="…"><parameter name="…">…</parameter></invoke>` calls in a list. */
export function createInvokeFormat(
  name: string,
  { lists, tagPrefix = '', leads = [], closers = [], trims, hasEntities, ...others }: InvokeFormatOptions,
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

/** Reads `key"` or `key" string="false"`. */
function readHeader(header: string): { key: string; isJson?: boolean } | undefined {
  const [, key, isString] = /^([^"<>]+)"(?:\s+string="(true|false)")?$/.exec(header) ?? [];
  if (key === undefined) return undefined;
  return { key, ...(isString !== undefined && { isJson: isString === 'false' }) };
}
