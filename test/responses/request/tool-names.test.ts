import { describe, expect, it } from 'vitest';
import { createToolNames } from '../../../src/responses/request/tool-names.js';

const accepted = /^[a-zA-Z0-9_-]{1,64}$/;

describe('createToolNames', () => {
  it('keeps accepted names', () => {
    const { toWire, fromWire } = createToolNames(['read_file', 'x'.repeat(64)]);
    for (const name of ['read_file', 'x'.repeat(64), 'not-declared']) {
      expect(toWire(name)).toBe(name);
      expect(fromWire(name)).toBe(name);
    }
  });

  it.each(['a.b', 'a b', '', 'äöü', '工具', 'x'.repeat(65), `${'server.'.repeat(20)}tool`])(
    'maps %j to an accepted name and back, the same in every request',
    name => {
      const names = createToolNames([name]);
      expect(names.toWire(name)).toMatch(accepted);
      expect(names.fromWire(names.toWire(name))).toBe(name);
      expect(createToolNames(['other', name]).toWire(name)).toBe(names.toWire(name));
    },
  );

  it('distinguishes names that are equal after cleaning', () => {
    const all = ['a.b', 'a b', 'a/b', 'a_b', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`];
    const { toWire, fromWire } = createToolNames(all);
    expect(new Set(all.map(name => toWire(name))).size).toBe(all.length);
    expect(all.map(name => fromWire(toWire(name)))).toEqual(all);
  });

  it('never assigns the name of another tool, declared or not', () => {
    const taken = createToolNames([]).toWire('a.b');
    const declared = createToolNames(['a.b', taken]);
    expect(declared.toWire(taken)).toBe(taken);
    expect(declared.toWire('a.b')).not.toBe(taken);
    const later = createToolNames(['a.b']);
    expect(later.toWire('a.b')).toBe(taken);
    expect(later.toWire(taken)).not.toBe(taken);
    expect(later.fromWire(later.toWire(taken))).toBe(taken);
  });

  it('gives each namespace its own names', () => {
    const { toWire, fromWire } = createToolNames([
      { name: 'list' },
      { name: 'crm.list', namespace: 'crm' },
      { name: 'billing.list', namespace: 'billing' },
      { name: 'crm.äöü', namespace: 'crm' },
    ]);
    for (const [name, namespace] of [
      ['list', undefined],
      ['crm.list', 'crm'],
      ['billing.list', 'billing'],
    ] as const) {
      expect(toWire(name)).toBe('list');
      expect(fromWire('list', namespace)).toBe(name);
    }
    expect(toWire('crm.äöü')).toMatch(accepted);
    expect(fromWire(toWire('crm.äöü'), 'crm')).toBe('crm.äöü');
  });

  it('maps a call of an undeclared namespace to the only function of its name', () => {
    const { toWire, fromWire } = createToolNames([
      ...['list', { name: 'find', isOmitted: true }, { name: 'billing.pay', namespace: 'billing' }],
      // A call that was refused before the function was declared.
      ...[{ name: 'crm.list', namespace: 'crm', isCalled: true }],
    ]);
    expect(fromWire('list', 'crm')).toBe('list');
    expect(fromWire('pay', 'crm')).toBe('billing.pay');
    // The replayed call has its original name.
    expect(toWire('list', 'crm')).toBe('list');
    // The conversation may add an omitted function in any namespace.
    expect(fromWire('find', 'crm')).toBe('find');
    expect(fromWire('count', 'crm')).toBe('count');
  });

  it('does not map a call of a declared namespace, or of an ambiguous name, to another function', () => {
    const { fromWire } = createToolNames([
      ...['list', { name: 'crm.add', namespace: 'crm' }],
      ...[{ name: 'a.get', namespace: 'a' }, { name: 'b.get', namespace: 'b' }, 'get'],
    ]);
    expect(fromWire('list', 'crm')).toBe('crm.list');
    expect(fromWire('get', 'c')).toBe('c.get');
  });

  it('maps a function that a tool search has found, which is called in a namespace with its name', () => {
    const { toWire, fromWire } = createToolNames(['get_weather', 'get.time']);
    expect(fromWire('get_weather', 'get_weather')).toBe('get_weather');
    expect(fromWire(toWire('get.time'), toWire('get.time'))).toBe('get.time');
    expect(toWire('get_weather', 'get_weather')).toBe('get_weather');
  });
});
