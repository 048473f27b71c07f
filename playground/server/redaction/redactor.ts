import { findByPattern, findByShape, findValues, mergeRanges, type Range } from './rules.js';

/**
 * Redacts secrets in copies that are displayed or exported. Nothing redacted is ever stored in the history of a conversation
 * or sent to a model.
 */
export interface Redactor {
  /** Redacts a short text, such as an error message, without the rule pack. */
  text(text: string): string;
  /** Redacts all values of headers with sensitive names, and secrets in other values. */
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
  /**
   * Redacts all strings of a JSON value.
   *
   * @param toGroups Returns the texts that are divided over several strings, such as the deltas of one item.
   */
  json<Value>(value: Value, toGroups?: (string: JsonString) => readonly string[]): Promise<Value>;
}

/** A string in a JSON value. */
export interface JsonString {
  readonly text: string;
  readonly path: readonly (string | number)[];
}

const MARK = '[redacted]';

const SECRET_HEADER = /auth|key|token|secret|cookie|session/i;

/** Names of properties whose complete value is a secret. */
const SECRET_NAME =
  /^(?:[\w-]*[_-])?(?:api[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|(?:auth|access|refresh|id)[_-]?token|token|password|passwd|pwd|authorization|cookie)$/i;

/** @param secrets Called for each text, because keys can be entered while the playground runs. */
export function createRedactor(secrets: () => readonly string[]): Redactor {
  const text = (value: string): string =>
    replaceRanges(value, [...findValues(value, secrets()), ...findByPattern(value)]);

  return {
    text,
    headers: headers =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [name, SECRET_HEADER.test(name) ? MARK : text(value)]),
      ),
    async json<Value>(
      value: Value,
      toGroups: (string: JsonString) => readonly string[] = () => [],
    ): Promise<Value> {
      const strings = collectStrings(value);
      const cuts = await findCuts(strings, { toGroups, secrets: secrets() });
      return replaceStrings(
        value,
        strings.map((string, index) => cutOut(string.text, cuts[index] ?? [])),
      ) as Value;
    },
  };
}

/** A secret's part in one string. Only its first part is replaced by the mark, the others are removed. */
interface Cut {
  readonly range: Range;
  readonly isFirst: boolean;
}

/** Separates texts in the document that is searched, so that no word extends over two of them. */
const SEPARATOR = '\n\u0000\n';

/** Finds the secrets of all texts in one search: a search per string would take seconds for a long trace. */
async function findCuts(
  strings: readonly JsonString[],
  { toGroups, secrets }: { toGroups: (string: JsonString) => readonly string[]; secrets: readonly string[] },
): Promise<Cut[][]> {
  const groups = new Map<string, number[]>();
  for (const [index, string] of strings.entries()) {
    for (const name of toGroups(string)) {
      const members = groups.get(name);
      if (members === undefined) groups.set(name, [index]);
      else members.push(index);
    }
  }
  // Names and types occur thousands of times in a trace and are searched once.
  const firstOf = new Map<string, number>();
  for (const [index, { text }] of strings.entries()) if (!firstOf.has(text)) firstOf.set(text, index);
  const texts = [
    ...[...firstOf.values()].map(index => [index]),
    ...[...groups.values()].filter(({ length }) => length > 1),
  ];
  const lengthOf = (index: number): number => strings[index]?.text.length ?? 0;
  const joined = texts.map(indexes => indexes.map(index => strings[index]?.text).join(''));
  const document = joined.join(SEPARATOR);
  const found = mergeRanges([...(await findByShape(document)), ...findValues(document, secrets)]);

  const cuts: Cut[][] = strings.map(() => []);
  const shared = new Map<string, readonly Cut[]>();
  let at = 0;
  let next = 0;
  for (const indexes of texts) {
    let isFirst = true;
    for (const index of indexes) {
      const end = at + lengthOf(index);
      // Ranges are sorted and disjoint, so that each is visited once per string that it covers.
      while ((found[next]?.[1] ?? Infinity) <= at) {
        next++;
        isFirst = true;
      }
      for (let place = next; (found[place]?.[0] ?? Infinity) < end; place++) {
        const [from, to] = found[place] as Range;
        cuts[index]?.push({
          range: [Math.max(from, at) - at, Math.min(to, end) - at],
          isFirst: from >= at || isFirst,
        });
        isFirst = to <= end;
      }
      at = end;
    }
    at += SEPARATOR.length;
    // The strings come before the groups, which add the cuts of each occurrence.
    const [only = 0] = indexes;
    if (indexes.length === 1) shared.set(strings[only]?.text ?? '', cuts[only] ?? []);
    if (indexes.length === 1) cuts[only] = [];
  }
  return cuts.map((own, index) => {
    const { text, path } = strings[index] as JsonString;
    if (SECRET_NAME.test(String(path.at(-1))) && text !== '')
      return [{ range: [0, text.length], isFirst: true }];
    return [...(shared.get(text) ?? []), ...own];
  });
}

function cutOut(text: string, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return text;
  const firsts = cuts.filter(({ isFirst }) => isFirst).map(({ range }) => range[0]);
  return replaceRanges(
    text,
    cuts.map(({ range }) => range),
    ([from, to]) => (firsts.some(start => start >= from && start < to) ? MARK : ''),
  );
}

function replaceRanges(
  text: string,
  ranges: readonly Range[],
  toMark: (range: Range) => string = () => MARK,
): string {
  let rest = 0;
  let result = '';
  for (const range of mergeRanges(ranges)) {
    result += text.slice(rest, range[0]) + toMark(range);
    rest = range[1];
  }
  return result + text.slice(rest);
}

/** Collects the names and values of a JSON value, in the order in which `replaceStrings` visits them. */
function collectStrings(value: unknown): JsonString[] {
  const strings: JsonString[] = [];
  const walk = (entry: unknown, path: JsonString['path']): void => {
    if (typeof entry === 'string') strings.push({ text: entry, path });
    else if (Array.isArray(entry)) entry.forEach((inner, index) => walk(inner, [...path, index]));
    else if (typeof entry === 'object' && entry !== null) {
      for (const [name, inner] of Object.entries(entry)) {
        strings.push({ text: name, path: [...path, name, ''] });
        walk(inner, [...path, name]);
      }
    }
  };
  walk(value, []);
  return strings;
}

function replaceStrings(value: unknown, texts: readonly string[]): unknown {
  let next = 0;
  const walk = (entry: unknown): unknown => {
    if (typeof entry === 'string') return texts[next++];
    if (Array.isArray(entry)) return entry.map(walk);
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([, inner]) => [texts[next++] ?? '', walk(inner)]));
  };
  return walk(value);
}
