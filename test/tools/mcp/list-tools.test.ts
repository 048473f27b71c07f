import { expect, it } from 'vitest';
import { call, fixtureServer, namesOf, openTools, until } from './_fixture-server.js';
import { startOddServer, toPlainAnswer } from './_odd-server.js';

it('reads all pages', async () => {
  const { config } = await fixtureServer('paged');
  expect(await namesOf(openTools({ fixture: config }))).toEqual(['echo', 'journal', 'add-tool']);
});

it.each([
  ['the end, as of some servers', ['a'], [undefined, '']],
  ['a cursor, since revision 2026-07-28', ['a', 'b'], [undefined, '']],
])('an empty cursor is %s', async (_, names, expectedCursors) => {
  const cursors: unknown[] = [];
  const config = await startOddServer('json', request => {
    if (request.method !== 'tools/list') return toPlainAnswer(request);
    const { cursor } = request.params ?? {};
    cursors.push(cursor);
    const name = cursor === undefined ? 'a' : names.at(-1);
    const nextCursor = name === 'b' ? undefined : '';
    return { jsonrpc: '2.0', id: request.id, result: { tools: [{ name, inputSchema: {} }], nextCursor } };
  });
  const { tools, warnings } = await openTools({ odd: config }).listTools();
  expect(tools.map(({ name }) => name)).toEqual(names);
  expect(warnings).toEqual([]);
  expect(cursors).toEqual(expectedCursors);
});

it('stops at a repeated cursor', async () => {
  const { config } = await fixtureServer('endless');
  const { tools, warnings } = await openTools({ fixture: config }).listTools();
  expect(tools.map(({ name }) => name)).toEqual(['echo']);
  expect(warnings).toContain(
    'MCP server "fixture" lists its tools on an endless number of pages; the tools read so far are used.',
  );
});

it('keeps valid tools and reports malformed ones', async () => {
  const { config } = await fixtureServer('malformed');
  const { tools, warnings } = await openTools({ fixture: config }).listTools();
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
    ['no-schema', { type: 'object', properties: {} }],
    ['null-schema', { type: 'object', properties: {} }],
    ['bad-output', { type: 'object', properties: {} }],
  ]);
  expect(warnings).toHaveLength(4);
  expect(warnings[1]).toMatch(/^MCP server "fixture" offers a malformed tool "text-schema" \(inputSchema: /);
  expect(warnings[2]).toContain('"list-schema" with an input schema of type "array" instead of "object"');
});

it('returns no tools for a server without the tools capability', async () => {
  const { config } = await fixtureServer('toolless');
  expect(await openTools({ fixture: config }).listTools()).toMatchObject({ tools: [], warnings: [] });
});

it('reads the list again only after `list_changed`', async () => {
  const { config, journal } = await fixtureServer();
  const tools = openTools({ fixture: config });
  const countLists = async () => (await journal()).filter(entry => entry === 'list').length;

  await tools.listTools();
  expect(await namesOf(tools)).not.toContain('added');
  expect(await countLists()).toBe(1);

  await call(tools, 'add-tool');
  await until(async () => (await namesOf(tools)).includes('added'));
  expect(await countLists()).toBe(2);
});
