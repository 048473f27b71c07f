/** A difference between two values; a missing value is undefined. */
export interface JsonDifference {
  /** `tools[0].strict` */
  readonly path: string;
  readonly first: unknown;
  readonly second: unknown;
}

/** Returns the differences between two JSON values, in the order of their keys. */
export function diffJson(first: unknown, second: unknown, path = ''): JsonDifference[] {
  if (Array.isArray(first) && Array.isArray(second)) {
    const length = Math.max(first.length, second.length);
    return Array.from({ length }).flatMap((_, index) =>
      diffJson(first[index], second[index], `${path}[${index}]`),
    );
  }
  if (isRecord(first) && isRecord(second)) {
    const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
    return keys.flatMap(key => diffJson(first[key], second[key], path === '' ? key : `${path}.${key}`));
  }
  return Object.is(first, second) ? [] : [{ path, first, second }];
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
