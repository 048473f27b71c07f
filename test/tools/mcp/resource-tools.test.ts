import { expect, test } from 'vitest';
import { type McpServers, type McpTools, type McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { objectOf, objectsOf } from '../../../src/core/shared/json.js';
import { effectiveAnnotations } from '../../../src/tools/tool-source.js';
import { featureServer } from './_feature-server.js';
import { call, fixtureServer, namesOf, openTools, until } from './_fixture-server.js';

const withTools = (servers: McpServers): McpServers =>
  Object.fromEntries(
    Object.entries(servers).map(([name, config]) => [name, { ...config, resourceTools: true }]),
  );

/** Opens tools and lists them, as a turn does before its first call. */
async function listedTools(servers: McpServers, options?: McpToolsOptions): Promise<McpTools> {
  const tools = openTools(withTools(servers), options);
  await tools.listTools();
  return tools;
}

test('the tools are offered only if they are turned on and a server has resources', async () => {
  const { config: demo } = await featureServer();
  const { config: plain } = await fixtureServer();
  const own = ['list_resources', 'read_resource'];

  expect(await namesOf(openTools({ demo }))).not.toEqual(expect.arrayContaining(own));
  expect(await namesOf(openTools(withTools({ plain })))).not.toEqual(expect.arrayContaining(own));
  expect(await namesOf(openTools(withTools({ demo })))).toEqual(['link', 'roots', 'touch', ...own]);
  expect(await namesOf(openTools({ demo: { ...demo, resourceTools: false } }))).toEqual([
    'link',
    'roots',
    'touch',
  ]);
});

test('the tools name the servers with resources, and are read-only tools of the application', async () => {
  const { config: demo } = await featureServer();
  const { config: plain } = await fixtureServer();
  const tools = openTools(withTools({ plain, demo }));
  const { tools: definitions } = await tools.listTools();
  for (const name of ['list_resources', 'read_resource']) {
    const definition = definitions.find(tool => tool.name === name);
    expect(definition?.inputSchema.properties?.server).toMatchObject({ enum: ['demo'] });
    expect(definition?.server).toBeUndefined();
    expect(definition && effectiveAnnotations(definition)).toMatchObject({
      readOnly: true,
      destructive: false,
    });
  }
});

test('the model lists the resources of all servers or of one', async () => {
  const { config: one } = await featureServer();
  const { config: two } = await featureServer({ era: 'legacy' });
  const tools = await listedTools({ one, two });

  const all = await call(tools, 'list_resources');
  expect(all.value).toEqual({
    resources: ['one', 'two'].flatMap(server =>
      ['text', 'data.csv', 'pixel.png', 'report.pdf', 'archive.zip'].map(name =>
        expect.objectContaining({ server, uri: `demo://${name}`, name, description: `About demo://${name}` }),
      ),
    ),
  });
  const some = await call(tools, 'list_resources', { server: 'two' });
  expect(JSON.stringify(some.value)).not.toContain('"one"');
  expect(await call(tools, 'list_resources', { server: 'three' })).toEqual({
    type: 'error-text',
    value: 'Expected `server` to be one of one, two, got "three".',
  });
});

test('the model reads a listed resource as text, image or note', async () => {
  const { config: demo } = await featureServer();
  const tools = await listedTools({ demo });

  expect(await call(tools, 'read_resource', { uri: 'demo://data.csv' })).toMatchObject({
    type: 'text',
    value: 'Resource demo://data.csv (text/csv):\na;ä',
  });
  expect(await call(tools, 'read_resource', { uri: 'demo://pixel.png', server: 'demo' })).toMatchObject({
    type: 'content',
    value: [
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'data', data: expect.stringMatching(/^iVBOR/) },
      },
    ],
  });
  expect(await call(tools, 'read_resource', { uri: 'demo://archive.zip' })).toEqual({
    type: 'text',
    value: 'Resource demo://archive.zip (application/zip, 4 bytes): binary content omitted',
  });
  expect(await call(tools, 'read_resource', {})).toMatchObject({ type: 'error-text' });
});

test('the model reads a resource that is not listed only after the server linked it', async () => {
  const { config: demo, journal } = await featureServer();
  const tools = await listedTools({ demo });
  const read = () => call(tools, 'read_resource', { uri: 'demo://hidden' });

  expect(await read()).toEqual({
    type: 'error-text',
    value:
      'No server offers the resource "demo://hidden". Use a URI from `list_resources` or from a resource link in the ' +
      'result of a tool, without changes.',
  });
  expect(await journal()).not.toContain('read demo://hidden');
  await call(tools, 'link');
  expect(await read()).toMatchObject({ value: 'Resource demo://hidden (text/plain):\nhidden text' });
});

