const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How many characters 32 bits are worth. */
const BLOCK = 5;

/**
 * A short name for a text, of letters and digits alone: always the same one, in every runtime, without waiting. Texts
 * that differ have the same name as rarely as chance has it, which is for the caller to notice.
 */
export function toAlphanumericId(text: string, { length }: { length: number }): string {
  let id = '';
  for (let seed = 0; id.length < length; seed++) {
    let bits = hash(text, seed);
    for (let position = 0; position < BLOCK; position++) {
      id += ALPHABET[bits % ALPHABET.length];
      bits = Math.floor(bits / ALPHABET.length);
    }
  }
  return id.slice(0, length);
}

/** 32 bits of a text; with another seed, 32 others. The constants are the mixers of MurmurHash3. */
function hash(text: string, seed: number): number {
  let bits = Math.imul(seed + 1, 0x9e3779b1);
  for (let index = 0; index < text.length; index++) {
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x85ebca6b);
    bits ^= bits >>> 13;
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
