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
export const toQuotedList = (names: readonly string[]): string =>
  new Intl.ListFormat('en').format(names.map(name => `'${name}'`));

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

/** Returns the first error: the API reports one error at a time. */
export function findFirst<Value>(
  values: Iterable<Value>,
  toError: (value: Value, index: number) => ApiError | undefined,
): ApiError | undefined {
  let index = 0;
  for (const value of values) {
    const error = toError(value, index++);
    if (error !== undefined) return error;
  }
  return undefined;
}
