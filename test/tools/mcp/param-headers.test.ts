import { describe, expect, it, vi } from 'vitest';
import { call, namesOf, openTools } from './_fixture-server.js';
import { DroppedConnection, RpcError, startModernServer, toList, toText, toTool } from './_modern-server.js';

describe('arguments that are repeated as headers', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      city: { type: 'string', 'x-mcp-header': 'City' },
      options: { type: 'object', properties: { days: { type: 'integer', 'x-mcp-header': 'Days' } } },
      exact: { type: 'boolean', 'x-mcp-header': 'Exact' },
    },
  };

  it('are sent with the call', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('weather', { inputSchema })]),
      'tools/call': () => toText('done'),
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    await call(tools, 'weather', { city: 'Zürich', options: { days: 3 } });
    const { headers } = server.requests.find(({ method }) => method === 'tools/call') ?? {
      headers: {} as Record<string, unknown>,
    };
    const names = Object.keys(headers).filter(name => name.startsWith('mcp-param-'));
    expect(Object.fromEntries(names.map(name => [name, headers[name]]))).toEqual({
      'mcp-param-city': '=?base64?WsO8cmljaA==?=',
      'mcp-param-days': '3',
    });
  });

  it('are read again from the list if the server rejects them, and the call is repeated once', async () => {
    let header = 'Old';
    let callCount = 0;
    const toSchema = () => ({
      type: 'object',
      properties: { a: { type: 'string', 'x-mcp-header': header } },
    });
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a', { inputSchema: toSchema() })], { ttlMs: 60_000 }),
      'tools/call': (_, headers) => {
        callCount++;
        if (headers[`mcp-param-${header.toLowerCase()}`] === undefined)
          throw new RpcError(-32020, 'Header mismatch');
        return toText('done');
      },
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    header = 'New';
    expect(await call(tools, 'a', { a: 'x' })).toEqual({ type: 'text', value: 'done' });
    expect([callCount, server.count('tools/list')]).toEqual([2, 2]);
  });

  it('are rejected only twice', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('a', { inputSchema })]),
      'tools/call': () => {
        throw new RpcError(-32020, 'Header mismatch');
      },
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    expect(await call(tools, 'a')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('mismatch'),
    });
    expect(server.count('tools/call')).toBe(2);
  });

  it('are not the reason if a server of a previous revision returns the code, so the call is not repeated', async () => {
    const server = await startModernServer({
      'server/discover': () => {
        throw new RpcError(-32601, 'Method not found');
      },
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'legacy', version: '1' },
      }),
      'tools/list': () => toList([toTool('pay', { inputSchema })]),
      'tools/call': () => {
        throw new RpcError(-32020, 'Paid, but no receipt');
      },
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    expect(await call(tools, 'pay')).toMatchObject({ type: 'error-text' });
    expect(server.count('tools/call')).toBe(1);
  });

  it('do not make a server trusted that rejected them', async () => {
    let callCount = 0;
    const server = await startModernServer({
      'tools/list': () =>
        toList([toTool('a', { inputSchema, annotations: { idempotentHint: true, readOnlyHint: true } })]),
      'tools/call': () => {
        if (callCount++ === 0) throw new RpcError(-32020, 'Header mismatch');
        throw new DroppedConnection();
      },
    });
    const tools = openTools({ server: { url: server.url } });
    await namesOf(tools);
    expect(await call(tools, 'a')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('may or may not have been executed'),
    });
    expect(server.count('tools/call')).toBe(2);
  });

  it('exclude a tool that requests invalid ones', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const schema = (city: object) => ({ type: 'object', properties: { city } });
    const server = await startModernServer({
      'tools/list': () =>
        toList([
          toTool('valid', { inputSchema }),
          toTool('bad', { inputSchema: schema({ type: 'number', 'x-mcp-header': 'City' }) }),
        ]),
    });
    const { tools, warnings } = await openTools({ server: { url: server.url } }).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['valid']);
    expect(warnings).toEqual([
      'MCP server "server" offers the tool "bad" with "x-mcp-header" on a property that is not of the type ' +
        'string, integer or boolean.',
    ]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});
