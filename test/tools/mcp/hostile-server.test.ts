import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { McpStdioServerConfig } from '../../../src/tools/mcp/index.js';
import { call, fixtureServer, namesOf, openTools } from './_fixture-server.js';

const script = fileURLToPath(new URL('_hostile-server.mjs', import.meta.url));

/** Control characters but for line ends, and characters that turn text around. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/u;

function hostile(mode: string): McpStdioServerConfig {
  return { command: process.execPath, args: [script, mode] };
}

async function openBeside(mode: string) {
  const good = await fixtureServer();
  return openTools({ hostile: hostile(mode), good: good.config });
}

describe.each(['many', 'names', 'descriptions', 'schemas', 'malformed', 'results', 'flood'])(
  'a server that is hostile by its %s',
  mode => {
    it('leaves the tools of another server alone', async () => {
      const tools = await openBeside(mode);
      expect(await namesOf(tools)).toContain('journal');
      const echo = mode === 'names' || mode === 'flood' ? 'good_echo' : 'echo';
      expect(await call(tools, echo, { text: 'hi' })).toEqual({ type: 'text', value: 'echo hi' });
    });

    it('tells of its faults in few and printable words', async () => {
      const { warnings } = await (await openBeside(mode)).listTools();
      expect(warnings.length).toBeLessThanOrEqual(21);
      for (const warning of warnings) {
        expect(warning.length).toBeLessThan(1000);
        expect(warning).not.toMatch(unprintable);
        expect(warning).not.toContain('\n');
      }
    });
  },
);

describe('the list of a hostile server', () => {
  it('is cut after a thousand tools', async () => {
    const { tools, warnings } = await openTools({ hostile: hostile('many') }).listTools();
    expect(tools).toHaveLength(1000);
    expect(warnings).toEqual(['MCP server "hostile" lists more than 1000 tools; the first 1000 are used.']);
  });

  it('loses names that cannot be shown, and what every object has gets another', async () => {
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

  it('shows long descriptions in part and painted ones plain', async () => {
    const { tools } = await openTools({ hostile: hostile('descriptions') }).listTools();
    expect(tools.map(({ description }) => description)).toEqual([
      `${'d'.repeat(10_000)} … (990000 more characters left out)`,
      'Reads a file.\nThen stops.',
    ]);
  });

  it('loses schemas that would harm a request', async () => {
    const { tools, warnings } = await openTools({ hostile: hostile('schemas') }).listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ['nulls', { type: 'object', properties: {} }],
    ]);
    expect(warnings.map(warning => warning.slice('MCP server "hostile" offers the tool '.length))).toEqual([
      '"deep" with an input schema of more than 100 levels or 262144 characters.',
      '"wide" with an input schema of more than 100 levels or 262144 characters.',
      expect.stringMatching(/^"properties" with a faulty input schema \(properties: /),
      expect.stringMatching(/^"required" with a faulty input schema \(required: /),
      expect.stringMatching(/^"type" with an input schema of type "\\u001b\[31mt+…" in place of "object"\.$/),
    ]);
  });

  it('gets twenty of its faults told, and the number of the others', async () => {
    const { warnings } = await openTools({ hostile: hostile('malformed') }).listTools();
    expect(warnings).toHaveLength(21);
    expect(warnings[20]).toBe('MCP server "hostile" has 480 more faulty or missing tools.');
  });
});

describe('a result of a hostile server', () => {
  it('is left out where it is nested beyond measure', async () => {
    const output = await call(openTools({ hostile: hostile('results') }), 'deep');
    expect(JSON.stringify(output)).toContain('left out: more than 500 levels deep');
  });

  it('is cut where it is too large', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'huge');
    const missing = 40_000_000 - 32 * 1024 * 1024;
    expect(String(value).slice(-120)).toContain(
      `h … (${missing} characters left out: the result is larger than 33554432 characters)`,
    );
  });

  it('is cut where it has too many parts', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'many');
    expect(String(value).split('\n').slice(-2)).toEqual(['999', '(4000 more parts of the result left out)']);
  });

  it('is told in short and plain words when it is an error', async () => {
    const { value } = await call(openTools({ hostile: hostile('results') }), 'error');
    expect(value).toMatch(/^MCP server "hostile" reported an error for tool "error": red e{496}….$/);
  });
});

it('answers in time beside a flood of notifications', async () => {
  let logCount = 0;
  const good = await fixtureServer();
  const tools = openTools({ hostile: hostile('flood'), good: good.config }, { onLog: () => void logCount++ });
  await tools.listTools();
  const start = performance.now();
  await Promise.all(Array.from({ length: 10 }, () => call(tools, 'journal')));
  expect(performance.now() - start).toBeLessThan(2000);
  expect(logCount).toBeGreaterThan(0);
  await tools.close();
});
