import { isPlainObject, objectOf, type PlainObject, stringOf } from '../../core/shared/json.js';

/* Declarations of tools that are no JSON. */

/** The order of the fields in the declarations of Qwen3-Coder. The others follow in the order of the schema. */
export interface XmlToolOrder {
  /** The first fields of a parameter. @default type and description */
  readonly first: readonly string[];
  /** The last fields of the parameters. @default none */
  readonly last: readonly string[];
}

const toField = ([key, value]: [string, unknown]): string => `<${key}>${toText(value)}</${key}>`;

/** Sorts fields: those of `first`, the others, those of `last`. */
function toFields(
  fields: PlainObject,
  { first = [], last = [] }: Partial<XmlToolOrder>,
  omitted: readonly string[] = [],
): string[] {
  const rank = ([key]: [string, unknown]): number =>
    first.includes(key) ? first.indexOf(key) - first.length : last.includes(key) ? 1 : 0;
  return Object.entries(fields)
    .filter(([key]) => !omitted.includes(key))
    .toSorted((a, b) => rank(a) - rank(b))
    .map(([key, value]) => toField([key, key === 'description' ? stringOf(value).trim() : value]));
}

/** Declares a function as Qwen3-Coder does, with an element for each field of a parameter. */
export function toXmlTool(
  { name, description, parameters }: PlainObject,
  { first, last }: XmlToolOrder = { first: ['type', 'description'], last: [] },
): string {
  const { properties, ...rest } = objectOf(parameters) ?? {};
  return [
    '<function>',
    `<name>${String(name)}</name>`,
    ...(description === undefined ? [] : [`<description>${stringOf(description).trim()}</description>`]),
    '<parameters>',
    ...Object.entries(objectOf(properties) ?? {}).flatMap(([key, schema]) => [
      '<parameter>',
      `<name>${key}</name>`,
      ...toFields(objectOf(schema) ?? {}, { first }, ['name']),
      '</parameter>',
    ]),
    ...toFields(rest, { last }, ['type']),
    '</parameters>',
    '</function>',
  ].join('\n');
}

/** Writes a JSON Schema as a type of TypeScript, as gpt-oss declares parameters. */
function toType(schema: unknown): string {
  const fields = objectOf(schema) ?? {};
  const { type, enum: members, anyOf, oneOf, items, properties, required, nullable } = fields;
  const orNull = nullable === true ? ' | null' : '';
  if (type === 'array') {
    const item = items === undefined ? 'any' : toType(items);
    return `${item === 'object | object' || item.length > 50 ? 'any' : item}[]${orNull}`;
  }
  if (Array.isArray(type)) return type.join(' | ');
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return alternatives.map(toType).join(' | ');
  if (type === 'string') {
    return Array.isArray(members)
      ? members.map(member => `"${String(member)}"`).join(' | ')
      : `string${orNull}`;
  }
  if (isPlainObject(properties) && Object.keys(properties).length > 0) {
    const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
    const written = Object.entries(properties).map(
      ([key, one]) => `${key}${isRequired(key) ? '' : '?'}: ${toType(one)}`,
    );
    return `{\n${written.join(', ')}}`;
  }
  return type === 'integer' ? 'number' : typeof type === 'string' ? type : 'any';
}

/** Declares a function as a type of TypeScript, as gpt-oss does. */
export function toTypeScriptTool({ name, description, parameters }: PlainObject): string {
  const { properties, required } = objectOf(parameters) ?? {};
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
  const written = Object.entries(objectOf(properties) ?? {}).flatMap(([key, schema]) => {
    const { description: comment, default: preset } = objectOf(schema) ?? {};
    return [
      ...(typeof comment === 'string' ? [`// ${comment}`] : []),
      `${key}${isRequired(key) ? '' : '?'}: ${toType(schema)}` +
        `${preset === undefined ? '' : `, // default: ${toJson(preset)}`},`,
    ];
  });
  const head = `// ${stringOf(description)}\ntype ${String(name)} = `;
  return `${head}${written.length === 0 ? '() => any;' : ['(_: {', ...written, '}) => any;'].join('\n')}\n`;
}

/** Declares a function as Gemma 4 does. */
export const toGemmaTool = ({ name, description, parameters }: PlainObject): string =>
  `declaration:${String(name)}{description:${toGemma(stringOf(description))},` +
  `parameters:{${toGemmaObject(objectOf(parameters) ?? {}).join(',')}}}`;

