import { isPrototypeKey } from '../values/json-scanner.js';
import { type SchemaContext, toTextJson } from '../values/text-json.js';
import { toProperties } from '../../../core/tool-calls/json-schema.js';
import { allowsAny } from '../../../core/tool-calls/schema-repair.js';
import { toItemSchema, toNamedTypes, toPropertySchema } from '../values/schema-types.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';

/** An element whose content is a value: text, an object of elements by name, or an array of `item` elements. */
export interface Element {
  readonly key: string;
  readonly text: string;
  readonly children: readonly Element[];
}

/** A tag of an element, with the length of its token, white space and brackets. */
export interface ElementTag {
  readonly kind: 'open' | 'close';
  readonly key: string;
  readonly length: number;
}

/** The markup of elements. */
export interface ElementSyntax {
  /** The token before each tag, which is empty on servers that drop special tokens. */
  readonly token: string;
}

const MAX_TAG = 200;
const MAX_SPACE = 16;
const MAX_DEPTH = 64;
const ITEM = 'item';

/** Returns the tag at the current position. Looks ahead and takes nothing. */
export function* readElementTag(cursor: TextCursor, syntax: ElementSyntax): Reading<ElementTag | undefined> {
  if (!(yield* cursor.sees(syntax.token))) return undefined;
  const start = yield* findSpaceEnd(cursor, {
    start: syntax.token.length,
    most: syntax.token === '' ? 0 : MAX_SPACE,
  });
  if ((yield* cursor.peek(start)) !== '<') return undefined;
  const tag = yield* cursor.look(/[^<>\n]/, { start: start + 1, most: MAX_TAG });
  if ((yield* cursor.peek(start + 1 + tag.length)) !== '>') return undefined;
  const key = tag.replace(/^\//, '').trim();
  if (key === '') return undefined;
  return { kind: tag.startsWith('/') ? 'close' : 'open', key, length: start + tag.length + 2 };
}

/** Returns true if the tag closes the element. Without tokens, another tag must follow. */
function* closesElement(
  cursor: TextCursor,
  { tag, key, token }: { tag: ElementTag; key: string; token: string },
): Reading<boolean> {
  if (tag.kind !== 'close' || tag.key !== key) return false;
  if (token !== '') return true;
  const next = yield* findSpaceEnd(cursor, { start: tag.length, most: MAX_SPACE });
  return (yield* cursor.peek(next)) === '<';
}

/**
 * Reads the content of an element after its opening tag, up to its closing tag. Without tokens, only names from the
 * schema are elements. With `onText`, all of the content is text, which is passed on as it arrives.
 *
 * @returns undefined if the element is incomplete, or closed by another tag.
 */
export function* readElement(
  cursor: TextCursor,
  {
    key,
    token,
    schema,
    root,
    onText,
  }: ElementSyntax & SchemaContext & { key: string; onText?: (text: string) => void },
  depth = 0,
): Reading<Element | undefined> {
  const children: Element[] = [];
  let text = '';
  const start = token === '' ? /</g : /\]/g;
  const write = onText ?? (plain => void (text += plain));
  for (;;) {
    if ((yield* cursor.passUntil(start, write)) === undefined) return undefined;
    const tag = yield* readElementTag(cursor, { token });
    if (tag !== undefined && (yield* closesElement(cursor, { tag, key, token }))) {
      cursor.take(tag.length);
      return { key, text, children };
    }
    const isChild =
      onText === undefined &&
      tag?.kind === 'open' &&
      (token !== '' || isKnownChild({ schema, root }, tag.key));
    if (tag === undefined || (token === '' && !isChild)) {
      write(cursor.take(1));
      continue;
    }
    if (!isChild || depth >= MAX_DEPTH) return undefined;
    cursor.take(tag.length);
    const childSchema =
      tag.key === ITEM && isArray({ schema, root })
        ? toItemSchema(schema, root, children.length)
        : toPropertySchema(schema, root, tag.key);
    const child = yield* readElement(cursor, { key: tag.key, token, schema: childSchema, root }, depth + 1);
    if (child === undefined) return undefined;
    children.push(child);
  }
}

/** Returns true for an element whose content is text. A member of an enum may need another spelling. */
export function isTextElement(context: SchemaContext): boolean {
  const types = toNamedTypes(context.schema, context.root).filter(type => type !== 'null');
  return types.length === 0 || (types.includes('text') && allowsAny('', context.schema, context.root));
}

const isArray = (context: SchemaContext): boolean =>
  toNamedTypes(context.schema, context.root).includes('array');

/** Returns true if an element with this name is part of the schema. */
export const isKnownChild = ({ schema, root }: SchemaContext, key: string): boolean =>
  (key === ITEM && isArray({ schema, root })) || Object.hasOwn(toProperties(schema, root) ?? {}, key);

/** Returns the schemas of the elements by name. Undefined if the schema lists none. */
export const childrenOf = (context: SchemaContext): Readonly<Record<string, unknown>> | undefined =>
  toProperties(context.schema, context.root);

/** Returns an element's value as JSON of the type in its schema, or undefined if it mixes text and elements. */
function toElementJson(element: Element, { schema, root }: SchemaContext): string | undefined {
  if (element.children.length === 0) return toTextJson(element.text, { schema, root });
  if (element.text.trim() !== '') return undefined;
  const hasItem = Object.hasOwn(toProperties(schema, root) ?? {}, ITEM);
  return !hasItem && element.children.every(entry => entry.key === ITEM)
    ? toArrayJson(element.children, { schema, root })
    : toObjectJson(element.children, { schema, root });
}

/** Returns the JSON of several elements as an array. */
function toArrayJson(elements: readonly Element[], context: SchemaContext): string | undefined {
  const items = elements.map((element, index) =>
    toElementJson(element, { schema: toItemSchema(context.schema, context.root, index), root: context.root }),
  );
  return items.every(item => item !== undefined) ? `[${items.join(',')}]` : undefined;
}

/** Returns the JSON of elements by their name. Elements with the same name are an array. */
function toObjectJson(children: readonly Element[], { schema, root }: SchemaContext): string | undefined {
  const byKey = new Map<string, Element[]>();
  for (const child of children) {
    const values = byKey.get(child.key);
    if (values === undefined) byKey.set(child.key, [child]);
    else values.push(child);
  }
  const members = [...byKey].map(([key, values]) => {
    const json = key === '__proto__' ? undefined : toMemberJson(values, key, { schema, root });
    return json === undefined ? undefined : `${JSON.stringify(key)}:${json}`;
  });
  return members.every(member => member !== undefined) ? `{${members.join(',')}}` : undefined;
}

/** Returns the JSON of the elements with one name in an object. */
export function toMemberJson(
  values: readonly Element[],
  key: string,
  { schema, root }: SchemaContext,
): string | undefined {
  const member = { schema: toPropertySchema(schema, root, key), root };
  const [first] = values;
  if (first === undefined || isPrototypeKey(key)) return undefined;
  if (values.length === 1) return toElementJson(first, member);
  return toArrayJson(values, isArray(member) ? member : { schema: { items: member.schema }, root });
}
