import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { call, namesOf, openTools, until } from './_fixture-server.js';
import { startModernServer, toList, toText, toTool } from './_modern-server.js';

describe('validity of a list since revision 2026-07-28', () => {
  it('is not requested again while it is fresh', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')], { ttlMs: 60_000 }),
      'tools/call': () => toText('done'),
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    await call(tools, 'a');
    expect(await namesOf(tools)).toEqual(['a']);
    expect(server.count('tools/list')).toBe(1);
  });

  it('offers the same definitions while it is fresh, and reports problems once', async () => {
    const names = ['a'];
    const server = await startModernServer({
      'tools/list': () => toList([...names.map(name => toTool(name)), { name: '' }], { ttlMs: 60_000 }),
    });
    const tools = openTools({ server: { url: server.url, allowedTools: ['a', 'missing'] } });
    const known = [{ name: 'x', server: 'other', originalName: 'x' }];
    const first = await tools.listTools({ known });
    const second = await tools.listTools({ known });
    expect(second.tools).toBe(first.tools);
    expect(second.meanings).toBe(first.meanings);
    expect(first.warnings).toEqual([
      expect.stringContaining('malformed tool'),
      expect.stringContaining('"missing"'),
    ]);
    expect(second.warnings).toEqual([expect.stringContaining('"missing"')]);
    expect((await tools.listTools({ reserved: ['a'] })).tools.map(({ name }) => name)).toEqual(['server_a']);
  });

  it.each([{ ttlMs: 0 }, { ttlMs: undefined }, { ttlMs: -1 }, { ttlMs: 'soon' }])(
    'ends at once with %j',
    async more => {
      const names = ['a'];
      const server = await startModernServer({
        'tools/list': () =>
          toList(
            names.map(name => toTool(name)),
            more,
          ),
      });
      const tools = openTools({ server: { url: server.url } });
      expect(await namesOf(tools)).toEqual(['a']);
      names.push('b');
      expect(await namesOf(tools)).toEqual(['a', 'b']);
      expect(server.count('tools/list')).toBe(2);
    },
  );

  it('ends with that of its first stale page', async () => {
    const server = await startModernServer({
      'tools/list': ({ cursor }) =>
        cursor === undefined
          ? toList([toTool('a')], { ttlMs: 60_000, nextCursor: '2' })
          : toList([toTool('b')], { ttlMs: 0 }),
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    expect(await namesOf(tools)).toEqual(['a', 'b']);
    expect(server.count('tools/list')).toBe(4);
  });

  it('ends when the tools are closed', async () => {
    const server = await startModernServer({ 'tools/list': () => toList([toTool('a')], { ttlMs: 60_000 }) });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    await tools.close();
    await namesOf(tools);
    expect(server.count('tools/list')).toBe(2);
  });

  it.each(['public', 'private'])('is not shared by other credentials with the scope %s', async cacheScope => {
    const server = await startModernServer({
      'tools/list': (_, { authorization }) =>
        toList([toTool(String(authorization))], { ttlMs: 60_000, cacheScope }),
    });
    const toConfig = (authorization: string) => ({ url: server.url, headers: { authorization } });
    const tools = openTools({ first: toConfig('one'), second: toConfig('two') });
    expect(await namesOf(tools)).toEqual(['one', 'two']);
    expect(await namesOf(tools)).toEqual(['one', 'two']);
  });
});

describe('announced changes since revision 2026-07-28', () => {
  const onLog = () => {};

  it('end the freshness of a list', async () => {
    const names = ['a'];
    const server = await startModernServer({
      'tools/list': () =>
        toList(
          names.map(name => toTool(name)),
          { ttlMs: 60_000 },
        ),
    });
    const tools = openTools({ server: { url: server.url } }, { onLog });
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    names.push('b');
    server.announce('notifications/tools/list_changed');
    await until(async () => (await namesOf(tools)).includes('b'));
    expect(server.count('tools/list')).toBe(2);
  });

  it('count for a list that is read at the same time', async () => {
    const names = ['a'];
    let isAnnounced = true;
    /** Number of announcements that the client has read. */
    let received = 0;
    const server = await startModernServer({
      async 'tools/list'() {
        const list = toList(
          names.map(name => toTool(name)),
          { ttlMs: 60_000 },
        );
        if (!isAnnounced) {
          isAnnounced = true;
          names.push('c');
          server.announce('notifications/tools/list_changed');
          await until(() => received === 2);
        }
        return list;
      },
    });
    const tools = openTools(
      { server: { url: server.url } },
      {
        onLog,
        onMessage({ direction, message }) {
          if (direction === 'received' && message.method === 'notifications/tools/list_changed') received++;
        },
      },
    );
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    isAnnounced = false;
    server.announce('notifications/tools/list_changed');
    await until(async () => (await namesOf(tools)).includes('c'));
  });

  it('replace requests for a list without freshness', async () => {
    const server = await startModernServer({ 'tools/list': () => toList([toTool('a')]) });
    const tools = openTools({ server: { url: server.url } }, { onLog });
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    await until(async () => {
      const before = server.count('tools/list');
      await namesOf(tools);
      return server.count('tools/list') === before;
    });
  });

  it('are followed again after the stream ended, and missed ones are read', async () => {
    const names = ['a'];
    const server = await startModernServer({
      'tools/list': () =>
        toList(
          names.map(name => toTool(name)),
          { ttlMs: 3_600_000 },
        ),
    });
    const tools = openTools({ server: { url: server.url } }, { onLog });
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    names.push('b');
    server.dropStreams();
    await until(async () => (await namesOf(tools)).includes('b'));
    await until(() => server.openStreams === 1);
    names.push('c');
    server.announce('notifications/tools/list_changed');
    await until(async () => (await namesOf(tools)).includes('c'));
  });

  it('replace no requests after the stream ended', async () => {
    const names = ['a'];
    const server = await startModernServer({ 'tools/list': () => toList(names.map(name => toTool(name))) });
    const tools = openTools({ server: { url: server.url } }, { onLog });
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    await until(async () => {
      const before = server.count('tools/list');
      await namesOf(tools);
      return server.count('tools/list') === before;
    });
    server.opensStreams = false;
    names.push('b');
    server.dropStreams();
    await until(async () => (await namesOf(tools)).includes('b'));
    // Nobody announces it.
    names.push('c');
    await until(async () => (await namesOf(tools)).includes('c'));
    expect(server.openStreams).toBe(0);
  });

  it('are followed again after pauses that double, up to a minute', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.75);
    const { setTimeout: wait } = globalThis;
    const pauses: number[] = [];
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delay = 0) => {
      const isPause = delay > 0 && delay % 875 === 0;
      if (isPause) pauses.push(delay / 875);
      return wait(callback, isPause ? 0 : delay);
    }) as typeof setTimeout);
    onTestFinished(() => void vi.restoreAllMocks());
    const server = await startModernServer({ 'tools/list': () => toList([toTool('a')]) });
    await namesOf(openTools({ server: { url: server.url } }, { onLog }));
    for (let count = 1; count <= 8; count++) {
      await until(() => server.count('subscriptions/listen') === count && server.openStreams === 1);
      server.dropStreams();
    }
    await until(() => server.count('subscriptions/listen') === 9);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('are not followed if the host handles no message of servers', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')]),
      'tools/call': () => toText('done'),
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    await call(tools, 'a');
    expect(server.count('subscriptions/listen')).toBe(0);
  });

  it('are not followed after the tools are closed', async () => {
    const server = await startModernServer({ 'tools/list': () => toList([toTool('a')]) });
    const tools = openTools({ server: { url: server.url } }, { onLog });
    await namesOf(tools);
    await until(() => server.openStreams === 1);
    await tools.close();
    await until(() => server.openStreams === 0);
    expect(server.count('subscriptions/listen')).toBe(1);
  });
});

