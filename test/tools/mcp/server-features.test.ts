import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KelivoError } from '../../../src/core/shared/errors.js';
import {
  createMcpConnectionPool,
  createMcpTools,
  type McpRequestContext,
  type McpTools,
} from '../../../src/tools/mcp/index.js';
import { everythingOverStdio, type EverythingServer, startEverythingServer } from './_everything-server.js';
import { everyValue } from '../../_products.js';
import { featureServer } from './_feature-server.js';
import { call, fixtureServer, openTools, until } from './_fixture-server.js';
import { DroppedConnection, startModernServer } from './_modern-server.js';

/** The eras of a server by its transport. A legacy server is tested over stdio. */
const servers = everyValue([
  { era: 'legacy', transport: 'stdio' },
  { era: 'dual', transport: 'stdio' },
  { era: 'modern', transport: 'stdio' },
  { era: 'dual', transport: 'http' },
  { era: 'modern', transport: 'http' },
] as const);

test('rejects a subscription to a server that offers none', async () => {
  const tools = openTools({ demo: (await fixtureServer()).config });
  await expect(tools.subscribeResource('demo', { uri: 'demo://text' })).rejects.toMatchObject({
    code: 'mcp-protocol',
    message: expect.stringContaining('"demo"'),
  });
});

test('sends a request of an extension once, and returns the result of the server', async () => {
  const server = await startModernServer({
    'tools/call': () => ({ resultType: 'task', taskId: '1' }),
    'tasks/get': () => {
      throw new DroppedConnection();
    },
  });
  const tools = openTools({ demo: { url: server.url } });
  const send = (method: string, params: object) =>
    tools.sendRequest('demo', { method, params: { ...params } });
  expect(await send('tools/call', { name: 'bake' })).toMatchObject({ resultType: 'task', taskId: '1' });
  await expect(send('tasks/get', { taskId: '1' })).rejects.toMatchObject({ code: 'mcp-network' });
  await expect(send('tasks/list', {})).rejects.toMatchObject({ code: 'mcp-protocol' });
  expect(server.count('tasks/get')).toBe(1);
});

describe.each(servers)('a server of the era $era over $transport', options => {
  test('offers resources, prompts and completions', async () => {
    const { config } = await featureServer(options);
    const tools = openTools({ demo: config });
    await expectResources(tools);
    await expectPrompts(tools);
    await expectCompletions(tools);
    await expectServerErrors(tools);
  });

  test('announces changes of a resource while it is subscribed, and gets a log level', async () => {
    const { config, journal } = await featureServer(options);
    const received: unknown[] = [];
    const sent: string[] = [];
    const tools = openTools(
      { demo: config },
      {
        onLog: () => {},
        onMessage({ direction, message }) {
          if (direction === 'sent') sent.push(JSON.stringify(message));
          else if (message.method === 'notifications/resources/updated') received.push(message.params);
        },
      },
    );
    const unsubscribe = await tools.subscribeResource('demo', { uri: 'demo://text' });
    await tools.setLogLevel('demo', { level: 'error' });
    await call(tools, 'touch');
    // Over HTTP, the test server has an instance for each request, which knows no stream.
    if (options.transport === 'stdio') await until(() => received.length > 0);
    for (const params of received) expect(params).toMatchObject({ uri: 'demo://text' });
    await unsubscribe();
    if (options.era === 'legacy') {
      expect(await journal()).toEqual(
        expect.arrayContaining([
          'resources/subscribe demo://text',
          'logging/setLevel error',
          'resources/unsubscribe demo://text',
        ]),
      );
    } else {
      const streams = sent.filter(message => message.includes('subscriptions/listen'));
      expect(streams.at(-1)).toContain('"resourceSubscriptions":["demo://text"]');
      expect(sent.find(message => message.includes('"touch"'))).toContain('logLevel":"error"');
    }
    const count = received.length;
    await call(tools, 'touch');
    if (options.era !== 'legacy') expect(received).toHaveLength(count);
  });

  test('stops a request when the signal aborts, and the server stops as well', async () => {
    const { config, journal } = await featureServer(options);
    const tools = openTools({ demo: config });
    const controller = new AbortController();
    const reading = tools.readResource('demo', { uri: 'demo://silent', signal: controller.signal });
    const outcome = expect(reading).rejects.toThrow('the user left');

    await until(async () => (await journal()).includes('read demo://silent'));
    controller.abort(new Error('the user left'));
    await outcome;
    await expect(tools.listPrompts('demo', { signal: controller.signal })).rejects.toThrow('the user left');
    await until(async () => (await journal()).includes('cancelled'));
  });

  test('has a time limit', async () => {
    const { config } = await featureServer(options);
    const tools = openTools({ demo: { ...config, timeout: 300 } });
    await expect(tools.readResource('demo', { uri: 'demo://silent' })).rejects.toMatchObject({
      code: 'mcp-timeout',
      message: 'MCP server "demo" did not respond within 300 ms.',
    });
  });

  test('ends requests when the tools are closed, also with a shared pool', async () => {
    const { config, journal } = await featureServer(options);
    const pool = createMcpConnectionPool();
    const tools = createMcpTools({ demo: config }, { pool });
    try {
      const reading = tools.readResource('demo', { uri: 'demo://silent' });
      const outcome = expect(reading).rejects.toMatchObject({ code: 'closed' });
      await until(async () => (await journal()).includes('read demo://silent'));
      await tools.close();
      await outcome;
      expect(await tools.listPrompts('demo')).toHaveLength(2); // a later use opens the connection again
    } finally {
      await pool.close();
    }
  });
});

