import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { SigningKeys } from '../../../src/core/shared/signing.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapSize(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('keeps what it has verified once: as a text or as a value', () => {
  const keys = new SigningKeys(() => ['s'.repeat(32)]);
  const values = Array.from({ length: 9 }, (_, index) =>
    Array.from({ length: 390 }, (__, part) => `${index} ${part} `.padEnd(1000, '.')),
  );
  const signatures = values.map(value => keys.sign('facts', value, []));
  const signed = heapSize();
  const faults = values.map((value, index) => keys.verify(signatures[index], 'facts', value, []));
  const growth = heapSize() - signed;
  expect(faults.every(fault => fault === undefined)).toBe(true);
  expect(growth).toBeLessThan(JSON.stringify(values).length / 2);
});
