import { expect, it } from 'vitest';
import { splitArguments } from '../../../playground/server/server-argument.js';

it.each([
  [[], { own: [] }],
  [['--port', '5000', '--data=x'], { own: ['--port', '5000', '--data=x'] }],
  [['https://mcp.example.com/mcp'], { own: [], server: { url: 'https://mcp.example.com/mcp' } }],
  [
    ['--port', '5000', 'npx', '-y', 'a-server', '--port', '1'],
    { own: ['--port', '5000'], server: { command: 'npx', args: ['-y', 'a-server', '--port', '1'] } },
  ],
  [['--', './my-server', '--help'], { own: [], server: { command: './my-server', args: ['--help'] } }],
  [['--help', 'npx'], { own: ['--help'], server: { command: 'npx', args: [] } }],
])('reads %j', (args, expected) => {
  expect(splitArguments(args)).toEqual(expected);
});

it.each([
  [['ws://127.0.0.1/mcp'], 'begin with http:// or https://, got ws://127.0.0.1/mcp'],
  [['https://'], 'got https://.'],
  [['https://mcp.example.com/', '--port', '1'], 'nothing after the URL of an MCP server, got --port 1'],
])('rejects %j with the reason', (args, reason) => {
  expect(() => splitArguments(args)).toThrow(reason);
});
