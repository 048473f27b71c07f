import { describe, expect, it } from 'vitest';
import { toJsonLines } from '../../../playground/web/lib/json-lines.js';

describe('coloured JSON', () => {
  it('is the indented JSON again when its pieces are joined', () => {
    const value = { text: 'a "quoted": key', list: [1, null, true, { deep: [] }], '': 'x\ny' };
    const lines = toJsonLines(value).map(tokens => tokens.map(({ text }) => text).join(''));

    expect(lines.join('\n')).toBe(JSON.stringify(value, null, 2));
  });

  it('tells keys, strings and other values apart', () => {
    const kinds = toJsonLines({ name: 'x', count: 1 }).map(tokens => tokens.map(({ kind }) => kind));

    expect(kinds).toEqual([['plain'], ['plain', 'key', 'string'], ['plain', 'key', 'literal'], ['plain']]);
  });

  it('shows a value that JSON does not know', () => {
    expect(toJsonLines(undefined)).toEqual([[{ text: 'undefined', kind: 'plain' }]]);
  });
});
