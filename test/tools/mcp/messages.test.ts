import { describe, expect, it } from 'vitest';
import type { McpMessage } from '../../../src/tools/mcp/index.js';
import type { ToolCallOptions } from '../../../src/tools/tool-source.js';
import { call, fixtureServer, namesOf, openTools, until } from './_fixture-server.js';
import { RpcError, startModernServer, toList, toText, toTool } from './_modern-server.js';

const meta = 'io.modelcontextprotocol';
const signal = new AbortController().signal;

describe('results of tools since revision 2026-07-28', () => {
  it.each([
    [
      'a block of an unknown type',
      { content: [{ type: 'hologram', angle: 3 }] },
      '{"type":"hologram","angle":3}',
    ],
    [
      'a malformed block',
      { content: [{ type: 'text' }, { type: 'text', text: 'ok' }] },
      '{"type":"text"}\nok',
    ],
    ['no content', {}, '(no output)'],
    ['content that is a text', { content: 'text' }, 'text'],
    ['members that are null', { ...toText('ok'), structuredContent: null, toolResult: null }, 'ok'],
    ['content that is one block', { content: { type: 'text', text: 'ok' } }, 'ok'],
  ])('are kept with %s', async (_, result, value) => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a', { outputSchema: { type: 'object' } })]),
      'tools/call': () => result,
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    expect(await call(tools, 'a')).toMatchObject({ type: 'text', value });
  });

  it('have no metadata of the protocol', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')]),
      'tools/call': () => ({
        ...toText('done'),
        _meta: { [`${meta}/serverInfo`]: { name: 's', version: '1' }, 'example.com/cost': 3 },
      }),
    });
    const tools = openTools({ server: { url: server.url } });
    expect(await call(tools, 'a')).toEqual({
      type: 'text',
      value: 'done',
      mcp: { _meta: { 'example.com/cost': 3 } },
    });
  });

  it('are rejected without a type', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')]),
      'tools/call': () => ({ ...toText('done'), resultType: undefined }),
    });
    expect(await call(openTools({ server: { url: server.url } }), 'a')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('invalid MCP response'),
    });
  });

  it('name the tool if it requires an extension', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('slow')]),
      'tools/call': () => ({ resultType: 'com.example/batch', batchId: '1' }),
    });
    expect(await call(openTools({ server: { url: server.url } }), 'slow')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('"slow"'),
    });
    const { params = {} } = server.requests.find(({ method }) => method === 'tools/call') ?? {};
    expect(params._meta).toMatchObject({
      [`${meta}/clientCapabilities`]: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
  });
});

describe('metadata of a call', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const toSource = async (options: Parameters<typeof openTools>[1]) => {
    const server = await startModernServer(
      { 'tools/list': () => toList([toTool('a')]), 'tools/call': () => toText('done') },
      { capabilities: { tools: { listChanged: true }, logging: {} } },
    );
    const tools = openTools({ server: { url: server.url } }, options);
    const send = async (more: Partial<ToolCallOptions> = {}): Promise<Record<string, unknown>> => {
      await tools.callTool({ toolCallId: 'call_1', toolName: 'a', input: {} }, { signal, ...more });
      const { params = {} } = server.requests.findLast(({ method }) => method === 'tools/call') ?? {};
      return params._meta as Record<string, unknown>;
    };
    return { server, send, tools };
  };

  it('contains the trace context of the host', async () => {
    const calls: unknown[] = [];
    const { send } = await toSource({
      requestMeta(info) {
        calls.push(info);
        return { traceparent, baggage: undefined, 'com.example/user': 'u1' };
      },
    });
    const sent = await send({
      callContext: { turnId: 't1', round: 2, toolCallId: 'call_1', context: 'mine' },
    });
    expect(sent).toMatchObject({ traceparent, 'com.example/user': 'u1' });
    expect(sent).not.toHaveProperty('baggage');
    expect(calls).toEqual([
      { server: 'server', toolName: 'a', turnId: 't1', round: 2, toolCallId: 'call_1', context: 'mine' },
    ]);
  });

  it('prefers that of the call', async () => {
    const { send } = await toSource({ requestMeta: () => ({ traceparent: 'old', tracestate: 'a=1' }) });
    expect(await send({ requestMeta: { traceparent } })).toMatchObject({ traceparent, tracestate: 'a=1' });
  });

  it('contains no key of the protocol, and nothing too large, that a call adds', async () => {
    const { send } = await toSource({});
    const sent = await send({ requestMeta: { traceparent, progressToken: 7, [`${meta}/related-task`]: 1 } });
    expect(sent).toMatchObject({ traceparent });
    expect(sent).not.toMatchObject({ progressToken: 7 });
    expect(sent).not.toHaveProperty([`${meta}/related-task`]);
    expect(
      await send({ requestMeta: { traceparent, 'com.example/a': 'a'.repeat(70_000) } }),
    ).not.toHaveProperty('traceparent');
  });

  it('contains the idempotency key of the call, whatever the host adds', async () => {
    const key = 'com.npmjs.kelivo-responses/idempotencyKey';
    const { send } = await toSource({ requestMeta: () => ({ traceparent, [key]: 'other' }) });
    expect(await send({ idempotencyKey: 'turn 1.1 a' })).toMatchObject({ traceparent, [key]: 'turn 1.1 a' });
  });

  it('never replaces that of the protocol', async () => {
    const { send } = await toSource({
      requestMeta: () => ({ [`${meta}/protocolVersion`]: '1', 'dev.mcp/x': 1, progressToken: 'mine' }),
    });
    const sent = await send();
    expect(sent).toMatchObject({ [`${meta}/protocolVersion`]: '2026-07-28' });
    expect(sent).not.toHaveProperty('dev.mcp/x');
    expect(sent.progressToken).not.toBe('mine');
  });

  it.each([
    () => {
      throw new Error('no tracer');
    },
    () => ({ loop: 1n }),
  ])('is left out if the host fails', async requestMeta => {
    const { send } = await toSource({ requestMeta });
    expect(Object.keys(await send()).filter(key => !key.startsWith(meta))).toEqual(['progressToken']);
  });

  it.each([
    [{}, undefined],
    [{ onLog: () => {} }, 'info'],
    [{ onLog: () => {}, logLevel: 'error' as const }, 'error'],
    [{ logLevel: 'error' as const }, undefined],
  ])('requests log messages with the options %o', async (options, level) => {
    const { send, tools } = await toSource(options);
    expect((await send())[`${meta}/logLevel`]).toBe(level);
    await tools.setLogLevel('server', { level: 'debug' });
    expect((await send())[`${meta}/logLevel`]).toBe(level && 'debug');
  });

  it('is sent to servers of earlier revisions', async () => {
    const { config } = await fixtureServer();
    const messages: McpMessage[] = [];
    const tools = openTools(
      { server: config },
      { requestMeta: () => ({ traceparent }), onMessage: message => messages.push(message) },
    );
    await call(tools, 'echo', { text: 'x' });
    const request = messages.find(({ message }) => message.method === 'tools/call');
    expect(request?.message.params).toMatchObject({ _meta: { traceparent } });
  });
});

