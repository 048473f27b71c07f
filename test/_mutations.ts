/** A value that is changed in one place. */
export interface Mutation {
  /** The path of the changed member. */
  readonly path: readonly (string | number)[];
  /** The new value as JSON, or `missing`. */
  readonly change: string;
  readonly value: unknown;
}

const TYPES: readonly unknown[] = [null, 'text', 7, true, [], {}];

/**
 * Returns a value with each of its members changed in turn: missing, null, or of another type. The members of lists are
 * changed, too, but lists keep their length.
 */
export function mutationsOf(value: unknown): Mutation[] {
  return pathsOf(value).flatMap(path => {
    const current = path.reduce<unknown>((outer, key) => (outer as Record<string, unknown>)[key], value);
    const others = TYPES.filter(type => kindOf(type) !== kindOf(current));
    const changed = others.map(type => ({
      path,
      change: JSON.stringify(type),
      value: withMember(value, path, type),
    }));
    const isEntry = typeof path.at(-1) === 'number';
    return isEntry
      ? changed
      : [{ path, change: 'missing', value: withMember(value, path, undefined) }, ...changed];
  });
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

function pathsOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((entry, index) => [index, entry])
    : Object.entries(value);
  return entries.flatMap(([key, member]) => [[key], ...pathsOf(member).map(path => [key, ...path])]);
}

/** Returns a copy with one member changed. JSON omits a member that is undefined. */
function withMember(value: unknown, [key, ...rest]: readonly (string | number)[], member: unknown): unknown {
  if (key === undefined) return member;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const fields = copy as Record<string | number, unknown>;
  fields[key] = withMember(fields[key], rest, member);
  return copy;
}
