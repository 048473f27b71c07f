import { createHash, createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { hmacSha256, sha256 } from '../../../src/core/shared/sha256.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

it('computes the digests of the standard', () => {
  expect(hex(sha256(new TextEncoder().encode('abc')))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

it('agrees with the native code for every length of the padding, and for long keys', () => {
  for (let length = 0; length < 300; length++) {
    const data = randomBytes(length);
    expect(hex(sha256(data))).toBe(createHash('sha256').update(data).digest('hex'));
    const key = randomBytes(length % 140);
    expect(hex(hmacSha256(key, data))).toBe(createHmac('sha256', key).update(data).digest('hex'));
  }
});
