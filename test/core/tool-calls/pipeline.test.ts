import { describe, expect, it } from 'vitest';
import { ToolCallPipeline, type ToolCallFragment } from '../../../src/core/tool-calls/index.js';

const tools = [
  {
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { days: { type: 'integer' } } },
  },
  { name: 'Read' },
] as const;

function run(...fragments: ToolCallFragment[]) {
  const pipeline = new ToolCallPipeline({ tools });
  fragments.forEach(fragment => {
    pipeline.add(fragment);
  });
  return pipeline.finish();
}

describe('the pipeline', () => {
  it('builds the parallel calls of a response', () => {
    const { calls, failed, stats } = run(
      { index: 1, id: 'b', name: 'Read', arguments: '{"path":' },
      { index: 0, id: 'a', name: 'get_weather', arguments: '{"days":3}' },
      { index: 1, arguments: '"x"}' },
    );
    expect(calls).toEqual([
      {
        toolCallId: 'a',
        toolName: 'get_weather',
        input: '{"days":3}',
        args: { days: 3 },
        index: 0,
        isComplete: true,
        written: { index: 0, id: 'a', name: 'get_weather', arguments: '{"days":3}' },
        changes: [],
        isDeclared: true,
      },
      {
        toolCallId: 'b',
        toolName: 'Read',
        input: '{"path":"x"}',
        args: { path: 'x' },
        index: 1,
        isComplete: true,
        written: { index: 1, id: 'b', name: 'Read', arguments: '{"path":"x"}' },
        changes: [],
        isDeclared: true,
      },
    ]);
    expect(failed).toEqual([]);
    expect(stats).toEqual({
      fragments: 3,
      calls: 2,
      failed: 0,
      undeclared: 0,
      renamed: 0,
      repaired: 0,
      incomplete: 0,
    });
  });

  it('removes decorations from names and repairs arguments with the schema of the tool', () => {
    const { calls, stats } = run({
      index: 0,
      id: 'a',
      name: 'functions.get_weather<|channel|>commentary',
      arguments: '"{\\"days\\":\\"3\\"}"',
    });
    expect(calls).toMatchObject([
      {
        toolCallId: 'a',
        toolName: 'get_weather',
        input: '{"days":3}',
        args: { days: 3 },
        changes: ['name', 'arguments'],
        written: { name: 'functions.get_weather<|channel|>commentary' },
        isDeclared: true,
      },
    ]);
    expect(stats).toMatchObject({ renamed: 1, repaired: 1 });
  });

  it('passes a call of an undeclared tool on with its original name', () => {
    const { calls, stats } = run(
      { index: 0, id: 'a', name: 'delete', arguments: '{"path":"x"}' },
      { index: 1, id: 'b', name: 'functions.none', arguments: '{"n":"3"}' },
    );
    expect(calls.map(({ toolName, input, isDeclared }) => [toolName, input, isDeclared])).toEqual([
      ['delete', '{"path":"x"}', false],
      ['functions.none', '{"n":"3"}', false],
    ]);
    expect(stats.undeclared).toBe(2);
  });

  it.each(['no json', '{"path":"/tmp/impor', '[1]', '{"__proto__":{}}'])(
    'passes a call on whose arguments are %s',
    input => {
      const { calls, failed, stats } = run({ index: 0, id: 'a', name: 'Read', arguments: input });
      expect(calls.map(call => call.input)).toEqual([input]);
      expect(calls).toMatchObject([{ args: undefined, isComplete: false, changes: [] }]);
      expect(stats.incomplete).toBe(1);
      expect(failed).toEqual([]);
    },
  );

  it('reports a call without a name as failed', () => {
    const { calls, failed, stats } = run(
      { index: 0, id: 'a', arguments: '{"x":1}' },
      { index: 1, id: 'b', name: ' ' },
      { index: 2, id: 'c', name: 'Read' },
    );
    expect(calls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([['c', '{}']]);
    expect(failed).toEqual([
      {
        index: 0,
        call: { index: 0, id: 'a', name: '', arguments: '{"x":1}' },
        reason: 'Expected a tool call to have a name, got none.',
      },
      {
        index: 1,
        call: { index: 1, id: 'b', name: ' ', arguments: '' },
        reason: 'Expected a tool call to have a name, got none.',
      },
    ]);
    expect(stats).toMatchObject({ calls: 1, failed: 2 });
  });

  it('assigns a unique id to every call', () => {
    const { calls } = run(
      { index: 0, id: 'call_0', name: 'Read' },
      { index: 1, id: 'call_0', name: 'Read' },
      { index: 2, name: 'Read' },
      { index: 3, id: 'call_0', name: 'Read' },
      { index: 4, id: '', name: 'Read' },
    );
    const ids = calls.map(({ toolCallId }) => toolCallId);
    expect(ids).toMatchObject({ 0: 'call_0', 1: 'call_0_2', 3: 'call_0_3' });
    expect(new Set(ids).size).toBe(5);
    expect(ids.every(id => id.length > 5)).toBe(true);
  });

  it.each(['!!!', '<think>', 'read the file', 'a\nb', 'x'.repeat(200), '-rf'])(
    'reports a call with the illegal name %j as failed',
    name => {
      const { calls, failed } = run({ index: 0, name }, { index: 1, id: 'b', name: 'Read' });
      expect(calls).toMatchObject([{ toolName: 'Read', index: 1 }]);
      expect(failed).toMatchObject([{ index: 0, call: { name } }]);
      expect(failed[0]?.reason).toMatch(/^Expected the name of a tool call to have letters/);
    },
  );

  it('accepts any name that is declared', () => {
    const pipeline = new ToolCallPipeline({ tools: [{ name: '!!!' }] });
    pipeline.add({ name: '!!!' });
    expect(pipeline.finish().calls).toMatchObject([{ toolName: '!!!', isDeclared: true }]);
  });

  it.each(['Wetter_holen', 'mcp.server/tool-1', 'ns:tool', '天気', '_x', '7zip'])(
    'passes a call on with the undeclared name %s',
    name => {
      expect(run({ index: 0, name }).calls).toMatchObject([{ toolName: name, isDeclared: false }]);
    },
  );

  it('reports changed ids', () => {
    const { calls } = run({ index: 0, id: 'a', name: 'Read' }, { index: 1, id: 'a', name: ' Read ' });
    expect(calls.map(({ changes }) => changes)).toEqual([[], ['id', 'name']]);
    expect(run({ index: 0, name: 'Read' }).calls[0]?.changes).toEqual(['id']);
  });

  it('finishes once', () => {
    const pipeline = new ToolCallPipeline();
    pipeline.add({ name: 'Read' });
    expect(pipeline.finish().calls).toHaveLength(1);
    expect(() => pipeline.finish()).toThrow(
      'Expected no call of `finish` after `finish`. Create a ToolCallPipeline for each response.',
    );
    expect(() => {
      pipeline.add({ name: 'Read' });
    }).toThrow('Expected no call of `add` after `finish`.');
  });

  it('needs no options', () => {
    const pipeline = new ToolCallPipeline();
    pipeline.add({ id: 'a', name: 'Read', arguments: '{}' });
    expect(pipeline.finish().calls).toMatchObject([{ toolName: 'Read', isDeclared: false }]);
  });
});
