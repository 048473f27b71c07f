import { describe, expect, it } from 'vitest';
import { parseMcpConfig, validateMcpServers } from '../../../src/tools/mcp/config/config.js';
import { call, fixtureServer, openTools } from './_fixture-server.js';

const fileServers = { files: { command: 'npx', args: ['-y', 'files'] } };

it.each([
  ['Claude Desktop and Cursor', { mcpServers: fileServers }],
  ['VS Code', { inputs: [], servers: fileServers }],
  ['no particular host', fileServers],
])('reads the file of %s', (_host, file) => {
  expect(parseMcpConfig(JSON.stringify(file))).toEqual(fileServers);
  expect(parseMcpConfig(file)).toEqual(fileServers);
});

it('reads comments and trailing commas and does not change strings', () => {
  const text = `{
    // local servers
    "mcpServers": { /* one */ "web": { "url": "https://mcp.example.com/a,}b", }, },
  }`;
  expect(parseMcpConfig(text)).toEqual({ web: { url: 'https://mcp.example.com/a,}b' } });
});

it('reports text that is not JSON without quoting it', () => {
  expect(() => parseMcpConfig('{"mcpServers": {"a": {"env": {"KEY": "hunter2"')).toThrow(
    expect.objectContaining({
      code: 'invalid-settings',
      message:
        'Expected the MCP configuration to be JSON with an `mcpServers` object, got text that is not valid JSON.',
    }),
  );
});

it('accepts the format of other hosts and removes their own keys', () => {
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
    { a: { command: 'x', roots: '/a' } },
    'Expected `roots` of MCP server "a" to be an array of absolute paths or file URIs, got "/a".',
  ],
  [
    { a: { command: 'x', roots: ['/a', './b'] } },
    'Expected `roots.1` of MCP server "a" to be an absolute path or a file URI, got "./b".',
  ],
  [
    { a: { url: 'https://mcp.example.com', roots: ['https://example.com/a'] } },
    'Expected `roots.0` of MCP server "a" to be an absolute path or a file URI, got "https://example.com/a".',
  ],
  [
    { a: { command: 'x', resourceTools: 'yes' } },
    'Expected `resourceTools` of MCP server "a" to be true or false, got "yes".',
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
    'Expected `url` of MCP server "a" to be an absolute http or https URL, got a string.',
  ],
])('reports the problem of %j', (servers, message) => {
  expect(() => validateMcpServers(servers)).toThrow(
    expect.objectContaining({ code: 'invalid-settings', message }),
  );
});

it.each([
  [{ command: 'x', url: 'https://x.example' }, 'both'],
  [{}, 'neither'],
])('requires either a command or a URL for %j', (config, received) => {
  expect(() => validateMcpServers({ a: config })).toThrow(
    `Expected MCP server "a" to have either \`command\` (a program to start) or \`url\` (a URL to connect to), got ${received}.`,
  );
});

it('suggests `parseMcpConfig` for a complete file', () => {
  expect(() => validateMcpServers({ mcpServers: { a: { command: 'x' } } })).toThrow(
    'got neither. Use `parseMcpConfig` to read a complete configuration file.',
  );
});

it('rejects keys of other hosts that must not be ignored', () => {
  expect(() => validateMcpServers({ a: { command: 'x', enabled: false } })).toThrow(
    'MCP server "a" has the key `enabled`, which is not supported here. Use `disabled` with the opposite value.',
  );
});

const expandVariables = { TOKEN: 'abc', 'env:HOST': 'mcp.example.com', EMPTY: '' };

function expand(config: object): unknown {
  return validateMcpServers({ one: config }, { expandVariables }).one;
}

describe('variables', () => {
  it('are expanded in every setting of the connection', () => {
    expect(
      expand({
        command: `/bin/\${TOKEN}`,
        args: [`--token=\${TOKEN}`, `\${EMPTY}\${TOKEN}\${TOKEN}`],
        env: { KEY: `a \${TOKEN} b` },
        cwd: `/\${TOKEN}`,
        disabledTools: [`\${TOKEN}`],
      }),
    ).toEqual({
      command: '/bin/abc',
      args: ['--token=abc', 'abcabc'],
      env: { KEY: 'a abc b' },
      cwd: '/abc',
      disabledTools: [`\${TOKEN}`],
    });
    expect(
      expand({ url: `https://\${env:HOST}/mcp`, headers: { Authorization: `Bearer \${TOKEN}` } }),
    ).toEqual({ url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer abc' } });
  });

  it('are not expanded after a second dollar sign', () => {
    expect(expand({ command: 'sh', args: [`$\${TOKEN} $TOKEN $$ \${TOKEN}`] })).toMatchObject({
      args: [`\${TOKEN} $TOKEN $$ abc`],
    });
  });

  it('are not expanded inside values', () => {
    const servers = { one: { command: `\${A}` } };
    expect(validateMcpServers(servers, { expandVariables: { A: `\${B}`, B: 'no' } })).toEqual({
      one: { command: `\${B}` },
    });
  });

  it.each(['HOME', 'PATH', 'constructor', '__proto__', ''])(`fail if unknown, such as \${%s}`, name => {
    expect(() => expand({ command: 'x', args: ['ok', `\${${name}}`] })).toThrow(
      'Expected `args.1` of MCP server "one" to reference only variables of `expandVariables` ' +
        `(TOKEN, env:HOST, EMPTY), got "\${${name}}". Add the variable, or write \`$\${\` for a literal \`\${\`.`,
    );
  });

  it('are expanded in roots', () => {
    const config = { command: 'x', roots: ['file:///a', `\${TOKEN}`] };
    expect(() => expand(config)).toThrow('`roots.1` of MCP server "one"'); // "abc" is not absolute
    expect(expand({ command: 'x', roots: [`/home/\${TOKEN}`] })).toEqual({
      command: 'x',
      roots: ['/home/abc'],
    });
  });

  it('are not expanded without `expandVariables`', () => {
    expect(validateMcpServers({ one: { command: `\${HOME}` } })).toEqual({ one: { command: `\${HOME}` } });
  });

  it('are expanded in a configuration file', () => {
    const json = `{"mcpServers": {"one": {"url": "\${BASE}/mcp"}}}`;
    expect(parseMcpConfig(json, { expandVariables: { BASE: 'http://localhost:1' } })).toEqual({
      one: { url: 'http://localhost:1/mcp' },
    });
  });

  it('reach the server', async () => {
    const { config } = await fixtureServer();
    const [script = '', mode = ''] = config.args ?? [];
    const servers = { fixture: { ...config, args: [`\${SCRIPT}`, mode] } };
    const tools = openTools(parseMcpConfig(servers, { expandVariables: { SCRIPT: script } }));
    expect(await call(tools, 'echo', { text: 'here' })).toEqual({ type: 'text', value: 'echo here' });
  });
});
