import type { ApiError } from './api-error.js';
import type { JsonObject } from './json-object.js';

/** What the API would object to in a request, if anything. */
export type Check = (body: JsonObject) => ApiError | undefined;

/** What the first of `checks` that objects has to say: the API tells one fault at a time. */
export function findFirstFault(body: JsonObject, checks: readonly Check[]): ApiError | undefined {
  for (const check of checks) {
    const fault = check(body);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
