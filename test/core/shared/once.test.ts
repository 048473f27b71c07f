import { expect, it } from 'vitest';
import { oncePerObject } from '../../../src/core/shared/once.js';

it('creates the value of each object once, also if there is none', () => {
  const asked: object[] = [];
  const nameOf = oncePerObject((one: { readonly name?: string }) => {
    asked.push(one);
    return one.name;
  });
  const [named, unnamed] = [{ name: 'a' }, {}];
  expect([named, unnamed, named, unnamed, { ...named }].map(nameOf)).toEqual([
    'a',
    undefined,
    'a',
    undefined,
    'a',
  ]);
  expect(asked).toEqual([named, unnamed, named]);
});
