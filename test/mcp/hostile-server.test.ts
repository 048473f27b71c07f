import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { McpStdioServerConfig } from '../../src/mcp/index.js';
import { call, fixtureServer, openTools, until } from './_fixture-server.js';

const script = fileURLToPath(new URL('_hostile-server.mjs', import.meta.url));

/** Control characters except line feeds, and characters that change the direction of text. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/u;

function hostile(mode: string): McpStdioServerConfig {
  return { command: process.execPath, args: [script, mode] };
}

it.each(['many', 'names', 'descriptions', 'schemas', 'malformed', 'results', 'flood', 'silence'])(
  'a server with hostile %s does not affect the tools of another one, and causes few, short and printable warnings',
  async mode => {
    const good = await fixtureServer();
    const tools = openTools({ hostile: hostile(mode), good: good.config });
    const { tools: listed, warnings } = await tools.listTools();
    expect(listed.map(({ name }) => name)).toContain('journal');
    expect(warnings.length).toBeLessThanOrEqual(21);
    for (const warning of warnings) {
      expect(warning.length).toBeLessThan(1000);
      expect(warning).not.toMatch(unprintable);
      expect(warning).not.toContain('\n');
    }
    const echo = ['names', 'flood', 'silence'].includes(mode) ? 'good_echo' : 'echo';
    expect(await call(tools, echo, { text: 'hi' })).toEqual({ type: 'text', value: 'echo hi' });
  },
);

describe('the list of a hostile server', () => {
  it('is truncated after a thousand tools', async () => {
    const { tools, warnings } = await openTools({ hostile: hostile('many') }).listTools();
    expect(tools).toHaveLength(1000);
    expect(warnings).toEqual([
      'MCP server "hostile" lists more than 1000 tools; only the first 1000 are used.',
    ]);
  });

  it('omits names with invisible characters, and renames tools whose names are properties of every object', async () => {
    const { tools, warnings } = await openTools({ hostile: hostile('names') }).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'hostile___proto__',
      'hostile_constructor',
      'hostile_toString',
      'echo',
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/^MCP server "hostile" offers a malformed tool \(name: /),
      `MCP server "hostile" offers the tool "${'x'.repeat(80)}…" with a name of 10000 characters.`,
      'MCP server "hostile" offers the tool "red\\u001b[31m" with invisible characters in its name.',
      'MCP server "hostile" offers the tool "two\\nlines" with invisible characters in its name.',
      'MCP server "hostile" offers the tool "turned\\u{202e}around" with invisible characters in its name.',
      `MCP server "hostile" offers the tool "${'y'.repeat(80)}…" with a name of 301 characters.`,
      expect.stringMatching(/offers a malformed tool "bad\\u001b\]0;title\\u0007" \(inputSchema: /),
    ]);
  });

  it('truncates long descriptions and removes terminal sequences', async () => {
    const { tools } = await openTools({ hostile: hostile('descriptions') }).listTools();
    expect(tools.map(({ description }) => description)).toEqual([
      `${'d'.repeat(10_000)} … (990000 more characters omitted)`,
      'Reads a file.\nThen stops.',
    ]);
  });

  it('converts schemas that would break a request, and omits tools with schemas that are too large', async () => {
    const { tools, warnings } = await openTools({ hostile: hostile('schemas') }).listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ['properties', { type: 'object', properties: { a: {} } }],
      ['required', { type: 'object', properties: {}, required: ['all'] }],
      ['nulls', { type: 'object', properties: {} }],
      ['type', { type: 'object', properties: {} }],
    ]);
    expect(warnings.map(warning => warning.slice('MCP server "hostile" offers the tool '.length))).toEqual([
      '"deep" with an input schema of more than 100 levels or 262144 characters.',
      '"wide" with an input schema of more than 100 levels or 262144 characters.',
    ]);
  });

  it('has twenty of its problems reported, and the number of the others', async () => {
    const { warnings } = await openTools({ hostile: hostile('malformed') }).listTools();
    expect(warnings).toHaveLength(21);
    expect(warnings[20]).toBe('MCP server "hostile" has 480 more malformed or missing tools.');
  });
});

describe('a result of a hostile server', () => {
  it('is omitted if it is nested too deeply', async () => {
    const output = await call(openTools({ hostile: hostile('results') }), 'deep');
    expect(JSON.stringify(output)).toContain('omitted: more than 500 levels deep');
  });

  it('is truncated if it is too large', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'huge');
    const missing = 40_000_000 - 32 * 1024 * 1024;
    expect(String(value).slice(-120)).toContain(
      `h … (${missing} characters omitted: the result is larger than 33554432 characters)`,
    );
  });

  it('is truncated if it has too many parts', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'many');
    expect(String(value).split('\n').slice(-2)).toEqual(['999', '(4000 more parts of the result omitted)']);
  });

  it('is shortened and cleaned if it is an error', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'error');
    expect(value).toMatch(/^MCP server "hostile" reported an error for tool "error": red e{496}….$/);
  });
});

it('returns results during a flood of notifications', async () => {
  let logCount = 0;
  const good = await fixtureServer();
  const tools = openTools({ hostile: hostile('flood'), good: good.config }, { onLog: () => void logCount++ });
  await tools.listTools();
  await Promise.all(Array.from({ length: 10 }, () => call(tools, 'journal')));
  // The calls have ended, and the flood has not.
  const logCountBefore = logCount;
  await until(() => logCount > logCountBefore);
  await tools.close();
});
