/**
 * The control for a part of a JSON Schema. Form libraries bring their own markup, and most validators compile code, which the
 * content security policy forbids. The server checks with `zod`, within a time limit.
 */
export type FormNode = {
  readonly title?: string;
  readonly description?: string;
} & (
  | { readonly kind: 'text' | 'number' | 'boolean' | 'date' | 'json' }
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  /** An array of some of the choices. */
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  | { readonly kind: 'object'; readonly fields: readonly FormField[] }
  | { readonly kind: 'array'; readonly items: Schema }
  | {
      readonly kind: 'union';
      readonly variants: readonly { readonly title: string; readonly schema: Schema }[];
    }
);

export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

export interface FormField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** Parts below this depth are JSON, because a schema can contain itself. */
const MAX_DEPTH = 6;

/** An object with more properties is JSON, because a form of thousands of fields is of no use. */
const MAX_FIELDS = 200;

const MAX_REFERENCES = 20;

/** A text that is no JSON. It keeps what was typed, and is never sent. */
export class InvalidJson {
  constructor(readonly text: string) {}
}

const INVALID = 'text that is no JSON';

/** Input of a form as text. */
export const inputCodec = {
  write: (value: unknown): string =>
    JSON.stringify(value, (_name, one: unknown) =>
      one instanceof InvalidJson ? { [INVALID]: one.text } : one,
    ),
  read: (text: string): unknown =>
    JSON.parse(text, (_name, one: unknown) => {
      const invalid = toRecord(one)[INVALID];
      return typeof invalid === 'string' ? new InvalidJson(invalid) : one;
    }) as unknown,
};

/** Returns the control for a schema. What has none is `json`. */
export function toNode(schema: unknown, root: unknown, depth = 0): FormNode {
  const resolved = resolve(schema, root);
  const { title, description } = resolved;
  const texts = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
  return { ...texts, ...toKind(withoutNull(resolved, root), root, depth) };
}

function toKind(schema: Schema, root: unknown, depth: number): FormNode {
  if ('const' in schema) return { kind: 'constant', value: schema.const };
  const choices = toChoices(schema);
  if (choices.length > 0) return { kind: 'choice', choices };
  const variants = toList(schema.oneOf ?? schema.anyOf);
  if (variants.length > 0 && depth < MAX_DEPTH) {
    return {
      kind: 'union',
      variants: variants.map((variant, index) => ({
        title: toVariantTitle(resolve(variant, root), index),
        // A variant usually continues the schema around it.
        schema: { ...without(schema, 'oneOf', 'anyOf', 'title', 'description'), ...toRecord(variant) },
      })),
    };
  }
  switch (schema.type ?? ('properties' in schema ? 'object' : undefined)) {
    case 'string':
      return { kind: schema.format === 'date' ? 'date' : 'text' };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'constant', value: null };
    case 'object': {
      const fields = Object.entries(toRecord(schema.properties));
      const isShown = fields.length > 0 && fields.length <= MAX_FIELDS && depth < MAX_DEPTH;
      if (!isShown && depth > 0) return { kind: 'json' };
      if (fields.length > MAX_FIELDS) return { kind: 'json' };
      const required = toList(schema.required);
      return {
        kind: 'object',
        fields: fields.map(([name, property]) => ({
          name,
          schema: toRecord(property),
          isRequired: required.includes(name),
        })),
      };
    }
    case 'array': {
      if (schema.items === undefined || 'prefixItems' in schema || depth >= MAX_DEPTH)
        return { kind: 'json' };
      const several = toChoices(withoutNull(resolve(schema.items, root), root));
      if (several.length > 0) return { kind: 'choices', choices: several };
      return { kind: 'array', items: toRecord(schema.items) };
    }
    default:
      return { kind: 'json' };
  }
}

function toVariantTitle({ title, type, const: value, properties }: Schema, index: number): string {
  if (typeof title === 'string') return title;
  if (value !== undefined) return JSON.stringify(value);
  const constant = Object.values(toRecord(properties))
    .map(toRecord)
    .find(property => 'const' in property);
  if (constant !== undefined) return String(constant.const);
  return typeof type === 'string' && type !== 'object' ? type : `Variant ${index + 1}`;
}

