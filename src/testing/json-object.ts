/** A JSON object whose fields nobody has checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether `value` is a JSON object: not `null`, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a JSON array; everything else counts as empty. */
export const toJsonObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
