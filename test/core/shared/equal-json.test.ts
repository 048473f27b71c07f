import { describe, expect, it } from 'vitest';
import { isEqualJson } from '../../../src/core/shared/json.js';
import { SigningKeys } from '../../../src/core/shared/signing.js';

const VALUES: readonly unknown[] = [
  null,
  0,
  '',
  '0',
  false,
  [],
  [null],
  {},
  { a: null },
  { a: 1 },
  { a: 1, b: 2 },
  { a: { a: 1 } },
  { a: [1] },
  { a: [1, 2] },
  { 0: 1 },
  [1],
  JSON.parse('{ "__proto__": {} }'),
  JSON.parse('{ "toString": 1 }'),
];

describe('isEqualJson', () => {
  it('tells every value from every other one, in both orders', () => {
    for (const [one, a] of VALUES.entries()) {
      for (const [other, b] of VALUES.entries()) {
        const copy: unknown = JSON.parse(JSON.stringify(b));
        expect([a, b, isEqualJson(a, copy)]).toEqual([a, b, one === other]);
      }
    }
  });

  it('compares fields in any order, and reads an undefined field as a missing one', () => {
    expect(isEqualJson({ a: 1, b: { c: 2 } }, { b: { c: 2, d: undefined }, a: 1 })).toBe(true);
  });

  it('equates no value that JSON writes in another way', () => {
    const toJSON = () => ({ a: 1 });
    for (const value of [new Date(0), new Map(), { toJSON }, Object.create({ a: 1 }), /x/, () => 1])
      expect([value, isEqualJson(value, {})]).toEqual([value, false]);
  });
});

it('verifies no value that differs from the one whose signature it remembers', () => {
  const keys = new SigningKeys(() => ['a secret of at least 32 characters']);
  for (const value of VALUES) {
    const signature = keys.sign('facts', value, ['call', 'a']);
    for (const other of VALUES) {
      const isSame = JSON.stringify(value) === JSON.stringify(other);
      expect(keys.verify(signature, 'facts', other, ['call', 'a'])).toBe(isSame ? undefined : 'other-place');
    }
    expect(keys.verify(signature, 'facts', value, ['call', 'b'])).toBe('other-place');
  }
});

it('verifies no signature of another key, even of one with the same beginning', () => {
  const secretOf = new Map<string, string>();
  for (let count = 0; ; count++) {
    const secret = `a secret of at least 32 characters, ${count}`;
    const signature = new SigningKeys(() => [secret]).sign('facts', 1, []);
    const other = secretOf.get(signature.slice(0, 3));
    secretOf.set(signature.slice(0, 3), secret);
    if (other === undefined) continue;
    expect(new SigningKeys(() => [other]).verify(signature, 'facts', 1, [])).toBe('other-place');
    return;
  }
});
