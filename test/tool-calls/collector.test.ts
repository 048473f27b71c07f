import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolCallCollector, type ToolCallFragment } from '../../src/tool-calls/collector.js';

function collect(...fragments: ToolCallFragment[]) {
  const collector = new ToolCallCollector();
  fragments.forEach(fragment => {
    collector.add(fragment);
  });
  return collector.calls().map(({ id, name, arguments: input }) => [id, name, input]);
}

describe('fragments become one call', () => {
  it.each<[string, ToolCallFragment[]]>([
    [
      'of one index, as OpenAI sends them',
      [
        { index: 0, id: 'a', name: 'add', arguments: '' },
        { index: 0, arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
      ],
    ],
    [
      'that repeat the name with each piece',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, name: 'add', arguments: ':1' },
        { index: 0, name: 'add', arguments: '}' },
        { index: 0, name: 'add', arguments: '' },
      ],
    ],
    [
      'that repeat id and name with each piece',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, id: 'a', name: 'add', arguments: ':1}' },
      ],
    ],
    [
      'that have an id and no index',
      [
        { id: 'a', name: 'add' },
        { id: 'a', arguments: '{"x":1' },
        { id: 'a', arguments: '}' },
      ],
    ],
    [
      'that have an index, and an id with the first alone that is empty or null after it',
      [
        { index: 0, id: 'a', name: 'add' },
        { index: 0, id: '', name: null, arguments: '{"x"' },
        { index: 0, id: null, name: '', arguments: ':1}' },
      ],
    ],
    [
      'that have neither, after the first',
      [{ id: 'a', name: 'add', arguments: '{' }, { arguments: '"x":1' }, { arguments: '}' }],
    ],
    [
      'whose id comes late',
      [
        { index: 0, name: 'add', arguments: '{"x"' },
        { index: 0, id: 'a', arguments: ':1}' },
      ],
    ],
    [
      'whose name comes late',
      [
        { index: 0, id: 'a', arguments: '{"x"' },
        { index: 0, name: 'add', arguments: ':1}' },
      ],
    ],
    [
      'whose name comes in pieces',
      [
        { index: 0, id: 'a', name: 'a' },
        { index: 0, name: 'dd' },
        { index: 0, arguments: '{"x":1}' },
      ],
    ],
    [
      'whose name grows',
      [
        { index: 0, id: 'a', name: 'a' },
        { index: 0, name: 'add' },
        { index: 0, arguments: '{"x":1}' },
      ],
    ],
    [
      'whose id differs from piece to piece',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, id: 'b', arguments: ':1' },
        { index: 0, id: 'c', arguments: '}' },
      ],
    ],
    ['whose arguments are an object', [{ index: 0, id: 'a', name: 'add', arguments: { x: 1 } }]],
  ])('%s', (_, fragments) => {
    expect(collect(...fragments)).toEqual([['a', 'add', '{"x":1}']]);
  });
});

describe('fragments become two calls', () => {
  it.each<[string, ToolCallFragment[]]>([
    [
      'at two indexes, one mixed with the other',
      [
        { index: 0, id: 'a', name: 'add' },
        { index: 1, id: 'b', name: 'echo' },
        { index: 1, arguments: '{"t":' },
        { index: 0, arguments: '{"x":' },
        { index: 1, arguments: '2}' },
        { index: 0, arguments: '1}' },
      ],
    ],
    [
      'with two ids at one index',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x":1}' },
        { index: 0, id: 'b', name: 'echo', arguments: '{"t":' },
        { index: 0, arguments: '2}' },
      ],
    ],
    [
      'with two ids and no index, one mixed with the other',
      [
        { id: 'a', name: 'add', arguments: '{"x":' },
        { id: 'b', name: 'echo', arguments: '{"t":' },
        { id: 'a', arguments: '1}' },
        { id: 'b', arguments: '2}' },
      ],
    ],
  ])('%s', (_, fragments) => {
    expect(collect(...fragments)).toEqual([
      ['a', 'add', '{"x":1}'],
      ['b', 'echo', '{"t":2}'],
    ]);
  });

  it('of one id at two indexes', () => {
    expect(
      collect(
        { index: 0, id: 'call_0', name: 'add', arguments: '{"x":' },
        { index: 1, id: 'call_0', name: 'add', arguments: '{"x":' },
        { index: 0, id: 'call_0', arguments: '1}' },
        { index: 1, id: 'call_0', arguments: '2}' },
      ),
    ).toEqual([
      ['call_0', 'add', '{"x":1}'],
      ['call_0', 'add', '{"x":2}'],
    ]);
  });

  it('of two tools, without ids and at one index', () => {
    expect(
      collect(
        { index: 0, name: 'add', arguments: '{"x":1}' },
        { index: 0, name: 'echo', arguments: '{"t":2}' },
      ),
    ).toEqual([
      [undefined, 'add', '{"x":1}'],
      [undefined, 'echo', '{"t":2}'],
    ]);
  });

  it('of one tool, without ids and indexes', () => {
    expect(collect({ name: 'add', arguments: '{"x":1}' }, { name: 'add', arguments: '{"x":2}' })).toEqual([
      [undefined, 'add', '{"x":1}'],
      [undefined, 'add', '{"x":2}'],
    ]);
  });
});

it('a brace that closes a text is no end of the arguments', () => {
  expect(
    collect(
      { index: 0, name: 'write', arguments: '{"code":"if (a) {}' },
      { index: 0, name: 'write', arguments: '{}"}' },
    ),
  ).toEqual([[undefined, 'write', '{"code":"if (a) {}{}"}']]);
});

it('a whole call told twice without an id is not two calls', () => {
  const fragment = { index: 0, name: 'wipe', arguments: '{"path":"/tmp"}' };
  expect(collect(fragment, fragment)).toHaveLength(1);
});

it('calls come in the order of their index, those without one after them as they came', () => {
  expect(
    collect(
      { id: 'x', name: 'first' },
      { index: 2, id: 'c', name: 'three' },
      { index: 0, id: 'a', name: 'one' },
      { id: 'y', name: 'second' },
      { index: 1, id: 'b', name: 'two' },
    ).map(([, name]) => name),
  ).toEqual(['one', 'two', 'three', 'first', 'second']);
});

it('no fragment of any call is lost, in whatever order the calls are mixed', () => {
  const call = fc.record({
    name: fc.constantFrom('add', 'echo', 'add_all'),
    pieces: fc.array(fc.string(), { maxLength: 8 }),
    repeats: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), fc.infiniteStream(fc.nat({ max: 4 })), (calls, turns) => {
      const queues = calls.map(({ name, pieces, repeats }, index) => [
        { index, id: `call_${index}`, name },
        ...pieces.map(piece => ({
          index,
          arguments: piece,
          ...(repeats && { id: `call_${index}`, name }),
        })),
      ]);
      const mixed: ToolCallFragment[] = [];
      while (queues.some(queue => queue.length > 0)) {
        const open = queues.filter(queue => queue.length > 0);
        const fragment = open[Number(turns.next().value) % open.length]?.shift();
        if (fragment !== undefined) mixed.push(fragment);
      }
      expect(collect(...mixed)).toEqual(
        calls.map(({ name, pieces }, index) => [`call_${index}`, name, pieces.join('')]),
      );
    }),
  );
});
