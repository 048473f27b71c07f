import { describe, expect, it } from 'vitest';
import type { KnownTool, ToolDefinition, ToolSource } from '../../src/tools/tool-source.js';
import { createToolbox } from '../../src/tools/toolbox.js';

const { signal } = new AbortController();

/** Creates a source whose tools return who ran them. Its list may change. */
function source(server: string | undefined, ...names: string[]): ToolSource & { names: string[] } {
  const result = {
    names,
    name: server ?? 'local',
    listTools: async () => ({
      tools: result.names.map((name): ToolDefinition => ({
        name,
        inputSchema: { type: 'object' },
        ...(server !== undefined && { server, originalName: name }),
      })),
      warnings: [],
    }),
    callTool: async ({ toolName }: { toolName: string }) => ({
      type: 'text' as const,
      value: `${server}: ${toolName}`,
    }),
    close: async () => {},
  };
  return result;
}

const namesOf = async (box: ToolSource, known?: KnownTool[]) =>
  (await box.listTools({ known })).tools.map(({ name }) => name);

const run = async (box: ToolSource, toolName: string, identity: Partial<ToolDefinition> = {}) => {
  const { server, originalName } = identity;
  const call = { toolCallId: 'c', toolName, input: {}, server, originalName };
  return (await box.callTool(call, { signal })).value;
};

describe('the tools of servers', () => {
  it('keep their names while no other source has one of that name', async () => {
    const box = createToolbox([source('web', 'search'), source('files', 'read')]);
    expect(await namesOf(box)).toEqual(['search', 'read']);
  });

  it.each([
    ['together', []],
    ['first one first', [1]],
    ['second one first', [0]],
  ])('with the same name both get the prefix, started %s', async (_, late) => {
    const sources = [source('web', 'search'), source('files', 'search')];
    for (const index of late) sources[index]?.names.splice(0);
    const box = createToolbox(sources);
    await box.listTools();
    for (const index of late) sources[index]?.names.push('search');
    expect(await namesOf(box)).toEqual(['web_search', 'files_search']);
    expect(await run(box, 'web_search')).toBe('web: search');
    expect(await run(box, 'files_search')).toBe('files: search');
  });

  it('keep the prefix after the other server has gone', async () => {
    const [web, files] = [source('web', 'search'), source('files', 'search')];
    const box = createToolbox([web, files]);
    await box.listTools();
    web.names.splice(0);
    expect(await namesOf(box)).toEqual(['files_search']);
  });

  it('are still reached by an earlier name, and no other tool is', async () => {
    const [web, files] = [source('web', 'search'), source('files')];
    const box = createToolbox([web, files]);
    expect(await namesOf(box)).toEqual(['search']);
    files.names.push('search');
    const both = await box.listTools();
    expect([...(both.aliases ?? [])]).toMatchObject([['search', { name: 'web_search', server: 'web' }]]);
    expect(await run(box, 'search')).toBe('web: search');

    web.names.splice(0);
    const one = await box.listTools();
    expect(one.tools.map(({ name }) => name)).toEqual(['files_search']);
    expect(new Map(one.aliases).get('search')).toBeUndefined();
    expect(new Map(one.aliases).has('search')).toBe(true);
  });

  it('are found by server and original name, whatever the name is', async () => {
    const box = createToolbox([source('web', 'search'), source('files', 'search')]);
    await box.listTools();
    expect(await run(box, 'search', { server: 'files', originalName: 'search' })).toBe('files: search');
    expect(await run(box, 'web_search', { server: 'files', originalName: 'search' })).toBe('files: search');
    expect(await run(box, 'web_search', { server: 'gone', originalName: 'search' })).toBe(
      'There is no tool "web_search".',
    );
  });

  it('do not get a name that the conversation uses for another server, but only in this listing', async () => {
    const box = createToolbox([source('web'), source('files', 'search')]);
    const known = [{ name: 'search', server: 'web', originalName: 'search' }];
    const listing = await box.listTools({ known });
    expect(listing.tools.map(({ name }) => name)).toEqual(['files_search']);
    expect([...(listing.meanings ?? [])]).toEqual([['search', undefined]]);
    // Options of the application still mean the tool that this process lists under the name.
    expect(new Map(listing.aliases).get('search')).toMatchObject({ name: 'files_search' });
    expect(await namesOf(box)).toEqual(['search']);
    expect(await namesOf(box, known)).toEqual(['files_search']);
  });

  it('keep the name that the conversation uses for them for calls of the model', async () => {
    const box = createToolbox([source('web', 'search'), source('files', 'search')]);
    const known = [{ name: 'search', server: 'files', originalName: 'search' }];
    const { aliases, meanings } = await box.listTools({ known });
    expect(new Map(meanings).get('search')).toMatchObject({ name: 'files_search', server: 'files' });
    expect(new Map(aliases).get('search')).toBeUndefined();
  });

  it('do not take a name with a prefix that another tool has', async () => {
    const box = createToolbox([source('a', 'search', 'b_search'), source('b', 'search')]);
    expect(await namesOf(box)).toEqual(['a_search', 'b_search', 'b_search_2']);
  });

  it('get the prefix if their name is a property of every object', async () => {
    expect(await namesOf(createToolbox([source('web', 'constructor', '__proto__')]))).toEqual([
      'web_constructor',
      'web___proto__',
    ]);
  });

  it('get a prefix that APIs accept', async () => {
    const long = 'x'.repeat(70);
    const sources = ['my server', 'my.server', long].map(server => source(server, 'search', 'odd name'));
    const names = await namesOf(createToolbox(sources));
    expect(names).toEqual([
      expect.stringMatching(/^my_server_search_[0-9a-f]{8}$/),
      'my server_odd name',
      expect.stringMatching(/^my_server_search_[0-9a-f]{8}$/),
      'my.server_odd name',
      expect.stringMatching(/^x{55}_[0-9a-f]{8}$/),
      `${long}_odd name`,
    ]);
    expect(new Set(names)).toHaveLength(6);
  });
});

describe('a tool of the application', () => {
  it.each([
    ['before', (local: ToolSource, web: ToolSource) => [local, web], ['search', 'web_search']],
    ['after', (local: ToolSource, web: ToolSource) => [web, local], ['web_search', 'search']],
  ])('keeps its name %s a server with the same name', async (_, order, expected) => {
    const box = createToolbox(order(source(undefined, 'search'), source('web', 'search')));
    expect(await namesOf(box)).toEqual(expected);
    expect(await run(box, 'search')).toBe('undefined: search');
    expect(await run(box, 'web_search')).toBe('web: search');
  });

  it('keeps its name in a conversation that used the name for a server', async () => {
    const box = createToolbox([source('web', 'search'), source(undefined, 'search')]);
    const known = [{ name: 'search', server: 'web', originalName: 'search' }];
    expect(await namesOf(box, known)).toEqual(['web_search', 'search']);
  });
});

it('keeps aliases of a toolbox inside another one', async () => {
  const [web, files] = [source('web', 'search'), source('files')];
  const inner = createToolbox([web, files]);
  await inner.listTools();
  files.names.push('search');
  const outer = createToolbox([source(undefined, 'read'), inner]);
  const { tools, aliases } = await outer.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['read', 'web_search', 'files_search']);
  expect(new Map(aliases).get('search')).toMatchObject({ server: 'web' });
  expect(await run(outer, 'search', { server: 'web', originalName: 'search' })).toBe('web: search');
});
