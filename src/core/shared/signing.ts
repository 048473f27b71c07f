import { isEqualJson, toStableJson } from './json.js';
import { Memory } from './memory.js';
import { once } from './once.js';

import { hmacSha256 } from './sha256.js';

/*
 * Signatures of what leaves the process and returns: facts in the history of a host, and ids of approval requests. They are
 * made synchronously, because parts are written in streams.
 */

/** The first character of each signature. Another form gets another one. */
const VERSION = '1';

/** Why a signature does not count. `other-place`: a key of this application has signed something else. */
export type SignatureFault = 'unsigned' | 'other-secret' | 'other-place';

/** Signs values and verifies signatures with one or more secrets. */
export class SigningKeys {
  readonly #keys: () => readonly SigningKey[];

  /** @param secrets The first one signs, and all of them verify. They are read when something is signed or verified. */
  constructor(secrets: () => readonly string[]) {
    this.#keys = once(() => secrets().map(toKey));
  }

  /** Returns the signature of a value of a kind. It counts only with an equal binding. */
  sign(kind: string, value: unknown, binding: readonly unknown[]): string {
    const [key] = this.#keys();
    if (key === undefined) throw new TypeError('Expected at least one secret.');
    const signed = toSigned(kind, value, binding);
    const signature = signWith(key, signed);
    remember(key, signature, [kind, binding, value], signed.length);
    return signature;
  }

  /** Returns undefined for a valid signature, else the reason why it does not count. */
  verify(
    signature: unknown,
    kind: string,
    value: unknown,
    binding: readonly unknown[],
  ): SignatureFault | undefined {
    if (typeof signature !== 'string') return 'unsigned';
    let fault: SignatureFault = 'other-secret';
    for (const key of this.#keys()) {
      if (!signature.startsWith(key.prefix)) continue;
      // Histories come again with every request. To compare values is cheaper than to write them as text.
      const known = verified.get(signature);
      if (known?.key === key.id && isEqualJson(known.value(), [kind, binding, value])) return undefined;
      fault = 'other-place';
      const signed = toSigned(kind, value, binding);
      if (!isEqual(signature, signWith(key, signed))) continue;
      remember(key, signature, [kind, binding, value], signed.length);
      return undefined;
    }
    return fault;
  }
}

/** A secret of this process, for what no configured secret signs. Providers that are created for each request share it. */
export const secretOfProcess = once(() => toBase64Url(crypto.getRandomValues(new Uint8Array(32))));

interface SigningKey {
  readonly bytes: Uint8Array;
  /** Identifies the key among all of the process. */
  readonly id: string;
  /** The version and two characters of the id. */
  readonly prefix: string;
}

/** Derives a key from a secret with HKDF (RFC 5869), so that neither reveals the other. */
function toKey(secret: string): SigningKey {
  const extracted = digest(encode('kelivo-responses'), encode(secret));
  const bytes = digest(extracted, encode('signatures\u0001'));
  const id = toBase64Url(digest(bytes, encode('id')));
  return { bytes, id, prefix: VERSION + id.slice(0, 2) };
}

const signWith = (key: SigningKey, text: string): string =>
  key.prefix + toBase64Url(digest(key.bytes, encode(text)).subarray(0, 16));

const toSigned = (kind: string, value: unknown, binding: readonly unknown[]): string =>
  toStableJson([VERSION, kind, binding, value]);

/** Signatures that were made or verified, with the id of their key and a copy of the value that was signed. */
const verified = new Memory<string, { readonly key: string; readonly value: () => unknown }>('signatures');

function remember(key: SigningKey, signature: string, value: unknown, length: number): void {
  if (length > MAX_REMEMBERED) return;
  const json = JSON.stringify(value);
  // Most of what is signed does not come back in this process.
  verified.set(signature, { key: key.id, value: once((): unknown => JSON.parse(json)) }, length);
}

/** One long text does not displace all others. In characters. */
const MAX_REMEMBERED = 400_000;

/** Compares in a time that does not depend on the contents. */
function isEqual(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < right.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

const encoder = new TextEncoder();
const encode = (text: string): Uint8Array => encoder.encode(text);

/** The part of `node:crypto` that is used here. */
interface NativeCrypto {
  createHmac(algorithm: string, key: Uint8Array): { update(data: Uint8Array): { digest(): Uint8Array } };
}

/** Node, Bun, Deno and workerd have native code that is ten times faster. Nothing is imported, so that browsers work. */
const native = once((): NativeCrypto | undefined => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NativeCrypto | undefined };
  };
  try {
    return process?.getBuiltinModule?.('node:crypto');
  } catch {
    return undefined;
  }
});

const digest = (key: Uint8Array, data: Uint8Array): Uint8Array =>
  native()?.createHmac('sha256', key).update(data).digest() ?? hmacSha256(key, data);

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