describe.each(servers)('a server of the era $era over $transport that asks the user', options => {
  test('receives the response while a resource is read and a prompt is filled in', async () => {
    const { config } = await featureServer(options);
    const contexts: McpRequestContext[] = [];
    const tools = openTools(
      { demo: config },
      {
        onElicitation(request, context) {
          expect(request.message).toBe('Which city?');
          contexts.push(context);
          return { action: 'accept', content: { city: 'Rome' } };
        },
      },
    );
    const user = { id: 7 };

    const { parts } = await tools.readResource('demo', { uri: 'demo://ask', context: user });
    expect(parts).toEqual([{ type: 'text', text: 'Resource demo://ask (text/plain):\nweather in Rome' }]);
    const { messages } = await tools.getPrompt('demo', { name: 'ask', context: user });
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] }]);
    expect(contexts).toHaveLength(2);
    for (const { server, context, toolCallId, signal } of contexts) {
      expect({ server, toolCallId }).toEqual({ server: 'demo', toolCallId: undefined });
      expect(context).toBe(user);
      expect(signal).toBeInstanceOf(AbortSignal);
    }
  });
});

test.each(servers)('%s without the features has empty lists and no contents', async (_title, options) => {
  const { config } = await featureServer({ ...options, env: { FEATURE_LACKS: '1' } });
  const tools = openTools({ demo: config });

  expect(await tools.listResources('demo')).toEqual([]);
  expect(await tools.listResourceTemplates('demo')).toEqual([]);
  expect(await tools.listPrompts('demo')).toEqual([]);
  const argument = { name: 'a', value: '' };
  expect(await tools.complete('demo', { ref: { type: 'ref/prompt', name: 'p' }, argument })).toEqual({
    values: [],
  });
  await expect(tools.readResource('demo', { uri: 'demo://text' })).rejects.toMatchObject({
    code: 'mcp-protocol',
    message: 'Expected MCP server "demo" to offer resources, got a server without them.',
  });
  await expect(tools.getPrompt('demo', { name: 'greet' })).rejects.toThrow(
    'Expected MCP server "demo" to offer prompts, got a server without them.',
  );
});

test.each(['legacy', 'modern'] as const)('a %s server that crashes is started again', async era => {
  const { config, journal } = await featureServer({ era });
  const tools = openTools({ demo: config });
  const { parts } = await tools.readResource('demo', { uri: 'demo://crash-first' });
  expect(parts).toEqual([{ type: 'text', text: expect.stringContaining('after the crash') }]);
  expect((await journal()).filter(line => line === 'read demo://crash-first')).toHaveLength(2);
});

