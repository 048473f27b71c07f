import { expect, it } from 'vitest';
import { parseMcpConfig } from '../../../src/tools/mcp/index.js';

const servers = { files: { command: 'npx', args: ['-y', 'files'] } };

it.each([
  ['Claude Desktop and Cursor', { mcpServers: servers }],
  ['VS Code', { inputs: [], servers }],
  ['nobody in particular', servers],
])('reads the file of %s', (_host, file) => {
  expect(parseMcpConfig(JSON.stringify(file))).toEqual(servers);
  expect(parseMcpConfig(file)).toEqual(servers);
});

it('reads comments and trailing commas, and leaves strings alone', () => {
  const text = `{
    // my servers
    "mcpServers": { /* one */ "web": { "url": "https://mcp.example.com/a,}b", }, },
  }`;
  expect(parseMcpConfig(text)).toEqual({ web: { url: 'https://mcp.example.com/a,}b' } });
});

it('says what it expects of text that is no JSON, without quoting it', () => {
  expect(() => parseMcpConfig('{"mcpServers": {"a": {"env": {"KEY": "hunter2"')).toThrow(
    expect.objectContaining({
      code: 'invalid-settings',
      message:
        'Expected the MCP configuration to be JSON with an `mcpServers` object, got text that is no JSON.',
    }),
  );
});
