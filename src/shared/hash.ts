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
