import { describe, expect, it } from 'vitest';
import { parseMcpConfig } from '../../../src/tools/mcp/index.js';
import { validateMcpServers } from '../../../src/tools/mcp/config.js';
import { call, fixtureServer, openTools } from './_fixture-server.js';

const expandVariables = { TOKEN: 'abc', 'env:HOST': 'mcp.example.com', EMPTY: '' };

function expand(config: object): unknown {
  return validateMcpServers({ one: config }, { expandVariables }).one;
}

describe('variables', () => {
  it('are expanded in every text that makes the connection', () => {
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

  it('are written as they are behind a second dollar', () => {
    expect(expand({ command: 'sh', args: [`$\${TOKEN} $TOKEN $$ \${TOKEN}`] })).toMatchObject({
      args: [`\${TOKEN} $TOKEN $$ abc`],
    });
  });

  it('are not looked for in values', () => {
    const servers = { one: { command: `\${A}` } };
    expect(validateMcpServers(servers, { expandVariables: { A: `\${B}`, B: 'no' } })).toEqual({
      one: { command: `\${B}` },
    });
  });

  it.each(['HOME', 'PATH', 'constructor', '__proto__', ''])(
    `are an error when unknown, such as \${%s}`,
    name => {
      expect(() => expand({ command: 'x', args: ['ok', `\${${name}}`] })).toThrow(
        'Expected `args.1` of MCP server "one" to name variables of `expandVariables` only ' +
          `(TOKEN, env:HOST, EMPTY), got "\${${name}}". Add it, or write \`$\${\` for the characters themselves.`,
      );
    },
  );

  it('stay as they are without `expandVariables`', () => {
    expect(validateMcpServers({ one: { command: `\${HOME}` } })).toEqual({ one: { command: `\${HOME}` } });
  });

  it('are expanded in a file', () => {
    const json = `{"mcpServers": {"one": {"url": "\${BASE}/mcp"}}}`;
    expect(parseMcpConfig(json, { expandVariables: { BASE: 'http://localhost:1' } })).toEqual({
      one: { url: 'http://localhost:1/mcp' },
    });
  });

  it('reach the server', async () => {
    const { config } = await fixtureServer();
    const [script = '', mode = ''] = config.args ?? [];
    const tools = openTools(
      { fixture: { ...config, args: [`\${SCRIPT}`, mode] } },
      { expandVariables: { SCRIPT: script } },
    );
    expect(await call(tools, 'echo', { text: 'here' })).toEqual({ type: 'text', value: 'echo here' });
  });
});
