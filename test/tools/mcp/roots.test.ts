import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpConnectionPool, createMcpTools, parseMcpConfig } from '../../../src/tools/mcp/index.js';
import { toRoots } from '../../../src/tools/mcp/session/server-requests.js';
import { everythingOverStdio, referenceServerScript, startEverythingServer } from './_everything-server.js';
import { featureServer } from './_feature-server.js';
import { call, namesOf, openTools, temporaryFolder, until } from './_fixture-server.js';

test.each([
  ['/', 'file:///'],
  ['/home/me/project', 'file:///home/me/project'],
  ['/a b/50%/#1?', 'file:///a%20b/50%25/%231%3F'],
  ['/Grüße', 'file:///Gr%C3%BC%C3%9Fe'],
  ['C:\\Users\\me', 'file:///C:/Users/me'],
  ['d:/work', 'file:///d:/work'],
  ['\\\\host\\share', 'file://host/share'],
  ['file:///already', 'file:///already'],
])('the root %s has the URI %s', (root, uri) => {
  expect(toRoots([root])).toEqual([{ uri }]);
});

test('Node reads the path back', () => {
  for (const path of ['/', '/a b/%/#?/é', '/x/[y]/~z', '/"q"/<p>', '/%41/\\']) {
    expect(fileURLToPath(toRoots([path])[0]?.uri ?? '')).toBe(path);
  }
});

test('the filesystem server works in the roots of its configuration', async () => {
  const folder = await temporaryFolder();
  const root = path.join(folder, 'with space');
  const other = path.join(folder, 'other');
  await Promise.all([root, other].map(name => mkdir(name)));
  await writeFile(path.join(root, 'note.txt'), 'from the root');
  const script = referenceServerScript('filesystem');
  const config = parseMcpConfig({
    mcpServers: { files: { command: process.execPath, args: [script, other], roots: [root] } },
  });
  const tools = openTools(config);

  await tools.listTools();
  await until(async () =>
    JSON.stringify(await call(tools, 'list_allowed_directories')).includes('with space'),
  );
  const read = (file: string) => call(tools, 'read_text_file', { path: file });
  expect(await read(path.join(root, 'note.txt'))).toMatchObject({ value: 'from the root' });
  expect(await read(path.join(other, 'note.txt'))).toMatchObject({ type: 'error-text' });
});

test.each([
  { era: 'legacy', transport: 'stdio' },
  { era: 'dual', transport: 'stdio' },
  { era: 'modern', transport: 'stdio' },
  { era: 'modern', transport: 'http' },
] as const)('a $era server over $transport receives the roots', async options => {
  const { config } = await featureServer(options);
  const tools = openTools({ demo: { ...config, roots: ['/a b', 'file:///c'] } });
  expect(await call(tools, 'roots')).toMatchObject({
    value: '[{"uri":"file:///a%20b"},{"uri":"file:///c"}]',
  });
});

test('the reference server receives the roots over stdio and Streamable HTTP', async () => {
  const http = await startEverythingServer('streamableHttp');
  onTestFinished(() => http.close());
  for (const config of [everythingOverStdio(), http.config]) {
    const tools = openTools({ everything: { ...config, roots: ['/srv/project'] } });
    // The server registers the tool after it has read the capabilities of the client.
    await until(async () => (await namesOf(tools)).includes('get-roots-list'));
    expect(JSON.stringify(await call(tools, 'get-roots-list'))).toContain('file:///srv/project');
  }
});

test('a server without roots is not offered any', async () => {
  const { config } = await featureServer();
  const tools = openTools({ demo: config });
  expect(await call(tools, 'roots')).toMatchObject({ type: 'error-text' });
});

test('sources with different roots do not share a connection', async () => {
  const { config, journal } = await featureServer();
  const pool = createMcpConnectionPool();
  onTestFinished(() => pool.close());
  const open = (roots: string[]) => createMcpTools({ demo: { ...config, roots } }, { pool });
  expect(await call(open(['/a']), 'roots')).toMatchObject({ value: '[{"uri":"file:///a"}]' });
  expect(await call(open(['/b']), 'roots')).toMatchObject({ value: '[{"uri":"file:///b"}]' });
  await open(['/a']).listTools();
  expect((await journal()).filter(line => line === 'start')).toHaveLength(2);
});
