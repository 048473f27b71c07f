import { asJson, isPlainObject, type JSONValue, type PlainObject } from './json.js';

/* Names of fields, models and settings. */

/**
 * Returns an object with the field names of the API, which are in snake case, at every level. `unchanged` contains fields whose inner names belong to
 * the host, such as headers.
 */
export const toWireNames = (fields: PlainObject, unchanged: readonly string[] = []): PlainObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      toSnakeCase(name),
      unchanged.includes(name) ? value : toNestedWireNames(value),
    ]),
  );

function toNestedWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toNestedWireNames);
  return isPlainObject(value) ? toWireNames(value) : value;
}

/** Returns names that are not in camel case unchanged. */
function toSnakeCase(name: string): string {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) return name;
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Returns a JSON value with the field names of the AI SDK, which are in camel case, at every level. */
export function toSdkNames(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map(toSdkNames);
  if (!isPlainObject(value)) return asJson(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [toCamelCase(name), toSdkNames(field)]),
  );
}

/** Returns the name of a field in the AI SDK. The parts of a path are joined, as in `textVerbosity`. */
export const toCamelCase = (name: string): string =>
  name.replace(/[._]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Converts a model id pattern, whose `*` stands for any characters, to a regular expression. */
export const toModelExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

/**
 * Finds the name that was probably meant by a misspelt one: one that differs only in case, `_` or `-`, otherwise the one
 * with the fewest differing characters, and of those the one with the longest common prefix. Returns undefined if no name is similar.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = normalize(name);
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  let prefix = -1;
  for (const candidate of candidates) {
    const normalized = normalize(candidate);
    // Allows about one typo in four characters of the longer name. A higher limit would suggest unrelated names.
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, normalized.length) / 4));
    const distance = editDistance(wanted, normalized);
    const shared = commonPrefix(wanted, normalized);
    if (distance > limit || distance > nearestDistance) continue;
    if (distance === nearestDistance && shared <= prefix) continue;
    nearest = candidate;
    nearestDistance = distance;
    prefix = shared;
  }
  return nearest;
}

/**
 * Suggests the nearest name and lists all names.
 *
 * @param options.kind The names in the plural, for example `adapters`.
 */
export function toNameHint(name: string, options: { kind: string; known: Iterable<string> }): string {
  const names = [...options.known];
  // Every name of one or two characters is similar to every other one.
  const nearest = name.length < 3 ? undefined : nearestName(name, names);
  const suggestion = nearest === undefined ? '' : `Did you mean ${JSON.stringify(nearest)}? `;
  return `${suggestion}Known ${options.kind}: ${names.map(one => JSON.stringify(one)).join(', ') || 'none'}.`;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const normalize = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

const at = (distances: readonly number[], index: number): number =>
  distances[index] ?? Number.POSITIVE_INFINITY;