/** Writes the members of an object schema, and its type in capitals. */
function toGemmaObject(schema: PlainObject): string[] {
  return [
    ...(isPlainObject(schema.properties) && Object.keys(schema.properties).length > 0
      ? [`properties:{${toGemmaProperties(schema.properties)}}`]
      : []),
    ...(Array.isArray(schema.required) && schema.required.length > 0
      ? [`required:${toGemma(schema.required)}`]
      : []),
    `type:${toGemma(stringOf(schema.type).toUpperCase())}`,
  ];
}

const toGemmaProperties = (properties: PlainObject): string =>
  Object.entries(properties)
    .toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([key, schema]) => `${key}:{${toGemmaFields(objectOf(schema) ?? {}).join(',')}}`)
    .join(',');

function toGemmaFields(schema: PlainObject): string[] {
  const { description, type, enum: members, items, nullable } = schema;
  const isObject = type === 'object';
  return [
    ...(typeof description === 'string' && description !== '' ? [`description:${toGemma(description)}`] : []),
    ...(type === 'string' && Array.isArray(members) ? [`enum:${toGemma(members)}`] : []),
    ...(type === 'array' && isPlainObject(items) && Object.keys(items).length > 0
      ? [`items:{${toGemmaItems(items)}}`]
      : []),
    ...(nullable === true ? ['nullable:true'] : []),
    ...(isObject ? toGemmaObject(schema) : [`type:${toGemma(stringOf(type).toUpperCase())}`]),
  ];
}

const toGemmaItems = (items: PlainObject): string =>
  Object.entries(items)
    .filter(([, value]) => value !== null && value !== undefined)
    .toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([key, value]) => {
      if (key === 'properties' && isPlainObject(value)) return `properties:{${toGemmaProperties(value)}}`;
      if (key !== 'type') return `${key}:${toGemma(value)}`;
      return `type:${toGemma(Array.isArray(value) ? value.map(one => String(one).toUpperCase()) : stringOf(value).toUpperCase())}`;
    })
    .join(',');

/** The form of the values of a call. */
export type Dialect = 'json' | 'text' | 'python' | 'gemma' | 'm3';

/** Compares keys as `dictsort` of Jinja does, which ignores case. */
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a.toLowerCase() < b.toLowerCase() ? -1 : 1;

const entriesOf = (value: PlainObject): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** Writes JSON as the templates do, with spaces after colons and commas. Sorted JSON has none. */
export function toJson(value: unknown, { isSorted = false }: { isSorted?: boolean } = {}): string {
  const space = isSorted ? '' : ' ';
  const write = (one: unknown): string => toJson(one, { isSorted });
  if (Array.isArray(value)) return `[${value.map(write).join(`,${space}`)}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = isSorted ? entriesOf(value).toSorted(byKey) : entriesOf(value);
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${space}${write(one)}`).join(`,${space}`)}}`;
}

/** Strings without quotes, and other values as JSON. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** Writes a JSON value as a Python literal. JSON strings are Python strings, too. */
function toPython(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  return `{${entriesOf(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${toPython(one)}`)
    .join(', ')}}`;
}

const QUOTE = '<|"|>';

const quote = (text: string): string => `${QUOTE}${text.replaceAll(QUOTE, '<\\|"|>')}${QUOTE}`;

/** Writes a value of Gemma: JSON with sorted keys, and with strings between special tokens. */
function toGemma(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(toGemma).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const entries = entriesOf(value)
    .toSorted(byKey)
    .map(([key, one]) => `${/^[\w.-]+$/.test(key) ? key : quote(key)}:${toGemma(one)}`);
  return `{${entries.join(',')}}`;
}

const TOKEN = ']<]minimax[>[';

/** Writes a value of MiniMax M3: an element for each member and item. */
function toM3(value: unknown): string {
  const members = Array.isArray(value)
    ? value.map((item): [string, unknown] => ['item', item])
    : entriesOf(objectOf(value) ?? {}).filter(([, member]) => member !== null);
  const isNested = members.length > 0 && members.every(([key]) => /^[^<>/\s][^<>\n]*$/.test(key));
  return isNested ? members.map(toElement).join('') : toText(value).replaceAll(TOKEN, ']\\<]minimax[>[');
}

const toElement = ([key, value]: [string, unknown]): string =>
  `${TOKEN}<${key}>${toM3(value)}${TOKEN}</${key}>`;

/** Writes a value of a call. */
export const DIALECTS: Readonly<Record<Dialect, (value: unknown) => string>> = {
  json: value => toJson(value),
  text: toText,
  python: toPython,
  gemma: toGemma,
  m3: toM3,
};

/** The name of the type of a JSON value. */
export const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
