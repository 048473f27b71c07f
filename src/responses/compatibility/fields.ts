import { isPlainObject } from '../../shared/json.js';
import type { Compatibility } from './compatibility.js';
import type { ResponsesRequestBody } from '../wire.js';

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/** Removes the fields that the endpoint does not accept. Returns the same object if the request has none of them. */
export function withoutFields(
  body: ResponsesRequestBody,
  { include = 'any', without = [] }: Compatibility,
): ResponsesRequestBody {
  const unencrypted = include === 'unencrypted' ? withoutEncryptedReasoning(body) : body;
  const paths = include === 'none' ? ['include', ...without] : without;
  return paths.reduce(withoutField, unencrypted);
}

/** Returns true if the request has the field with this wire path. */
export function hasField(body: ResponsesRequestBody, path: string): boolean {
  const [name, part] = toPath(path);
  const value = new Map(Object.entries(body)).get(name);
  return part === undefined ? value !== undefined : isPlainObject(value) && value[part] !== undefined;
}

function withoutField(body: ResponsesRequestBody, path: string): ResponsesRequestBody {
  if (!hasField(body, path)) return body;
  const [name, part] = toPath(path);
  const left = Object.entries(body).flatMap(([field, value]) => {
    if (field !== name) return [[field, value]];
    if (part === undefined || !isPlainObject(value)) return [];
    const { [part]: _, ...rest } = value;
    // Some servers reject an empty object: https://github.com/n8n-io/n8n/issues/24492
    return Object.keys(rest).length === 0 ? [] : [[field, rest]];
  });
  return Object.fromEntries(left) as ResponsesRequestBody;
}

function withoutEncryptedReasoning(body: ResponsesRequestBody): ResponsesRequestBody {
  const { include, ...rest } = body;
  if (include === undefined || !include.includes(ENCRYPTED_REASONING)) return body;
  const others = include.filter(value => value !== ENCRYPTED_REASONING);
  return others.length > 0 ? { ...rest, include: others } : rest;
}

/** Splits a path into a field and, after a dot, a part of it. */
function toPath(path: string): [name: string, part: string | undefined] {
  const at = path.indexOf('.');
  return at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
}
