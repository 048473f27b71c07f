import { expect, it } from 'vitest';
import type { McpServerConfig, McpStoredSession, McpTools } from '../../../src/tools/mcp/index.js';
import { call, openTools, until } from './_fixture-server.js';
import { startTaskServer } from './_task-server.js';

const sessionOf = (tools: McpTools): McpStoredSession | undefined => tools.status()[0]?.session;

/** Opens a session in a process that leaves it for another one. */
async function openSession(config: McpServerConfig): Promise<McpStoredSession | undefined> {
  const tools = openTools({ oven: { ...config, terminateSessionOnClose: false } as McpServerConfig });
  await tools.listTools();
  const session = sessionOf(tools);
  await tools.close();
  // As a store keeps it.
  return JSON.parse(JSON.stringify(session));
}

it('is used by another process without opening it again, and stays open until it is closed', async () => {
  const { config, requests } = await startTaskServer();
  const session = await openSession(config);
  const ofFirst = requests.length;
  expect(requests.some(({ method }) => method === 'DELETE')).toBe(false);
  expect(session).toEqual({
    initialSessionId: requests[1]?.sessionId ?? requests.at(-1)?.sessionId,
    initialInitializeResult: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: 'oven', version: '1' },
    },
  });

  const tools = openTools({ oven: { ...config, ...session } });
  expect(await call(tools, 'cook')).toMatchObject({ value: 'cooked at once' });
  // It is ended with this process.
  expect(sessionOf(tools)).toBeUndefined();
  await tools.close();
  const ofSecond = requests.slice(ofFirst);
  expect(ofSecond.map(({ method }) => method)).toEqual(['tools/list', 'tools/call', 'DELETE']);
  expect(new Set(ofSecond.map(({ sessionId }) => sessionId))).toEqual(new Set([session?.initialSessionId]));
});

it('is replaced if the server has forgotten it', async () => {
  const { config, methods, forgetSessions } = await startTaskServer();
  const session = await openSession(config);
  forgetSessions();
  const tools = openTools({
    oven: { ...config, ...session, terminateSessionOnClose: false } as McpServerConfig,
  });
  expect(await call(tools, 'cook')).toMatchObject({ value: 'cooked at once' });
  expect(sessionOf(tools)?.initialSessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(sessionOf(tools)?.initialSessionId).not.toBe(session?.initialSessionId);
  expect(methods().filter(method => method === 'tools/call')).toHaveLength(1);
  forgetSessions();
  expect(await call(tools, 'cook')).toMatchObject({ value: 'cooked at once' });
});

it('receives what its server sends on its own initiative', async () => {
  const { config, methods, change, reportProgress } = await startTaskServer();
  const session = await openSession(config);
  const messages: unknown[] = [];
  const tools = openTools(
    { oven: { ...config, ...session } },
    { onLog: () => {}, onMessage: ({ message }) => messages.push(message.method) },
  );
  const baking = call(tools, 'bake');
  await until(() => methods().includes('tasks/get'));
  await until(() => {
    reportProgress({ progress: 1 });
    return messages.includes('notifications/progress');
  });
  change({ status: 'completed' });
  await baking;
});

it('has no session over stdio or of a server without sessions', () => {
  const tools = openTools({ files: { command: 'none' } });
  expect(tools.status()).toEqual([{ name: 'files', state: 'idle', tools: [] }]);
});

it.each([
  [
    { initialSessionId: 'a' },
    '`initialInitializeResult` of MCP server "oven" to be the answer to `initialize`',
  ],
  [{ initialSessionId: 7 }, '`initialSessionId` of MCP server "oven" to be the id of a session'],
  [{ initialInitializeResult: {} }, '`initialInitializeResult` of MCP server "oven"'],
  [{ terminateSessionOnClose: 'no' }, '`terminateSessionOnClose` of MCP server "oven" to be true or false'],
])('rejects the settings %j', (settings, message) => {
  const oven = { url: 'http://127.0.0.1:1/mcp', ...settings } as McpServerConfig;
  expect(() => openTools({ oven })).toThrow(message);
});
