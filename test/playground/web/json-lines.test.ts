import { describe, expect, it } from 'vitest';
import { toJsonLines } from '../../../playground/web/ui/json-lines.js';

describe('coloured JSON', () => {
  it('equals the indented JSON when its tokens are joined', () => {
    const value = { text: 'a "quoted": key', list: [1, null, true, { deep: [] }], '': 'x\ny' };
    const lines = toJsonLines(value).map(tokens => tokens.map(({ text }) => text).join(''));

    expect(lines.join('\n')).toBe(JSON.stringify(value, null, 2));
  });

  it('distinguishes keys, strings and other values', () => {
    const kinds = toJsonLines({ name: 'x', count: 1 }).map(tokens => tokens.map(({ kind }) => kind));

    expect(kinds).toEqual([['plain'], ['plain', 'key', 'string'], ['plain', 'key', 'literal'], ['plain']]);
  });

  it('displays a value that JSON cannot represent', () => {
    expect(toJsonLines(undefined)).toEqual([[{ text: 'undefined', kind: 'plain' }]]);
  });
});
