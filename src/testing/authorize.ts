import type { ApiError } from './api-error.js';

/** The API's objection to a key, or `undefined` if it is let in. A key is never repeated whole. */
export function authorize(
  key: string | undefined,
  { apiKeys }: { apiKeys?: readonly string[] },
): ApiError | undefined {
  if (apiKeys === undefined || (key !== undefined && apiKeys.includes(key))) return undefined;
  const error = { status: 401, type: 'invalid_request_error', param: null };
  if (key === undefined) {
    return {
      ...error,
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using " +
        'Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from ' +
        'https://platform.openai.com/account/api-keys.',
      code: null,
    };
  }
  return {
    ...error,
    message: `Incorrect API key provided: ${mask(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    code: 'invalid_api_key',
  };
}

/** Shows the ends of a key that is long enough to keep its secret all the same. */
const mask = (key: string): string =>
  key.length < 24 ? '*'.repeat(8) : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
