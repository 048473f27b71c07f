import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { McpStdioServerConfig, McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { call, openTools, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

const script = fileURLToPath(new URL('_hostile-server.mjs', import.meta.url));

/** Control characters except line feeds, and characters that change the direction of text. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/u;

function hostile(mode: string): McpStdioServerConfig {
  return { command: process.execPath, args: [script, mode] };
}

/**
 * Starts a hostile server beside another one, checks that the tools of the other one work and that the warnings are few,
 * short and printable, and returns both.
 */
async function start(mode: string, options: McpToolsOptions = {}) {
  const { url } = await startHttpServer();
  const tools = openTools({ hostile: hostile(mode), good: { url } }, options);
  const { tools: listed, warnings } = await tools.listTools();
  expect(listed.map(({ name }) => name)).toContain('write');
  expect(warnings.length).toBeLessThanOrEqual(21);
  for (const warning of warnings) {
    expect(warning.length).toBeLessThan(1000);
    expect(warning).not.toMatch(unprintable);
    expect(warning).not.toContain('\n');
  }
  expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
  return { tools, listed: listed.filter(({ server }) => server === 'hostile'), warnings };
}

it('that does not answer is no obstacle for the tools of another one', async () => {
  expect((await start('silence')).warnings).toEqual([]);
});

describe('the list of a hostile server', () => {
  it('is truncated after a thousand tools', async () => {
    const { listed, warnings } = await start('many');
    expect(listed).toHaveLength(1000);
    expect(warnings).toEqual([
      'MCP server "hostile" lists more than 1000 tools; only the first 1000 are used.',
    ]);
  });

  it('omits names with invisible characters, and renames tools whose names are properties of every object', async () => {
    const { listed, warnings } = await start('names');
    expect(listed.map(({ name }) => name)).toEqual([
      'hostile___proto__',
      'hostile_constructor',
      'hostile_toString',
      'hostile_echo',
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
    const { listed } = await start('descriptions');
    expect(listed.map(({ description }) => description)).toEqual([
      `${'d'.repeat(10_000)} … (990000 more characters omitted)`,
      'Reads a file.\nThen stops.',
    ]);
  });

  it('converts schemas that would break a request, and omits tools with schemas that are too large', async () => {
    const { listed, warnings } = await start('schemas');
    expect(listed.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
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
    const { warnings } = await start('malformed');
    expect(warnings).toHaveLength(21);
    expect(warnings[20]).toBe('MCP server "hostile" has 480 more malformed or missing tools.');
  });
});

it('a result of a hostile server is truncated or omitted if it is too large or too deep, and cleaned if it is an error', async () => {
  const { tools } = await start('results');
  const valueOf = async (name: string) => String((await call(tools, name)).value);
  expect(JSON.stringify(await call(tools, 'deep'))).toContain('omitted: more than 500 levels deep');
  const missing = 34_000_000 - 32 * 1024 * 1024;
  expect((await valueOf('huge')).slice(-120)).toContain(
    `h … (${missing} characters omitted: the result is larger than 33554432 characters)`,
  );
  const parts = (await valueOf('many')).split('\n');
  expect(parts.slice(-2)).toEqual(['999', '(4000 more parts of the result omitted)']);
  expect(await valueOf('error')).toMatch(
    /^MCP server "hostile" reported an error for tool "error": red e{496}….$/,
  );
});

it('returns results during a flood of notifications', async () => {
  let logCount = 0;
  const { tools } = await start('flood', { onLog: () => void logCount++ });
  await Promise.all(Array.from({ length: 10 }, () => call(tools, 'write')));
  // The calls have ended, and the flood has not.
  const logCountBefore = logCount;
  await until(() => logCount > logCountBefore);
  await tools.close();
});
