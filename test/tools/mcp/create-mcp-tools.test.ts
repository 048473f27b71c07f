import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMcpConnectionPool,
  createMcpTools,
  type McpServerConfig,
  type McpTools,
  type McpToolsOptions,
} from '../../../src/tools/mcp/index.js';
import { everythingOverStdio, referenceServerScript, startEverythingServer } from './_everything-server.js';
import { call, fixtureServer, namesOf, openTools, temporaryFolder } from './_fixture-server.js';
import { startModernServer, toList, toTool } from './_modern-server.js';

const transports: [string, () => Promise<{ config: McpServerConfig; close: () => Promise<void> }>][] = [
  ['stdio', async () => ({ config: everythingOverStdio(), close: async () => {} })],
  ['Streamable HTTP', () => startEverythingServer('streamableHttp')],
  ['SSE', () => startEverythingServer('sse')],
];

describe.each(transports)('the everything server over %s', (_transport, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  let tools: McpTools;

  beforeAll(async () => {
    server = await start();
    tools = createMcpTools({ everything: server.config });
  });

  afterAll(async () => {
    await tools.close();
    await server.close();
  });

  it('lists its tools with schema and annotations', async () => {
    const listing = await tools.listTools();
    const sum = listing.tools.find(({ name }) => name === 'get-sum');
    expect(sum).toMatchObject({
      inputSchema: { type: 'object', required: ['a', 'b'] },
      readOnly: true,
      destructive: false,
    });
    expect(listing.tools).toHaveLength(13);
    expect(listing.warnings).toEqual([]);
  });

  it('passes arguments and returns text', async () => {
    expect(await call(tools, 'echo', { message: 'hi' })).toEqual({ type: 'text', value: 'Echo: hi' });
    expect(await call(tools, 'get-sum', { a: 2, b: 3 })).toEqual({
      type: 'text',
      value: 'The sum of 2 and 3 is 5.',
    });
  });

  it('returns an image as media between texts', async () => {
    const output = await call(tools, 'get-tiny-image');
    expect(output).toMatchObject({
      type: 'content',
      value: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }, { type: 'text' }],
    });
  });

  it('returns the text of a result that also has structured content', async () => {
    const output = await call(tools, 'get-structured-content', { location: 'New York' });
    expect(output.type).toBe('text');
    expect(JSON.parse(String(output.value))).toHaveProperty('temperature');
  });

  it('rejects arguments that do not match the schema', async () => {
    const output = await call(tools, 'get-sum', { a: 'x', b: 1 });
    expect(output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('a: type "string" is invalid. Expected "number"'),
    });
  });

  it('rejects with the reason of an abort while the server is still working', async () => {
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const operation = { duration: 2, steps: 2 };
    const pending = call(tools, 'trigger-long-running-operation', operation, controller);
    let hasEnded = false;
    const control = call(tools, 'trigger-long-running-operation', operation).then(() => {
      hasEnded = true;
    });
    setTimeout(() => controller.abort(reason), 50);
    await expect(pending).rejects.toBe(reason);
    expect(hasEnded).toBe(false);
    await control;
    expect(await call(tools, 'echo', { message: 'still here' })).toMatchObject({ value: 'Echo: still here' });
  });
});

