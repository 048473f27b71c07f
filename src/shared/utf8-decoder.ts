export interface Utf8Decoder {
  /** Decodes the next chunk, split anywhere. Undefined is the end, where an incomplete character is replaced. */
  decode(bytes: Uint8Array | undefined): string;
}

/**
 * Decodes UTF-8 that arrives in chunks, with the same result as `TextDecoder` with `stream: true`. Each chunk is decoded as
 * a complete text without the character that it ends in the middle of. Engines have a fast path for complete texts, and
 * store those in Latin-1 with one byte per character, which also makes them faster to parse.
 */
export function createUtf8Decoder(): Utf8Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The bytes of an incomplete character, at most three. */
  let held = NO_BYTES;
  let isBeginning = true;

  return {
    decode(bytes) {
      const complete = bytes === undefined ? held : toComplete(bytes);
      if (complete.length === 0) return '';
      const text = decoder.decode(complete);
      const hasMark = isBeginning && text.startsWith(BYTE_ORDER_MARK);
      isBeginning = false;
      return hasMark ? text.slice(1) : text;
    },
  };

  /** Returns the complete characters, and holds the rest back. */
  function toComplete(bytes: Uint8Array): Uint8Array {
    const all = held.length === 0 ? bytes : concat(held, bytes);
    const end = all.length - incompleteLength(all);
    held = end === all.length ? NO_BYTES : all.slice(end);
    return end === all.length ? all : all.subarray(0, end);
  }
}

const NO_BYTES = new Uint8Array();

const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the number of bytes at the end that begin a longer character. */
function incompleteLength(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes[bytes.length - length];
    if (byte === undefined || byte < 0x80) return 0;
    // A byte from 0xC0 begins a character, others continue one.
    if (byte >= 0xc0) return length < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length : 0;
  }
  return 0;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
