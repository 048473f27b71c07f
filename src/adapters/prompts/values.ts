import { isPlainObject, objectOf, type PlainObject } from '../../shared/json.js';

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
export const toText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

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
export function toGemma(value: unknown): string {
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
