import { toPlainJson, toStableJson } from './json.js';

/**
 * Returns the 32-bit FNV-1a hash of a text as eight hexadecimal digits. It is not cryptographic: use it where a
 * collision does no harm.
 */
export function toHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Returns the SHA-256 digest of a value's canonical JSON as hexadecimal text. Bytes, dates and URLs count by contents. */
export async function toDigest(value: unknown): Promise<string> {
  const text = toStableJson(toPlainJson(value, { keepUndefined: false }));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** Returns bytes as hexadecimal text. */
const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
