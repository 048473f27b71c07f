import { describe, expect, it } from 'vitest';
import { cutText } from '../../src/tool-loop/cut-text.js';

describe('cutText', () => {
  it('leaves a text alone that is short enough', () => {
    expect(cutText('x'.repeat(100), { maxChars: 100 })).toBe('x'.repeat(100));
  });

  it('keeps the beginning and the end, and says how much is missing between them', () => {
    const cut = cutText(`${'a'.repeat(500)}${'b'.repeat(500)}`, { maxChars: 100 });
    const [, head = '', count, tail = ''] = /^(a+)\n\[… (\d+) characters left out …\]\n(b+)$/.exec(cut) ?? [];
    expect(head.length).toBeGreaterThan(30);
    expect(Number(count)).toBe(1000 - head.length - tail.length);
    expect(cut.length).toBeLessThanOrEqual(100);
  });

  it('never leaves half of a surrogate pair, wherever it cuts', () => {
    for (const length of [500, 501]) {
      for (let maxChars = 100; maxChars < 108; maxChars++) {
        const cut = cutText(`${'x'.repeat(length % 2)}${'😀'.repeat(length)}`, { maxChars });
        expect(cut).toMatch(/characters left out/);
        expect(cut.length).toBeLessThanOrEqual(maxChars);
        expect(encodeURIComponent(cut)).toContain('%F0%9F%98%80'); // throws for a lone half
      }
    }
  });

  it('is the mark alone where there is room for no more', () => {
    expect(cutText('x'.repeat(50), { maxChars: 10 })).toBe('\n[… 50 characters left out …]\n');
  });
});