test('an unknown or disabled server is an error that names the others', async () => {
  const { config } = await fixtureServer();
  const tools = openTools({ one: config, two: config, off: { ...config, disabled: true } });
  for (const name of ['three', 'off']) {
    await expect(tools.listPrompts(name)).rejects.toMatchObject({
      code: 'unknown-name',
      message: `Expected the name of an MCP server that is not disabled ("one", "two"), got "${name}".`,
    });
  }
});

test('a server that cannot be started is an error', async () => {
  const tools = openTools({ demo: { command: 'does-not-exist-anywhere' } });
  await expect(tools.listResources('demo')).rejects.toMatchObject({ code: 'mcp-start' });
});

describe('the reference server over stdio and Streamable HTTP', () => {
  let http: EverythingServer;
  beforeAll(async () => {
    http = await startEverythingServer('streamableHttp');
  });
  afterAll(() => http.close());

  test.each(['stdio', 'http'])('offers resources, prompts and completions over %s', async transport => {
    const config = transport === 'http' ? http.config : everythingOverStdio();
    const tools = openTools({ everything: config });

    const [resource] = await tools.listResources('everything');
    expect(resource).toBeDefined();
    const { parts } = await tools.readResource('everything', { uri: resource?.uri ?? '' });
    expect(parts[0]).toMatchObject({
      type: 'text',
      text: expect.stringContaining(`Resource ${resource?.uri}`),
    });
    const templates = await tools.listResourceTemplates('everything');
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'demo://resource/dynamic/text/{resourceId}',
    );
    const dynamic = await tools.readResource('everything', { uri: 'demo://resource/dynamic/blob/1' });
    expect(dynamic.parts).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/^Resource demo:\/\/resource\/dynamic\/blob\/1 \(text\/plain\):\n\w/),
      },
    ]);

    const prompts = await tools.listPrompts('everything');
    expect(prompts.map(({ name }) => name)).toContain('simple-prompt');
    const { messages } = await tools.getPrompt('everything', {
      name: 'args-prompt',
      arguments: { city: 'Oslo' },
    });
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: expect.stringContaining('Oslo') }] },
    ]);
    const completion = await tools.complete('everything', {
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toEqual(['Engineering']);
    // The tools of the same server still work on the shared connection.
    expect(await call(tools, 'echo', { message: 'hi' })).toMatchObject({ value: 'Echo: hi' });
  });
});

async function expectResources(tools: McpTools): Promise<void> {
  expect(await tools.listResources('demo')).toContainEqual(
    expect.objectContaining({
      uri: 'demo://data.csv',
      name: 'data.csv',
      mimeType: 'text/csv',
      description: 'About demo://data.csv',
    }),
  );
  const templates = await tools.listResourceTemplates('demo');
  expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['demo://items/{id}', 'demo://{name}']);

  const read = async (uri: string) => (await tools.readResource('demo', { uri })).parts;
  expect(await read('demo://text')).toEqual([
    { type: 'text', text: 'Resource demo://text (text/plain):\nplain text' },
  ]);
  expect(await read('demo://data.csv')).toEqual([
    { type: 'text', text: 'Resource demo://data.csv (text/csv):\na;ä' },
  ]);
  expect(await read('demo://pixel.png')).toEqual([
    {
      type: 'file',
      mediaType: 'image/png',
      filename: 'pixel.png',
      data: expect.stringMatching(/^iVBORw0KGgo/),
    },
  ]);
  expect(await read('demo://archive.zip')).toEqual([
    { type: 'text', text: 'Resource demo://archive.zip (application/zip, 4 bytes): binary content omitted' },
  ]);
  const { parts, contents } = await tools.readResource('demo', { uri: 'demo://items/5' });
  expect(parts).toHaveLength(2);
  expect(contents).toEqual([
    { uri: 'demo://items/5', text: 'item 5' },
    { uri: 'demo://items/5/more', text: 'more' },
  ]);
}

