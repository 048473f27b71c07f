import { describe, expect, it } from 'vitest';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { createToolbox } from '../../src/tools/toolbox.js';

const signal = new AbortController().signal;

/** Creates a source whose tools return the source's name. */
const source = (name: string, toolNames: string[], rest: Partial<ToolSource> = {}): ToolSource => ({
  name,
  listTools: async () => ({
    tools: toolNames.map(toolName => ({ name: toolName, inputSchema: { type: 'object' } })),
    warnings: [],
  }),
  callTool: async ({ toolName }) => ({ type: 'text', value: `${name}: ${toolName}` }),
  close: async () => {},
  ...rest,
});

const call = (toolbox: ToolSource, toolName: string) =>
  toolbox.callTool({ toolCallId: 'c1', toolName, input: {} }, { signal });

const namesOf = async (toolbox: ToolSource) => (await toolbox.listTools()).tools.map(({ name }) => name);

describe('createToolbox', () => {
  it('offers the tools of all sources and runs each one in its source', async () => {
    const toolbox = createToolbox([source('a', ['read', 'write']), source('b', ['search'])]);
    expect(toolbox.name).toBe('a, b');
    expect(await namesOf(toolbox)).toEqual(['read', 'write', 'search']);
    expect(await call(toolbox, 'write')).toEqual({ type: 'text', value: 'a: write' });
    expect(await call(toolbox, 'search')).toEqual({ type: 'text', value: 'b: search' });
  });

  it('numbers duplicate names and runs each tool under its original name', async () => {
    const toolbox = createToolbox([
      source('a', ['read']),
      source('b', ['read', 'read_2']),
      source('c', ['read']),
    ]);
    expect(await namesOf(toolbox)).toEqual(['read', 'read_2', 'read_2_2', 'read_3']);
    expect(await call(toolbox, 'read')).toMatchObject({ value: 'a: read' });
    expect(await call(toolbox, 'read_2')).toMatchObject({ value: 'b: read' });
    expect(await call(toolbox, 'read_2_2')).toMatchObject({ value: 'b: read_2' });
    expect(await call(toolbox, 'read_3')).toMatchObject({ value: 'c: read' });
  });

  it('names the tools again if a source has changed the array that it returns', async () => {
    const tools = [{ name: 'read', inputSchema: { type: 'object' as const } }];
    const toolbox = createToolbox([source('a', [], { listTools: async () => ({ tools, warnings: [] }) })]);
    const first = await toolbox.listTools();
    expect((await toolbox.listTools()).tools).toBe(first.tools);
    tools.push({ name: 'write', inputSchema: { type: 'object' } });
    expect(await namesOf(toolbox)).toEqual(['read', 'write']);
  });

  it('still runs a tool for a turn that started before the list changed', async () => {
    const toolNames = ['old'];
    const toolbox = createToolbox([source('a', toolNames)]);
    await toolbox.listTools();
    toolNames.splice(0, 1, 'new');
    expect(await namesOf(toolbox)).toEqual(['new']);
    expect(await call(toolbox, 'old')).toMatchObject({ value: 'a: old' });
  });

  it('reports an unknown tool', async () => {
    expect(await call(createToolbox([source('a', [])]), 'read')).toEqual({
      type: 'error-text',
      value: 'There is no tool "read".',
    });
  });

  it('combines the warnings of all sources and passes the signal to each', async () => {
    const seen: unknown[] = [];
    const warned = (name: string) =>
      source(name, [], {
        listTools: async options => {
          seen.push(options?.signal);
          return { tools: [], warnings: [`${name} is broken.`] };
        },
      });
    const { warnings } = await createToolbox([warned('a'), warned('b')]).listTools({ signal });
    expect(warnings).toEqual(['a is broken.', 'b is broken.']);
    expect(seen).toEqual([signal, signal]);
  });

  it('closes all sources even if some fail, and reports all failures', async () => {
    let closed = 0;
    const failing = (message: string) => source('a', [], { close: () => Promise.reject(new Error(message)) });
    const well = source('b', [], {
      close: async () => {
        closed++;
      },
    });
    const closing = createToolbox([failing('one'), well, failing('two')]).close();
    await expect(closing).rejects.toMatchObject({
      message: 'Some tool sources could not be closed.',
      errors: [{ message: 'one' }, { message: 'two' }],
    });
    expect(closed).toBe(1);
  });
});
