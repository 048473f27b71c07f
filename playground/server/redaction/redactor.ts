import { redactSecrets } from 'kelivo-responses';

/**
 * Redacts secrets in copies that are displayed or exported, by the rules of the package. Nothing redacted is ever stored in
 * the history of a conversation or sent to a model.
 */
export interface Redactor {
  text(text: string): string;
  /** Redacts all values of headers with sensitive names, and secrets in other values. */
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
  /**
   * Redacts all strings of a JSON value, including the names of fields.
   *
   * The texts of a list of parts are searched as one text, too.
   *
   * @param toGroups Returns further texts that are divided over several strings, such as the deltas of one item.
   */
  json<Value>(value: Value, toGroups?: (string: JsonString) => readonly string[]): Value;
  /** Returns another number after the secrets have changed. Redacted copies from before are outdated. */
  generation(): number;
}

/** A string in a JSON value. The name of a field has the path of its value, and `''`. */
export interface JsonString {
  readonly text: string;
  readonly path: readonly (string | number)[];
}

const MARK = '[redacted]';

/** @param secrets Called for each text, because keys can be entered while the playground runs. */
export function createRedactor(secrets: () => readonly string[]): Redactor {
  const text = (value: string): string => redactSecrets(value, { secrets: secrets() });
  let known = '';
  let generation = 0;

  return {
    text,
    headers: headers =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [
          name,
          redactSecrets(value, { header: name, secrets: secrets() }),
        ]),
      ),
    json<Value>(value: Value, toGroups: (string: JsonString) => readonly string[] = () => []): Value {
      const strings = collectStrings(value);
      const cuts = findCuts(strings, { toGroups, secrets: secrets() });
      return replaceStrings(
        value,
        strings.map(({ text: whole }, index) => cutOut(whole, cuts[index] ?? [])),
      ) as Value;
    },
    generation() {
      const current = JSON.stringify(secrets());
      if (current !== known) generation++;
      known = current;
      return generation;
    },
  };
}

/** A secret's part in one string. Only its first part is replaced by the mark, the others are removed. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly isFirst: boolean;
}

function findCuts(
  strings: readonly JsonString[],
  { toGroups, secrets }: { toGroups: (string: JsonString) => readonly string[]; secrets: readonly string[] },
): Cut[][] {
  const find = (text: string, field?: string): Cut[] => {
    const cuts: Cut[] = [];
    redactSecrets(text, {
      ...(field !== undefined && { field }),
      secrets,
      replace(secret, from) {
        cuts.push({ from, to: from + secret.length, isFirst: true });
        return MARK;
      },
    });
    return cuts;
  };
  // Names and types occur thousands of times in a trace and are searched once.
  const found = new Map<string, readonly Cut[]>();
  const cuts = strings.map(({ text, path }): Cut[] => {
    const field = path.at(-1);
    const key = `${field}\n${text}`;
    const known = found.get(key) ?? find(text, typeof field === 'string' ? field : undefined);
    found.set(key, known);
    return [...known];
  });
  for (const members of groupsOf(strings, toGroups)) {
    const texts = members.map(index => strings[index]?.text ?? '');
    const joined = find(texts.join(''));
    let start = 0;
    let next = 0;
    for (const [place, index] of members.entries()) {
      const end = start + (texts[place]?.length ?? 0);
      // Cuts are sorted and disjoint. One that ends here does not concern the next member.
      while ((joined[next]?.to ?? Infinity) <= start) next++;
      for (let at = next; (joined[at]?.from ?? Infinity) < end; at++) {
        const { from = 0, to = 0 } = joined[at] ?? {};
        cuts[index]?.push({
          from: Math.max(from, start) - start,
          to: Math.min(to, end) - start,
          isFirst: from >= start,
        });
      }
      start = end;
    }
  }
  return cuts;
}

/** Returns the indexes of the strings of each group with several strings. */
function groupsOf(
  strings: readonly JsonString[],
  toGroups: (string: JsonString) => readonly string[],
): (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const [index, string] of strings.entries()) {
    for (const name of [...toGroups(string), ...toTextGroup(string.path)]) {
      const members = groups.get(name);
      if (members === undefined) groups.set(name, [index]);
      else members.push(index);
    }
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** A message or the result of a tool can be a list of parts, each with a text. */
function toTextGroup(path: JsonString['path']): readonly string[] {
  const name = path.at(-1);
  const isPart = typeof path.at(-2) === 'number' && (name === 'text' || name === 'content');
  return isPart ? [`parts ${path.slice(0, -2).join('.')} ${name}`] : [];
}

function cutOut(text: string, cuts: readonly Cut[]): string {
  const sorted = cuts.toSorted((a, b) => a.from - b.from);
  let result = '';
  let end = 0;
  for (let index = 0; index < sorted.length;) {
    const { from } = sorted[index] ?? { from: end };
    let to = from;
    let isFirst = false;
    for (; (sorted[index]?.from ?? Infinity) <= to; index++) {
      to = Math.max(to, sorted[index]?.to ?? to);
      isFirst ||= sorted[index]?.isFirst === true;
    }
    result += text.slice(end, from) + (isFirst ? MARK : '');
    end = to;
  }
  return result + text.slice(end);
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
