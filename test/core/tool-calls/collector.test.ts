import { describe, expect, it } from 'vitest';
import { ToolCallCollector, type ToolCallFragment } from '../../../src/core/tool-calls/pipeline.js';
import fc from '../../_property.js';

function collect(...fragments: ToolCallFragment[]) {
  const collector = new ToolCallCollector();
  fragments.forEach(fragment => {
    collector.add(fragment);
  });
  return collector.calls().map(({ id, name, arguments: input }) => [id, name, input]);
}

describe('fragments of one call', () => {
  it.each<[string, ToolCallFragment[]]>([
    [
      'have one index, as from OpenAI',
      [
        { index: 0, id: 'a', name: 'add', arguments: '' },
        { index: 0, arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
      ],
    ],
    [
      'repeat the name in each fragment',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, name: 'add', arguments: ':1' },
        { index: 0, name: 'add', arguments: '}' },
        { index: 0, name: 'add', arguments: '' },
      ],
    ],
    [
      'repeat id and name in each fragment',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, id: 'a', name: 'add', arguments: ':1}' },
      ],
    ],
    [
      'have an id and no index',
      [
        { id: 'a', name: 'add' },
        { id: 'a', arguments: '{"x":1' },
        { id: 'a', arguments: '}' },
      ],
    ],
    [
      'have an index, and an id that is empty or null after the first fragment',
      [
        { index: 0, id: 'a', name: 'add' },
        { index: 0, id: '', name: null, arguments: '{"x"' },
        { index: 0, id: null, name: '', arguments: ':1}' },
      ],
    ],
    [
      'have neither index nor id after the first fragment',
      [{ id: 'a', name: 'add', arguments: '{' }, { arguments: '"x":1' }, { arguments: '}' }],
    ],
    [
      'have an id that arrives late',
      [
        { index: 0, name: 'add', arguments: '{"x"' },
        { index: 0, id: 'a', arguments: ':1}' },
      ],
    ],
    [
      'have a name that arrives late',
      [
        { index: 0, id: 'a', arguments: '{"x"' },
        { index: 0, name: 'add', arguments: ':1}' },
      ],
    ],
    [
      'have a name that is split',
      [
        { index: 0, id: 'a', name: 'a' },
        { index: 0, name: 'dd' },
        { index: 0, arguments: '{"x":1}' },
      ],
    ],
    [
      'have a cumulative name',
      [
        { index: 0, id: 'a', name: 'a' },
        { index: 0, name: 'add' },
        { index: 0, arguments: '{"x":1}' },
      ],
    ],
    [
      'have another id in each fragment',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x"' },
        { index: 0, id: 'b', arguments: ':1' },
        { index: 0, id: 'c', arguments: '}' },
      ],
    ],
    ['have arguments that are an object', [{ index: 0, id: 'a', name: 'add', arguments: { x: 1 } }]],
  ])('%s', (_, fragments) => {
    expect(collect(...fragments)).toEqual([['a', 'add', '{"x":1}']]);
  });
});

describe('fragments of two calls', () => {
  it.each<[string, ToolCallFragment[]]>([
    [
      'have two interleaved indexes',
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
      'have two ids at one index',
      [
        { index: 0, id: 'a', name: 'add', arguments: '{"x":1}' },
        { index: 0, id: 'b', name: 'echo', arguments: '{"t":' },
        { index: 0, arguments: '2}' },
      ],
    ],
    [
      'have two interleaved ids and no index',
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

  it('have one id at two indexes', () => {
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

  it('have two names at one index and no ids', () => {
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

  it('have one name, no ids and no indexes', () => {
    expect(collect({ name: 'add', arguments: '{"x":1}' }, { name: 'add', arguments: '{"x":2}' })).toEqual([
      [undefined, 'add', '{"x":1}'],
      [undefined, 'add', '{"x":2}'],
    ]);
  });
});

it('does not mistake a brace inside a string for the end of the arguments', () => {
  expect(
    collect(
      { index: 0, name: 'write', arguments: '{"code":"if (a) {}' },
      { index: 0, name: 'write', arguments: '{}"}' },
    ),
  ).toEqual([[undefined, 'write', '{"code":"if (a) {}{}"}']]);
});

it('collects one call if a complete call without an id is sent twice', () => {
  const fragment = { index: 0, name: 'wipe', arguments: '{"path":"/tmp"}' };
  expect(collect(fragment, fragment)).toHaveLength(1);
});

it('sorts calls by index, followed by calls without an index in order of arrival', () => {
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

it('loses no fragment in any interleaving of calls', () => {
  const call = fc.record({
    name: fc.constantFrom('add', 'echo', 'add_all'),
    chunks: fc.array(fc.string(), { maxLength: 8 }),
    repeats: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), fc.infiniteStream(fc.nat({ max: 4 })), (calls, turns) => {
      const queues = calls.map(({ name, chunks, repeats }, index) => [
        { index, id: `call_${index}`, name },
        ...chunks.map(chunk => ({
          index,
          arguments: chunk,
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
        calls.map(({ name, chunks }, index) => [`call_${index}`, name, chunks.join('')]),
      );
    }),
  );
});
