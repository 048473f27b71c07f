import type { PlainObject } from '../shared/json.js';

/** An error response of the API: the HTTP status and the fields of its `error` object. */
export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}

/** Creates an error with status 400 for an invalid request. */
export function badRequest(
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): ApiError {
  return { status: 400, message, type: 'invalid_request_error', param, code };
}

export const missingParameter = (param: string): ApiError =>
  badRequest(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });

export const unknownParameter = (param: string): ApiError =>
  badRequest(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });

export const emptyArray = (param: string): ApiError =>
  badRequest(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param, code: 'empty_array' },
  );

export function invalidType(
  param: string,
  { expected, value }: { expected: string; value: unknown },
): ApiError {
  return badRequest(
    `Invalid type for '${param}': expected ${expected}, but got ${describeType(value)} instead.`,
    { param, code: 'invalid_type' },
  );
}

export function invalidValue(
  param: string,
  { value, supported }: { value: unknown; supported: readonly string[] },
): ApiError {
  return badRequest(`Invalid value: '${String(value)}'. Supported values are: ${toQuotedList(supported)}.`, {
    param,
    code: 'invalid_value',
  });
}

/** Returns names in quotes, separated as in a sentence. */
export function toQuotedList(names: readonly string[]): string {
  const quoted = names.map(name => `'${name}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')}${quoted.length > 1 ? ',' : ''} and ${last}`;
}

/** Creates the error for an item that is neither in the request nor stored (404). */
export const itemNotFound = (id: string): ApiError => ({
  ...badRequest(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    { param: 'input' },
  ),
  status: 404,
});

export const toErrorBody = ({ message, type, param, code }: Omit<ApiError, 'status'>) => ({
  error: { message, type, param, code },
});

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Returns the API's error for a request, or `undefined` for a valid one. */
export type Check = (body: PlainObject) => ApiError | undefined;

/** Returns the error of the first failing check: the API reports one error at a time. */
export function findFirstError(body: PlainObject, checks: readonly Check[]): ApiError | undefined {
  for (const check of checks) {
    const error = check(body);
    if (error !== undefined) return error;
  }
  return undefined;
}