test('a link of one server cannot be read at another', async () => {
  const { config: one, journal } = await featureServer();
  const { config: two, journal: journalOfTwo } = await featureServer();
  const tools = await listedTools({ one, two });
  const input = { uri: 'demo://hidden' };

  await call(tools, 'two_link');
  expect(await call(tools, 'read_resource', { ...input, server: 'one' })).toMatchObject({
    type: 'error-text',
  });
  expect(await call(tools, 'read_resource', input)).toMatchObject({ type: 'text' });
  expect(await journal()).not.toContain('read demo://hidden');
  expect(await journalOfTwo()).toContain('read demo://hidden');
});

test('a URI of several servers needs the name of one', async () => {
  const { config: one } = await featureServer();
  const { config: two } = await featureServer();
  const tools = await listedTools({ one, two });
  const uri = 'demo://text';

  expect(await call(tools, 'read_resource', { uri })).toEqual({
    type: 'error-text',
    value: 'Several servers offer this resource. Set `server` to one of: one, two.',
  });
  expect(await call(tools, 'read_resource', { uri, server: 'two' })).toMatchObject({ type: 'text' });
});

test.each(['demo://items/5', 'ui://page', 'file:///etc/passwd'])(
  'the model cannot read %s, which the server did not list for it',
  async uri => {
    const { config: demo, journal } = await featureServer();
    const tools = await listedTools({ demo });
    expect(await call(tools, 'read_resource', { uri })).toMatchObject({ type: 'error-text' });
    expect((await journal()).filter(line => line.startsWith('read'))).toEqual([]);
  },
);

test('a server that asks while the model reads a resource names the call', async () => {
  const { config: demo } = await featureServer({ env: { FEATURE_LISTS: 'demo://ask' } });
  const contexts: object[] = [];
  const tools = await listedTools(
    { demo },
    {
      onElicitation(_request, { signal: _signal, ...facts }) {
        contexts.push(facts);
        return { action: 'accept', content: { city: 'Rome' } };
      },
    },
  );
  const callContext = { turnId: 'turn_1', round: 2, toolCallId: 'call_7', context: { user: 1 } };
  const output = await call(tools, 'read_resource', { uri: 'demo://ask' }, { callContext });
  expect(output).toMatchObject({ value: expect.stringContaining('weather in Rome') });
  expect(contexts).toEqual([{ ...callContext, server: 'demo' }]);
});

test('aborting a call stops reading', async () => {
  const { config: demo, journal } = await featureServer({ env: { FEATURE_LISTS: 'demo://silent' } });
  const tools = await listedTools({ demo });
  const controller = new AbortController();
  const reading = call(tools, 'read_resource', { uri: 'demo://silent' }, { signal: controller.signal });
  const outcome = expect(reading).rejects.toThrow('stop');
  await until(async () => (await journal()).includes('read demo://silent'));
  controller.abort(new Error('stop'));
  await outcome;
});

test('a failing server does not hide the resources of the others', async () => {
  const { config: one } = await featureServer();
  const { config: two, journal } = await featureServer({ env: { FEATURE_CRASHES: '1' } });
  const tools = await listedTools({ one, two });
  const { value } = await call(tools, 'list_resources');
  expect(value).toMatchObject({
    resources: expect.arrayContaining([expect.objectContaining({ server: 'one' })]),
    errors: [expect.stringMatching(/^MCP server "two" closed the connection/)],
  });
  expect((await journal()).filter(line => line === 'start').length).toBeGreaterThan(1); // it was retried
});

test('long lists are truncated, with the number of omitted resources', async () => {
  const uris = Array.from({ length: 205 }, (_, index) => `demo://entry-${index}`).join(' ');
  const { config: demo } = await featureServer({ env: { FEATURE_LISTS: uris } });
  const tools = await listedTools({ demo });
  const { value } = await call(tools, 'list_resources');
  expect(objectsOf(objectOf(value)?.resources)).toHaveLength(200);
  expect(value).toMatchObject({ omitted: '10 more resources' });
});

test('a tool of a server with the same name is offered with the name of its server', async () => {
  const { config: demo } = await featureServer({ env: { FEATURE_TOOL: 'read_resource' } });
  const tools = await listedTools({ demo });
  expect(await namesOf(tools)).toEqual([
    'link',
    'roots',
    'demo_read_resource',
    'touch',
    'list_resources',
    'read_resource',
  ]);
  expect(await call(tools, 'demo_read_resource')).toMatchObject({ value: 'read_resource of the server' });
  expect(await call(tools, 'read_resource', { uri: 'demo://text' })).toMatchObject({
    value: expect.stringContaining('plain text'),
  });
});