describe('createMcpTools', () => {
  it('passes only the configured variables to a server, not those of the host', async () => {
    process.env.KELIVO_CANARY = 'do-not-leak';
    const tools = openTools({ everything: { ...everythingOverStdio(), env: { OWN: 'mine' } } });
    const output = await call(tools, 'get-env');
    delete process.env.KELIVO_CANARY;
    const variables = JSON.parse(String(output.value));
    expect(variables).toMatchObject({ OWN: 'mine', PATH: expect.any(String) });
    expect(variables).not.toHaveProperty('KELIVO_CANARY');
  });

  it('reads files through the filesystem server', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'inner'));
    await writeFile(path.join(folder, 'note.txt'), 'remember the milk');
    const tools = openTools({
      files: { command: process.execPath, args: [referenceServerScript('filesystem'), folder] },
    });
    expect(await call(tools, 'read_text_file', { path: path.join(folder, 'note.txt') })).toEqual({
      type: 'text',
      value: 'remember the milk',
      mcp: { structuredContent: { content: 'remember the milk' } },
    });
    expect(await call(tools, 'read_text_file', { path: path.join(folder, 'absent.txt') })).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('ENOENT'),
    });
    const listing = await tools.listTools();
    expect(listing.tools.find(({ name }) => name === 'write_file')).toMatchObject({
      readOnly: false,
      destructive: true,
      idempotent: true,
    });
  });

  it('omits only the tools of a server that does not start', async () => {
    const good = await fixtureServer();
    const tools = openTools({
      missing: { command: 'no-such-program' },
      lost: { command: process.execPath, cwd: '/no/such/folder' },
      failing: {
        command: process.execPath,
        args: ['-e', 'console.error("license expired"); process.exit(3)'],
      },
      good: good.config,
    });
    const { tools: offered, warnings } = await tools.listTools();
    expect(offered.map(({ name }) => name)).toContain('echo');
    expect(warnings).toEqual([
      'MCP server "missing" could not be started: the command "no-such-program" was not found. ' +
        'Install it, or set `command` to its full path.',
      'MCP server "lost" could not be started: its directory "/no/such/folder" does not exist. Correct `cwd`.',
      `MCP server "failing" could not be started: the command ${JSON.stringify(process.execPath)} ended before it ` +
        'was ready (exit code 3). Its last output was: license expired',
    ]);
    expect(tools.status().map(({ state, error }) => [state, error?.code])).toEqual([
      ['failed', 'mcp-start'],
      ['failed', 'mcp-start'],
      ['failed', 'mcp-start'],
      ['ready', undefined],
    ]);
  });

  it('tries a failed server again in the next listing', async () => {
    const folder = await temporaryFolder();
    const cwd = path.join(folder, 'later');
    const { config } = await fixtureServer();
    const tools = openTools({ late: { ...config, cwd } });
    expect((await tools.listTools()).tools).toEqual([]);
    expect(tools.status()[0]).toMatchObject({ state: 'failed', failedAt: expect.any(Number) });
    await mkdir(cwd);
    expect(await namesOf(tools)).toContain('echo');
    expect(tools.status()[0]).toMatchObject({ state: 'ready', error: undefined });
    expect(tools.status()[0]).not.toHaveProperty('failedAt');
  });

  it('fails for a server that is not ready in time', async () => {
    const { config } = await fixtureServer('mute');
    const tools = openTools({ mute: config }, { connectTimeout: 150 });
    expect((await tools.listTools()).warnings).toEqual(['MCP server "mute" was not ready within 150 ms.']);
  });

  it('offers both tools if two servers use the same name', async () => {
    const [first, second] = [await fixtureServer(), await fixtureServer()];
    const tools = openTools({ first: first.config, second: second.config });
    expect(await namesOf(tools)).toEqual(expect.arrayContaining(['first_echo', 'second_echo']));
    const firstJournal = await call(tools, 'first_journal');
    const secondJournal = await call(tools, 'second_journal');
    expect(firstJournal.value).toContain('start');
    expect(secondJournal.value).not.toEqual(firstJournal.value);
  });

  it('offers only tools that are allowed and not disabled', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({
      some: { ...config, allowedTools: ['echo', 'journal', 'ehco'], disabledTools: ['journal'] },
    });
    const { tools: offered, warnings } = await tools.listTools();
    expect(offered.map(({ name }) => name)).toEqual(['echo']);
    expect(warnings).toEqual(['MCP server "some" does not offer the tool "ehco" from its `allowedTools`.']);
    expect(await call(tools, 'journal')).toEqual({
      type: 'error-text',
      value: 'No MCP server offers a tool "journal".',
    });
  });

  /** A server without tasks, one of whose tools requires them. */
  const startServer = async (): Promise<{ url: string }> =>
    startModernServer({
      'tools/list': () =>
        toList([toTool('slow', { execution: { taskSupport: 'required' } }), toTool('echo')]),
    });

  it('does not report malformed tools that the configuration excludes', async () => {
    const { url } = await startServer();
    const listings = await Promise.all([
      openTools({ one: { url, disabledTools: ['slow'] } }).listTools(),
      openTools({ one: { url, allowedTools: ['echo'] } }).listTools(),
      openTools({ one: { url, allowedTools: ['slow'] } }).listTools(),
    ]);
    expect(listings.map(({ warnings }) => warnings)).toEqual([
      [],
      [],
      ['MCP server "one" offers the tool "slow" only as a task, but does not declare that it runs tasks.'],
    ]);
  });

  it('reports a missing tool to every turn if the configuration names it, else once', async () => {
    const { url } = await startServer();
    const named = openTools({ one: { url, allowedTools: ['slow', 'ehco'] } });
    const unnamed = openTools({ one: { url } });
    const [first, second] = [await named.listTools(), await named.listTools()];

    expect(first.warnings).toHaveLength(2);
    expect(second.warnings).toEqual(first.warnings);
    expect((await unnamed.listTools()).warnings).toHaveLength(1);
    expect((await unnamed.listTools()).warnings).toEqual([]);
  });

  it('starts nothing before the first use, and never starts a disabled server', async () => {
    const [used, disabled] = [await fixtureServer(), await fixtureServer()];
    const tools = openTools({ used: used.config, disabled: { ...disabled.config, disabled: true } });
    expect(tools.status().map(({ state }) => state)).toEqual(['idle', 'disabled']);
    expect(await used.journal()).toEqual([]);
    await tools.listTools();
    expect(await used.journal()).toHaveLength(2);
    expect(await disabled.journal()).toEqual([]);
  });

  it('reopens after `close()`', async () => {
    const { config, journal } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await tools.listTools();
    await tools.close();
    expect(tools.status()[0]?.state).toBe('idle');
    expect(await call(tools, 'echo', { text: 'again' })).toEqual({ type: 'text', value: 'echo again' });
    expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
  });

  it.each([
    [{ timeout: 0 }, 'Invalid `timeout` of the MCP options: '],
    [{ onLog: 'console' }, 'Invalid `onLog` of the MCP options: expected a function, got a string.'],
    [{ onlog: () => {} }, 'Unknown setting `onlog` in the MCP options. Did you mean `onLog`?'],
    [{ pool: {} }, 'Invalid `pool` of the MCP options: expected the result of createMcpConnectionPool()'],
    [
      { pool: createMcpConnectionPool(), idleTimeout: 1 },
      'Expected `idleTimeout` among the options of `createMcpConnectionPool`, got it together with `pool`',
    ],
  ])('rejects the options %j', (options, message) => {
    expect(() => createMcpTools({}, options as McpToolsOptions)).toThrow(message);
  });

  it('rejects a listing with the reason of its abort without affecting other callers', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    const controller = new AbortController();
    const reason = new Error('never mind');
    const aborted = tools.listTools({ signal: controller.signal });
    const other = namesOf(tools);
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect(await other).toContain('echo');
  });
});