/** Returns the value with which a form begins: its defaults and constants. Undefined without any. */
export function toInitial(schema: unknown, root: unknown, { isRequired = true, depth = 0 } = {}): unknown {
  const resolved = resolve(schema, root);
  if (resolved.default !== undefined && resolved.default !== null) return resolved.default;
  const node = toNode(resolved, root, depth);
  if (node.kind === 'constant') return isRequired ? node.value : undefined;
  if (node.kind === 'union' && isRequired)
    return toInitial(node.variants[0]?.schema, root, { depth: depth + 1 });
  if (node.kind !== 'object') return undefined;
  const entries = node.fields.flatMap(({ name, schema: property, isRequired: isFieldRequired }) => {
    const value = toInitial(property, root, { isRequired: isRequired && isFieldRequired, depth: depth + 1 });
    return value === undefined ? [] : [[name, value] as const];
  });
  return entries.length > 0 || depth === 0 ? Object.fromEntries(entries) : undefined;
}

/** Returns the index of the variant that a value has been made with, by its constants and its type. */
export function findVariant(
  variants: Extract<FormNode, { kind: 'union' }>['variants'],
  value: unknown,
  root: unknown,
): number {
  const rate = (schema: unknown): number => {
    const resolved = resolve(schema, root);
    const { const: constant, properties } = resolved;
    if (constant !== undefined) return constant === value ? 2 : -1;
    if (!matchesType(resolved, value)) return -1;
    const fields = Object.entries(toRecord(properties));
    return fields.reduce((sum, [name, property]) => {
      const { const: expected } = resolve(property, root);
      const own = toRecord(value)[name];
      if (expected !== undefined) return sum + (own === expected ? 2 : -2);
      return sum + (own === undefined ? 0 : 1);
    }, 0);
  };
  const rates = variants.map(({ schema }) => rate(schema));
  return Math.max(0, rates.indexOf(Math.max(...rates)));
}

function matchesType({ type, properties }: Schema, value: unknown): boolean {
  switch (type ?? (properties === undefined ? undefined : 'object')) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
    case 'number':
      return typeof value === 'number';
    case 'null':
      return value === null;
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}

/** Follows references inside the schema, and joins `allOf`. */
function resolve(schema: unknown, root: unknown, count = 0): Schema {
  const own = toRecord(schema);
  if (count > MAX_REFERENCES) return {};
  const { $ref: reference, allOf } = own;
  const parts = [
    ...(typeof reference === 'string' ? [findReference(reference, root)] : []),
    ...toList(allOf),
  ].map(part => resolve(part, root, count + 1));
  if (parts.length === 0) return own;
  const all = [...parts, without(own, '$ref', 'allOf')];
  return {
    ...Object.assign({}, ...all),
    ...(all.some(part => 'properties' in part) && {
      properties: Object.assign({}, ...all.map(part => part.properties)) as unknown,
      required: all.flatMap(part => toList(part.required)),
    }),
  };
}

function findReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  return reference
    .slice(1)
    .split('/')
    .filter(part => part !== '')
    .reduce<unknown>(
      (found, part) => toRecord(found)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );
}

/** Returns the only alternative to `null`: optional parameters of Python servers are `anyOf` a type and `null`. */
function withoutNull(schema: Schema, root: unknown): Schema {
  const types = Array.isArray(schema.type) ? schema.type.filter(one => one !== 'null') : [];
  if (types.length === 1) return { ...schema, type: types[0] as unknown };
  const name = 'anyOf' in schema ? 'anyOf' : 'oneOf';
  const variants = toList(schema[name]);
  const others = variants.map(one => resolve(one, root)).filter(one => one.type !== 'null');
  if (others.length === variants.length) return schema;
  return others.length === 1 ? { ...without(schema, name), ...others[0] } : { ...schema, [name]: others };
}

/** `enum`, `enum` with `enumNames`, and `oneOf` or `anyOf` with constants. */
function toChoices({ enum: values, enumNames, oneOf, anyOf }: Schema): readonly Choice[] {
  if (Array.isArray(values)) {
    const titles = toList(enumNames);
    return values.map((value: unknown, index) => ({ value, title: String(titles[index] ?? toTitle(value)) }));
  }
  const options = toList(oneOf ?? anyOf).map(toRecord);
  return options.length > 0 && options.every(option => 'const' in option)
    ? options.map(({ const: value, title }) => ({ value, title: String(title ?? toTitle(value)) }))
    : [];
}

const toTitle = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the place of the first text that is no JSON. */
export function findInvalidJson(value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (value instanceof InvalidJson) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = findInvalidJson(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const without = (schema: Schema, ...names: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
