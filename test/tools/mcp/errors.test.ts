import { describe, expect, it } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { McpFailure, processesUnsupported, toMcpFailure } from '../../../src/tools/mcp/transport/failures.js';
import { toMcpError } from '../../../src/tools/mcp/session/errors.js';

const web: McpServerConfig = {
  url: 'https://user:pass@mcp.example.com/mcp?key=abcdefgh',
  headers: { Authorization: 'Bearer tok-123456', 'x-team': 'team-secret' },
};

function toText(failure: McpFailure, config: McpServerConfig = web): string {
  return toMcpError(failure, { serverName: 'web', config, toolName: 'search' }).message;
}

it('contains only the origin of a URL', () => {
  expect(
    toText(
      toMcpFailure(
        new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
      ),
    ),
  ).toBe('MCP server "web" is not reachable at https://mcp.example.com (ECONNREFUSED). Is it running?');
});

it.each([
  'tok-123456',
  'team-secret',
  'abcdefgh',
  'Bearer something.else',
  'sk-proj-1234567890',
  'api_key=zzz999',
])('redacts %s', secret => {
  const text = toText(new McpFailure({ kind: 'http', status: 500, message: `failed with ${secret}, sorry` }));
  expect(text).not.toContain(secret.replace(/^(Bearer |api_key=)/, ''));
  expect(text).toContain('[redacted], sorry');
});

it('redacts variables and secret arguments of a command, but not its directories', () => {
  const config = {
    command: 'x',
    args: ['--api-key', 'abc12345', '--token=def67890', '/srv/files'],
    env: { A: 'value-of-a' },
  };
  const stderr = '\u001b[31mno access\u001b[0m to /srv/files with abc12345 def67890 value-of-a';
  expect(toText(new McpFailure({ kind: 'closed', process: { stderr } }), config)).toContain(
    'Its last output was: no access to /srv/files with [redacted] [redacted] [redacted]',
  );
});

it('reports that a program requires Node if processes are not supported', () => {
  expect(
    toText(new McpFailure({ kind: 'start', systemCode: processesUnsupported }), { command: 'npx' }),
  ).toBe(
    'MCP server "web" could not be started: programs can only be started in Node, Bun or Deno. Use a server with a `url` instead.',
  );
});

describe('the text of a body', () => {
  it.each([
    ['{"jsonrpc":"2.0","error":{"code":-32000,"message":"Server is full"}}', 'Server is full'],
    ['{"error":"invalid_token"}', 'invalid_token'],
    ['<!doctype html><title>Bad gateway</title><p>nginx</p>', 'Bad gateway'],
    ['x'.repeat(2000), `${'x'.repeat(500)}…`],
  ])('is reduced to its message: %.40s', (message, excerpt) => {
    expect(toText(new McpFailure({ kind: 'http', status: 502, message }))).toBe(
      `MCP server "web" returned HTTP 502 at https://mcp.example.com: ${excerpt}. ` +
        'The tool "search" may or may not have been executed.',
    );
  });
});
