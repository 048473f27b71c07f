import { expect, it } from 'vitest';
import { toAlphanumericId } from '../../../src/adapters/call-ids.js';

it('is letters and digits of the length asked for', () => {
  for (const text of ['', 'a', 'call_1', '🙂', 'x'.repeat(10_000)]) {
    expect(toAlphanumericId(text, { length: 9 })).toMatch(/^[a-zA-Z0-9]{9}$/);
  }
  expect(toAlphanumericId('a', { length: 23 })).toHaveLength(23);
});

it('is the same for the same text in every version: prompts that a server caches depend on it', () => {
  expect(toAlphanumericId('call_abc123', { length: 9 })).toMatchInlineSnapshot(`"Cgo8ECDtt"`);
});

it('tells apart ids that differ by a character anywhere, two hundred thousand of them', () => {
  const forms = [
    (index: number) => `call_${index}`,
    (index: number) => `${index}_toolu`,
    (index: number) => `chatcmpl-tool-${index.toString(16).padStart(32, '0')}`,
    (index: number) => String.fromCharCode(index % 65_536, index >> 16),
  ];
  for (const form of forms) {
    const ids = new Set<string>();
    for (let index = 0; index < 50_000; index++) ids.add(toAlphanumericId(form(index), { length: 9 }));
    expect(ids.size).toBe(50_000);
  }
});

it('uses all its characters about as often', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 20_000; index++) {
    for (const character of toAlphanumericId(`call_${index}`, { length: 9 })) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(62);
  const expected = (20_000 * 9) / 62;
  for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.15);
});