it.each([
  [{}, {}],
  [{ apps: true }, { extensions: { [`${meta}/ui`]: { mimeTypes: ['text/html;profile=mcp-app'] } } }],
])('declares with the options %j the capabilities %j', async (options, capabilities) => {
  const server = await startModernServer({ 'tools/list': () => toList([]) });
  await namesOf(openTools({ server: { url: server.url } }, options));
  const { params = {} } = server.requests.find(({ method }) => method === 'tools/list') ?? {};
  expect(params._meta).toMatchObject({ [`${meta}/clientCapabilities`]: capabilities });
  expect(JSON.stringify(params._meta).includes('mcp-app')).toBe('apps' in options);
});

describe('onMessage', () => {
  it('receives all messages in both directions, without secrets', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')]),
      'tools/call': ({ arguments: input }) => toText(JSON.stringify(input)),
    });
    const messages: McpMessage[] = [];
    const config = { url: server.url, headers: { 'x-key': 'hidden-value-1' } };
    const tools = openTools({ server: config }, { onMessage: message => messages.push(message) });
    const input = { text: 'hidden-value-1', password: 'hunter2000', city: 'Rome' };
    const output = await call(tools, 'a', input);

    expect(output).toEqual({ type: 'text', value: JSON.stringify(input) });
    expect(messages.map(({ direction, message }) => [direction, message.method ?? 'result'])).toEqual([
      ['sent', 'server/discover'],
      ['received', 'result'],
      ['sent', 'tools/list'],
      ['received', 'result'],
      ['sent', 'tools/call'],
      ['received', 'result'],
    ]);
    expect(messages[4]?.message.params).toMatchObject({
      name: 'a',
      arguments: { text: '[redacted]', password: '[redacted]', city: 'Rome' },
    });
    expect(messages[3]?.message.result).toMatchObject({ tools: [{ name: 'a' }] });
    expect(JSON.stringify(messages)).not.toMatch(/hidden-value-1|hunter2000/);
    expect(
      messages.every(({ server: name, time }) => name === 'server' && Math.abs(Date.now() - time) < 60_000),
    ).toBe(true);
  });

  it('hides tokens of an `authProvider` that the server repeats, as errors do', async () => {
    let token = 'opaque7first';
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a')]),
      'tools/call': (_, { authorization }) => {
        throw new RpcError(-32000, `no access with ${authorization?.replace('Bearer ', '')}`);
      },
    });
    const messages: McpMessage[] = [];
    const authProvider = { token: async () => token };
    const tools = openTools(
      { server: { url: server.url, authProvider } },
      { onMessage: message => messages.push(message) },
    );
    const outputs = [await call(tools, 'a')];
    token = 'opaque7second';
    outputs.push(await call(tools, 'a'));
    expect(outputs.map(({ value }) => value)).toEqual(Array(2).fill(expect.stringContaining('[redacted]')));
    expect(JSON.stringify([outputs, messages])).not.toContain('opaque7');
  });

  it('receives notifications of a process, and hides values of its environment', async () => {
    const { config } = await fixtureServer('plain', { FIXTURE_SECRET: 'from-environment' });
    const messages: McpMessage[] = [];
    const tools = openTools({ server: config }, { onMessage: message => messages.push(message) });
    await call(tools, 'add-tool');
    await call(tools, 'echo', { text: 'from-environment' });
    await until(() => messages.some(({ message }) => message.method === 'notifications/tools/list_changed'));
    expect(JSON.stringify(messages)).not.toContain('from-environment');
    expect(JSON.stringify(messages)).toContain('echo [redacted]');
  });

  it('cannot break a call by throwing', async () => {
    const { config } = await fixtureServer();
    const tools = openTools(
      { server: config },
      {
        onMessage: () => {
          throw new Error('no display');
        },
      },
    );
    expect(await call(tools, 'echo', { text: 'x' })).toEqual({ type: 'text', value: 'echo x' });
  });

  it('receives a message that is too large without its content', async () => {
    const { config } = await fixtureServer();
    const messages: McpMessage[] = [];
    const tools = openTools({ server: config }, { onMessage: message => messages.push(message) });
    await call(tools, 'big', { size: 5_000_000 });
    expect(messages.at(-1)).toMatchObject({
      direction: 'received',
      message: { omitted: expect.stringContaining('larger') },
    });
  });
});