async function expectPrompts(tools: McpTools): Promise<void> {
  expect(await tools.listPrompts('demo')).toEqual([
    {
      name: 'greet',
      description: 'Greets.',
      arguments: [
        { name: 'name', required: true },
        { name: 'language', required: false },
      ],
    },
    { name: 'ask' },
  ]);
  const values = { name: 'Ada', language: 'fr' };
  expect(await tools.getPrompt('demo', { name: 'greet', arguments: values })).toEqual({
    description: 'A greeting',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello Ada, fr' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi!' }] },
      {
        role: 'user',
        content: [{ type: 'file', mediaType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) }],
      },
      { role: 'user', content: [{ type: 'file', mediaType: 'audio/wav', data: 'AAAA' }] },
      { role: 'user', content: [{ type: 'text', text: 'Resource demo://text:\nembedded' }] },
      { role: 'user', content: [{ type: 'text', text: 'Resource link: Hidden <demo://hidden>' }] },
    ],
  });
}

async function expectCompletions(tools: McpTools): Promise<void> {
  const ofPrompt = await tools.complete('demo', {
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'language', value: 'f' },
  });
  expect(ofPrompt.values).toEqual(['fr']);
  const ofTemplate = await tools.complete('demo', {
    ref: { type: 'ref/resource', uri: 'demo://items/{id}' },
    argument: { name: 'id', value: 't' },
  });
  expect(ofTemplate.values).toEqual(['two', 'three']);
}

async function expectServerErrors(tools: McpTools): Promise<void> {
  const error = await tools
    .readResource('demo', { uri: 'demo://nothing' })
    .catch((reason: unknown) => reason);
  expect(KelivoError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: 'mcp-protocol',
    message: 'MCP server "demo" reported an error: There is no nothing.',
  });
  await expect(tools.getPrompt('demo', { name: 'greet' })).rejects.toThrow(
    /^MCP server "demo" reported an error: .*name/,
  );
}

describe('malformed entries of lists', () => {
  const lists: Readonly<Record<string, object>> = {
    'resources/list': {
      resources: [
        { uri: 'demo://good', name: 'good' },
        { uri: 'demo://null', name: 'null', description: null, mimeType: null },
        { uri: 'demo://nameless' },
        { name: 'no uri' },
        'text',
      ],
    },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'demo://{id}' }, { name: 'none' }] },
    'prompts/list': { prompts: [{ name: 'good', title: null }, { title: 'no name' }, null] },
  };
  const capabilities = { resources: {}, prompts: {} };

  /** A process that sends the lists unchanged, which the SDK's server would refuse. */
  const legacyServer = `
    const results = ${JSON.stringify(lists)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const { protocolVersion } = params ?? {};
      const serverInfo = { name: 'raw', version: '1' };
      if (method === 'initialize') results.initialize = { protocolVersion, capabilities: ${JSON.stringify(capabilities)}, serverInfo };
      const result = results[method];
      const response = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...response }));
    });`;

  test.each(['legacy', 'modern'] as const)('of a %s server are left out', async era => {
    const caching = { ttlMs: 0, cacheScope: 'private' };
    const results = Object.entries(lists).map(([method, result]) => [
      method,
      () => ({ ...caching, ...result }),
    ]);
    const config =
      era === 'legacy'
        ? { command: process.execPath, args: ['-e', legacyServer] }
        : { url: (await startModernServer(Object.fromEntries(results), { capabilities })).url };
    const tools = openTools({ demo: config });

    expect(await tools.listResources('demo')).toEqual([
      { uri: 'demo://good', name: 'good' },
      { uri: 'demo://null', name: 'null' },
      { uri: 'demo://nameless', name: 'demo://nameless' },
    ]);
    expect(await tools.listResourceTemplates('demo')).toEqual([
      { uriTemplate: 'demo://{id}', name: 'demo://{id}' },
    ]);
    expect(await tools.listPrompts('demo')).toEqual([{ name: 'good' }]);
  });
});
