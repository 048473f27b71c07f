import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import {
  childrenOf,
  type Element,
  isTextElement,
  readElement,
  readElementTag,
  toMemberJson,
} from '../tags/element-tree.js';
import { hasRequired } from '../tags/tagged-call.js';
import { toAllowedJson } from '../values/argument-writer.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import { toNamedTypes, toPropertySchema } from '../values/schema-types.js';
import { toTextJson } from '../values/text-json.js';
import { yamlToJson } from '../values/yaml-block.js';

/** No token stands before the tags, so only names of the schema are elements. */
const token = '';

const MAX_NAME = 128;

/**
 * An element with the name of a tool, which any model can be asked for. Only declared tools are calls, and only parameters of
 * their schemas are arguments.
 */
const createFormat = (
  name: string,
  readBody: (
    cursor: TextCursor,
    calls: TextCalls,
    options: { readonly name: string; readonly tool: DeclaredTool },
  ) => Reading<boolean>,
): TextToolFormat => ({
  name,
  openers: ['<'],
  *accepts(cursor, calls) {
    const { name, length } = yield* lookAtName(cursor);
    return calls.isDeclared(name) && /^[>/]$/.test((yield* cursor.peek(length)) ?? '');
  },
  *read(cursor, calls) {
    const { name, length } = yield* lookAtName(cursor);
    cursor.take(length);
    const tool = calls.begin(name);
    if (tool === undefined) return false;
    if (yield* cursor.takes('/>')) return hasRequired(tool, new Set()) && endCall(calls, '{}');
    return (yield* cursor.takes('>')) && (yield* readBody(cursor, calls, { name, tool }));
  },
});

/**
 * `<get_weather><city>Paris</city></get_weather>`: one element for each argument, as in the prompts of Cline and Roo Code, and in
 * `morphXml` of `@ai-sdk-tool/parser`. Objects and arrays are nested elements, or JSON.
 */
export const toolElements: TextToolFormat = createFormat('tool-elements', readArguments);

/** The arguments are YAML, as in `yamlXml` of `@ai-sdk-tool/parser`. The closing tag begins a line. */
export const yamlElements: TextToolFormat = createFormat('yaml-elements', function* (cursor, calls, options) {
  const body = yield* readLines(cursor, `</${options.name}>`);
  const read = body === undefined ? undefined : yamlToJson(body, options.tool.schema);
  const known = childrenOf({ schema: options.tool.schema, root: options.tool.schema });
  const areKnown = read && [...read.keys].every(key => known === undefined || Object.hasOwn(known, key));
  return areKnown === true && hasRequired(options.tool, read.keys) && endCall(calls, read.json);
});

/** Returns the text up to a tag at the beginning of a line, or directly after the opening tag. Texts in YAML are indented. */
function* readLines(cursor: TextCursor, end: string): Reading<string | undefined> {
  let text = '';
  let isLineStart = true;
  const push = (plain: string): void => {
    const last = plain.lastIndexOf('\n');
    isLineStart = plain === '' ? isLineStart : last === plain.length - 1;
    text += plain;
  };
  for (;;) {
    if ((yield* cursor.passUntil(TAG_START, push)) === undefined) return undefined;
    if (isLineStart && (yield* cursor.takes(end))) return text;
    push(cursor.take(1));
  }
}

function* lookAtName(cursor: TextCursor): Reading<{ name: string; length: number }> {
  const text = yield* cursor.look(/[^<>/\n]/, { most: MAX_NAME });
  return { name: text.trim(), length: text.length };
}

function endCall(calls: TextCalls, json: string): true {
  calls.input(json);
  calls.end();
  return true;
}

function* readArguments(
  cursor: TextCursor,
  calls: TextCalls,
  { name, tool }: { readonly name: string; readonly tool: DeclaredTool },
): Reading<boolean> {
  const root = tool.schema;
  const keys = childrenOf({ schema: root, root });
  /** Every name is a parameter of a schema that lists none. */
  const isName = (key: string) => keys === undefined || key === name || Object.hasOwn(keys, key);
  const values = new Map<string, Element[]>();
  for (;;) {
    yield* cursor.takeSpace();
    const tag = yield* readElementTag(cursor, { token });
    if (tag === undefined) return false;
    if (tag.kind === 'close') {
      const json = tag.key === name && hasRequired(tool, values) ? toArguments(values, tool) : undefined;
      if (json === undefined) return false;
      cursor.take(tag.length);
      return endCall(calls, json);
    }
    if (tag.key === name || !isName(tag.key) || isPrototypeKey(tag.key)) return false;
    cursor.take(tag.length);
    const schema = toPropertySchema(root, root, tag.key);
    const element = isTextElement({ schema, root })
      ? yield* readText(cursor, tag.key, isName)
      : yield* readElement(cursor, { key: tag.key, token, schema, root });
    if (element === undefined) return false;
    values.set(tag.key, [...(values.get(tag.key) ?? []), element]);
  }
}

const TAG_START = /</g;

/**
 * Reads a text up to its closing tag. A tag of the call within it makes the call invalid: whether it is part of the text, or
 * another tag is missing or misspelt, is unknown. Other markup is text.
 */
function* readText(
  cursor: TextCursor,
  key: string,
  isName: (key: string) => boolean,
): Reading<Element | undefined> {
  let text = '';
  for (;;) {
    if ((yield* cursor.passUntil(TAG_START, plain => void (text += plain))) === undefined) return undefined;
    const tag = yield* readElementTag(cursor, { token });
    if (tag?.kind === 'close' && tag.key === key) {
      cursor.take(tag.length);
      return { key, text: text.replace(/^\r?\n([^]*?)\r?\n$/, '$1'), children: [] };
    }
    if (tag !== undefined && isName(tag.key.replace(/\s[^]*$/, ''))) return undefined;
    text += cursor.take(1);
  }
}

/** Returns the arguments as JSON. Elements with the same name are an array if the schema has one, and invalid otherwise. */
function toArguments(
  values: ReadonlyMap<string, readonly Element[]>,
  { schema: root }: DeclaredTool,
): string | undefined {
  const members: string[] = [];
  for (const [key, elements] of values) {
    const schema = toPropertySchema(root, root, key);
    const [first, second] = elements;
    if (first === undefined || (second !== undefined && !toNamedTypes(schema, root).includes('array')))
      return undefined;
    const json =
      second === undefined && isTextElement({ schema, root })
        ? toTextJson(first.text, { schema, root })
        : toMemberJson(elements, key, { schema: root, root });
    if (json === undefined) return undefined;
    members.push(`${JSON.stringify(key)}:${toAllowedJson(json, schema, root)}`);
  }
  return `{${members.join(',')}}`;
}
