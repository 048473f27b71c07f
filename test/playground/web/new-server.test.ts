import { describe, expect, it } from 'vitest';
import { addServers } from '../../../playground/web/mcp/new-server.js';

const add = (source: string, { config = '', name = '', values = '' } = {}): unknown =>
  (JSON.parse(addServers(config, { source, name, values }).config) as { mcpServers: unknown }).mcpServers;

describe('a new server', () => {
  it('is read from a URL with headers', () => {
    expect(add('https://mcp.linear.app/sse', { values: 'Authorization: Bearer a:b\n\nX-Team: 7' })).toEqual({
      linear: { url: 'https://mcp.linear.app/sse', headers: { Authorization: 'Bearer a:b', 'X-Team': '7' } },
    });
    expect(add(' http://127.0.0.1:8000/mcp ')).toEqual({ server: { url: 'http://127.0.0.1:8000/mcp' } });
    expect(add('http://localhost:1/mcp', { name: ' mine ' })).toEqual({
      mine: { url: 'http://localhost:1/mcp' },
    });
  });

  it('is read from a pasted command line with quotes and variables', () => {
    const line = `KEY=a=b npx -y @modelcontextprotocol/server-filesystem@1.2 "/home/ada/My \\"files\\"" 'a b'c d\\ e`;
    expect(add(line, { values: 'LEVEL=debug' })).toEqual({
      filesystem: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem@1.2', '/home/ada/My "files"', 'a bc', 'd e'],
        env: { KEY: 'a=b', LEVEL: 'debug' },
      },
    });
    expect(add('uvx mcp-server-git')).toEqual({ git: { command: 'uvx', args: ['mcp-server-git'] } });
    expect(add('/usr/bin/node /home/ada/server-files/dist/index.js stdio')).toHaveProperty('files');
    expect(add('node')).toHaveProperty('node');
    expect(add('/opt/tools/search.py --fast')).toEqual({
      search: { command: '/opt/tools/search.py', args: ['--fast'] },
    });
  });

  it('is read from JSON of every common shape', () => {
    const server = { command: 'npx', args: ['a'] };
    const named = { files: server };
    for (const json of [{ mcpServers: named }, { servers: named }, named])
      expect(add(JSON.stringify(json))).toEqual(named);
    expect(add('"files": { "command": "npx", "args": ["a"] },')).toEqual(named);
    expect(add(JSON.stringify(server), { name: 'files' })).toEqual(named);
    expect(add(JSON.stringify({ mcpServers: named }), { name: 'other' })).toEqual({ other: server });
  });

  it('keeps the others and the rest of the configuration, and gets another name if its own is taken', () => {
    const config = JSON.stringify({ note: 1, mcpServers: { git: { url: 'http://localhost:1' } } });
    const changed = addServers(config, { source: 'uvx mcp-server-git', name: '', values: '' });

    expect(changed.names).toEqual(['git-2']);
    expect(JSON.parse(changed.config)).toEqual({
      note: 1,
      mcpServers: {
        git: { url: 'http://localhost:1' },
        'git-2': { command: 'uvx', args: ['mcp-server-git'] },
      },
    });
    expect(Object.keys(add('npx x', { name: '__proto__' }) as object)).toEqual(['__proto__']);
  });

  it.each([
    ['npx "a', 'a quote that is not closed'],
    ['KEY=value', 'Expected a URL, a command line, or JSON'],
    ['https://', 'Expected a URL, got https://.'],
    ['{ "a": 1 }', 'Expected servers with a command or a URL'],
    ['{ "a": }', 'Line 1, column 8'],
  ])('is rejected with the reason: %s', (source, reason) => {
    expect(() => add(source)).toThrow(reason);
  });

  it('is rejected with the reason if its values or the configuration cannot be read', () => {
    expect(() => add('npx a', { values: 'nothing' })).toThrow('got “nothing”');
    expect(() => add('npx a', { config: '{\n"a' })).toThrow(
      'The configuration is not valid. Expected JSON. Line 2',
    );
    expect(() => add('npx a', { config: '[]' })).toThrow('not an object');
  });
});
