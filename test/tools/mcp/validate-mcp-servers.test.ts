import { expect, it } from 'vitest';
import { validateMcpServers } from '../../../src/tools/mcp/config.js';

it('takes what other hosts write and drops the keys that are theirs alone', () => {
  const servers = {
    files: { command: 'npx', args: ['-y', 'files'], autoApprove: ['read'], description: 'my files' },
    web: { type: 'streamable-http', url: 'https://mcp.example.com', headers: { Authorization: 'Bearer x' } },
  };
  expect(validateMcpServers(servers)).toEqual({
    files: { command: 'npx', args: ['-y', 'files'] },
    web: servers.web,
  });
});

it.each([
  [[], 'Expected the MCP servers to be an object of servers by name, got an array.'],
  [{ a: 'npx' }, 'Expected MCP server "a" to be an object, got a string.'],
  [
    { a: { command: '' } },
    'Expected `command` of MCP server "a" to be the name or path of a program, got "".',
  ],
  [
    { a: { command: 'x', args: 'y' } },
    'Expected `args` of MCP server "a" to be an array of strings, got a string.',
  ],
  [
    { a: { command: 'x', args: ['y', 3] } },
    'Expected `args.1` of MCP server "a" to be a string, got a number.',
  ],
  [
    { a: { command: 'x', env: { KEY: 123456 } } },
    'Expected `env.KEY` of MCP server "a" to be a string, got a number.',
  ],
  [
    { a: { command: 'x', timeout: -1 } },
    'Expected `timeout` of MCP server "a" to be a positive number of milliseconds, got -1.',
  ],
  [{ a: { command: 'x', type: 'http' } }, 'Expected `type` of MCP server "a" to be "stdio", got "http".'],
  [
    { a: { url: 'https://x.example', type: 'websocket' } },
    'Expected `type` of MCP server "a" to be "http", "streamable-http", "streamableHttp" or "sse", got "websocket".',
  ],
  [
    { a: { url: 'mcp.example.com' } },
    'Expected `url` of MCP server "a" to be an absolute http or https address, got a string.',
  ],
])('says what is wrong with %j', (servers, message) => {
  expect(() => validateMcpServers(servers)).toThrow(
    expect.objectContaining({ code: 'invalid-settings', message }),
  );
});

it.each([
  [{ command: 'x', url: 'https://x.example' }, 'both'],
  [{}, 'neither'],
])('wants a command or an address for %j', (config, arrival) => {
  expect(() => validateMcpServers({ a: config })).toThrow(
    `Expected MCP server "a" to have either \`command\` (a program to start) or \`url\` (an address to connect to), got ${arrival}.`,
  );
});

it('points to parseMcpConfig when it gets a whole file', () => {
  expect(() => validateMcpServers({ mcpServers: { a: { command: 'x' } } })).toThrow(
    'a whole file is read by `parseMcpConfig`',
  );
});

it('refuses keys of other hosts that it would be wrong to ignore', () => {
  expect(() => validateMcpServers({ a: { command: 'x', enabled: false } })).toThrow(
    'MCP server "a" has the key `enabled` of another host. Write `disabled`, with the opposite value.',
  );
});
