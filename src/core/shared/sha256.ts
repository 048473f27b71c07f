/*
 * HMAC-SHA-256 (FIPS 180-4, RFC 2104) for platforms without synchronous native code. It has no secret-dependent branches and
 * table look-ups. The digests of `crypto.subtle` are asynchronous, and a library would be three times larger.
 */

/** The first 32 bits of the fractional parts of roots of the first primes. */
const fractionsOf = (count: number, root: (prime: number) => number): Uint32Array => {
  const words: number[] = [];
  for (let candidate = 2; words.length < count; candidate++) {
    let divisor = 2;
    while (candidate % divisor !== 0) divisor++;
    const value = root(candidate);
    if (divisor === candidate) words.push((value - Math.floor(value)) * 2 ** 32);
  }
  return Uint32Array.from(words);
};

/* @__NO_SIDE_EFFECTS__ */
const createConstants = () => ({ start: fractionsOf(8, Math.sqrt), rounds: fractionsOf(64, Math.cbrt) });

let constants: ReturnType<typeof createConstants> | undefined;

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Returns the SHA-256 digest of bytes. @internal */
export function sha256(data: Uint8Array): Uint8Array {
  const { start, rounds } = (constants ??= createConstants());
  const padded = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, data.length << 3);

  const state = Uint32Array.from(start);
  const words = new Uint32Array(64);
  const at = (index: number): number => words[index] ?? 0;
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let index = 0; index < 64; index++) {
      if (index < 16) words[index] = view.getUint32(offset + index * 4);
      else {
        const [early, late] = [at(index - 15), at(index - 2)];
        const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
        const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
        words[index] = at(index - 16) + first + at(index - 7) + second;
      }
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let index = 0; index < 64; index++) {
      const mixed = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
      const first = (h + mixed + (rounds[index] ?? 0) + at(index)) | 0;
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
  }

  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

/** Returns the HMAC-SHA-256 of bytes. */
export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const pad = (byte: number, rest: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(64 + rest.length);
    bytes.set(block.map(one => one ^ byte));
    bytes.set(rest, 64);
    return sha256(bytes);
  };
  return pad(0x5c, pad(0x36, data));
}
