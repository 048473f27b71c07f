import { isPlainObject, type PlainObject } from '../../shared/json.js';
import { isWithinBounds } from '../features/untrusted-input.js';

/** Limits of `_meta` that the host adds to a request. */
const metaBounds = { maxDepth: 50, maxSize: 64 * 1024 };

/**
 * Collects `_meta` of a request from functions of the host, of which the last takes precedence. A function that throws,
 * and metadata that cannot be sent, is left out: a failing tracer must not stop a call.
 */
export function readRequestMeta(readers: readonly (() => unknown)[]): PlainObject {
  return Object.assign({}, ...readers.map(readSafely));
}

function readSafely(read: () => unknown): PlainObject {
  try {
    const meta = read();
    if (!isPlainObject(meta) || !isWithinBounds(meta, metaBounds)) return {};
    // Also leaves out functions, which JSON cannot contain.
    const sent: PlainObject = JSON.parse(JSON.stringify(meta));
    return Object.fromEntries(Object.entries(sent).filter(([key]) => !isReserved(key)));
  } catch {
    return {};
  }
}

/**
 * Returns true for keys that the protocol defines. Prefixes whose second label is `modelcontextprotocol` or `mcp` are
 * reserved (https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).
 */
const isReserved = (key: string): boolean =>
  key === 'progressToken' || /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//.test(key);

/** Returns `_meta` as a field of the parameters of a request, or nothing if it is empty. */
export const toMetaField = (meta: PlainObject): { _meta?: PlainObject } =>
  Object.keys(meta).length === 0 ? {} : { _meta: meta };
