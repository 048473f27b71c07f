import { isPlainObject } from '../../shared/json.js';
import type { Compatibility } from './compatibility.js';
import type { ResponsesRequestBody } from '../wire.js';

/** Removes the fields that the endpoint does not accept. Returns the same object if the request has none of them. */
export function withoutFields(
  body: ResponsesRequestBody,
  { include = 'any', without = [] }: Compatibility,
): ResponsesRequestBody {
  const included = { any: [], unencrypted: ['include.reasoning.encrypted_content'], none: ['include'] }[
    include
  ];
  return [...included, ...without].reduce(withoutField, body);
}

/** Returns true if the request has the field with this wire path. */
export const hasField = (body: ResponsesRequestBody, path: string): boolean =>
  withoutField(body, path) !== body;

const withoutField = (body: ResponsesRequestBody, path: string): ResponsesRequestBody =>
  omit(body, path.split('.')) as ResponsesRequestBody;

/** Removes a field from an object, or from each object of a list. In a list of strings, the path is the string. */
function omit(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const left = value
      .filter(entry => entry !== path.join('.'))
      .map(entry => (typeof entry === 'string' ? entry : omit(entry, path)));
    return left.length === value.length && left.every((entry, index) => entry === value[index])
      ? value
      : left;
  }
  const [name = '', ...inner] = path;
  if (!isPlainObject(value) || value[name] === undefined) return value;
  const { [name]: field, ...rest } = value;
  if (inner.length === 0) return rest;
  const changed = omit(field, inner);
  if (changed === field) return value;
  // Some servers reject an empty object: https://github.com/n8n-io/n8n/issues/24492
  return isEmpty(changed) ? rest : { ...value, [name]: changed };
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