describe('tools of a list', () => {
  it('are kept if others are malformed', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await startModernServer({
      'tools/list': () =>
        toList([
          { name: 'no-schema' },
          { inputSchema: { type: 'object' } },
          { name: 'text-schema', inputSchema: 'none' },
          toTool('bad-output', { outputSchema: { $ref: '#/$defs/missing' } }),
          toTool('odd-fields', { title: 1, description: null, annotations: [], _meta: 'x', icons: 4 }),
          'nonsense',
        ]),
      'tools/call': () => toText('done'),
    });
    const tools = openTools({ server: { url: server.url } });
    const { tools: listed, warnings } = await tools.listTools();
    expect(listed.map(({ name }) => name)).toEqual(['no-schema', 'bad-output', 'odd-fields']);
    expect(warnings).toHaveLength(3);
    expect(warnings[1]).toContain('a malformed tool "text-schema"');
    expect(await call(tools, 'bad-output')).toEqual({ type: 'text', value: 'done' });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('have the schemas that the server sent, and remote references are not fetched', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { $ref: '#city' }, other: { $ref: 'http://127.0.0.1:9/schema.json' } },
      $defs: { city: { $anchor: 'city', type: 'string' } },
      allOf: [{ anyOf: [{ required: ['city'] }, { required: ['other'] }] }],
      unevaluatedProperties: false,
    };
    const server = await startModernServer({ 'tools/list': () => toList([toTool('a', { inputSchema })]) });
    const fetched: string[] = [];
    const tools = openTools(
      { server: { url: server.url } },
      {
        fetch: (url, init) => {
          fetched.push(String(url));
          return fetch(url, init);
        },
      },
    );
    const { tools: listed } = await tools.listTools();
    expect(listed[0]?.inputSchema).toEqual(inputSchema);
    await call(tools, 'a', { other: 1 });
    expect(new Set(fetched)).toEqual(new Set([server.url]));
  });

  it('are left out if their schema is too deep', async () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 200; level++) deep = { type: 'array', items: deep };
    const inputSchema = { type: 'object', properties: { deep } };
    const server = await startModernServer({
      'tools/list': () => toList([toTool('deep', { inputSchema }), toTool('a')]),
    });
    const { tools, warnings } = await openTools({ server: { url: server.url } }).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['a']);
    expect(warnings[0]).toContain('offers the tool "deep" with an input schema of more than 100 levels');
  });

  it('have the metadata of their user interface, and those without the model as reader are left out', async () => {
    const ui = { resourceUri: 'ui://clock/page', visibility: ['model', 'app'], prefersBorder: true };
    const server = await startModernServer({
      'tools/list': () =>
        toList([
          toTool('clock', { title: 'Clock', _meta: { ui, 'example.com/x': 1 } }),
          toTool('old', { _meta: { 'ui/resourceUri': 'ui://old/page' } }),
          toTool('web', {
            _meta: { ui: { resourceUri: 'https://example.com/page', visibility: ['model'] } },
          }),
          toTool('refresh', { _meta: { ui: { resourceUri: 'ui://clock/page', visibility: ['app'] } } }),
          toTool('large', { _meta: { ui: { visibility: ['app'] }, padding: 'x'.repeat(100_000) } }),
          toTool('text', { _meta: { ui: { visibility: 'app' } } }),
        ]),
    });
    const allowedTools = ['clock', 'old', 'web', 'refresh'];
    const { tools, warnings } = await openTools({ server: { url: server.url, allowedTools } }).listTools();
    expect(tools.map(({ name, metadata, _meta }) => [name, metadata, _meta])).toEqual([
      [
        'clock',
        {
          clientName: 'server',
          toolName: 'clock',
          title: 'Clock',
          app: { ...ui, mimeType: 'text/html;profile=mcp-app' },
        },
        { ui, 'example.com/x': 1 },
      ],
      [
        'old',
        {
          clientName: 'server',
          toolName: 'old',
          app: { resourceUri: 'ui://old/page', mimeType: 'text/html;profile=mcp-app' },
        },
        { 'ui/resourceUri': 'ui://old/page' },
      ],
      [
        'web',
        {
          clientName: 'server',
          toolName: 'web',
          app: { mimeType: 'text/html;profile=mcp-app', visibility: ['model'] },
        },
        { ui: { resourceUri: 'https://example.com/page', visibility: ['model'] } },
      ],
    ]);
    expect(warnings).toEqual([
      'MCP server "server" offers the tool "refresh" from its `allowedTools` only to its user interface.',
    ]);
  });

  it('for an app can be called for apps of the same server, and never by the model', async () => {
    const called: unknown[] = [];
    const serve = (tools: readonly object[]) =>
      startModernServer({
        'tools/list': () => toList(tools),
        'tools/call': ({ name }) => {
          called.push(name);
          return toText(`ran ${String(name)}`);
        },
      });
    const toUi = (visibility: unknown, more: object = {}) => ({ _meta: { ui: { visibility }, ...more } });
    const inputSchema = { type: 'object', properties: { seats: { type: 'integer' } } };
    const clock = await serve([
      toTool('refresh', { ...toUi(['app']), inputSchema }),
      toTool('both'),
      toTool('model', toUi(['model'], { padding: 'x'.repeat(100_000) })),
      toTool('nobody', toUi([])),
      toTool('off', toUi(['app'])),
    ]);
    const other = await serve([toTool('elsewhere', toUi(['app']))]);
    const config = { clock: { url: clock.url, disabledTools: ['off'] }, other: { url: other.url } };
    const tools = openTools(config);
    const { signal } = new AbortController();
    const callAppTool = async (toolName: string, { server = 'clock', input = {} } = {}) =>
      (await tools.callAppTool({ toolCallId: 'call_1', server, toolName, input }, { signal })).value;

    expect(await callAppTool('refresh')).toBe('ran refresh');
    expect(await callAppTool('both')).toBe('ran both');
    expect(await callAppTool('elsewhere', { server: 'other' })).toBe('ran elsewhere');
    expect(called.splice(0)).toEqual(['refresh', 'both', 'elsewhere']);

    expect(await callAppTool('refresh', { input: { seats: 'all' } })).toMatch(/seats/);
    for (const name of ['model', 'nobody', 'off', 'elsewhere', 'toString'])
      expect(await callAppTool(name)).toBe(`MCP server "clock" offers no tool "${name}" to its apps.`);
    await expect(callAppTool('refresh', { server: 'unknown' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    expect(await namesOf(tools)).toEqual(['both', 'model']);
    for (const name of ['refresh', 'clock_refresh', 'elsewhere'])
      expect(await call(tools, name)).toMatchObject({
        value: `No MCP server offers a tool ${JSON.stringify(name)}.`,
      });
    const reviewed = openTools(config, { fingerprints: await tools.fingerprints() });
    const refused = { toolCallId: 'call_2', server: 'clock', toolName: 'refresh', input: {} };
    expect((await reviewed.callAppTool(refused, { signal })).value).toMatch(/^Not run: /);
    expect(called).toEqual([]);
    expect((await reviewed.callAppTool({ ...refused, toolName: 'both' }, { signal })).value).toBe('ran both');
  });

  it('are reported by name if they only run as tasks', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('slow', { execution: { taskSupport: 'required' } })]),
      'tools/call': () => toText('done'),
    });
    const { tools, warnings } = await openTools({ server: { url: server.url } }).listTools();
    expect(tools).toEqual([]);
    expect(warnings).toEqual([
      'MCP server "server" offers the tool "slow" only as a task, but does not declare that it runs tasks.',
    ]);
  });
});
