/** An object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; `undefined` for anything that is none, lists included. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The named fields of an object under other names; `undefined` for anything that is no object. */
export function renamed(value: unknown, names: Readonly<Record<string, string>>): Fields | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  return withoutUndefined(Object.fromEntries(Object.entries(names).map(([from, to]) => [to, fields[from]])));
}

/** The fields that have a value. */
export function withoutUndefined<VALUE extends object>(value: VALUE): VALUE {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as VALUE;
}
