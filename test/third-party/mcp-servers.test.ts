import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { createUniqueIds } from '../../src/core/shared/unique-ids.js';
import type { JSONSchema7 } from '@ai-sdk/provider';
import { beforeAll, describe, expect, it } from 'vitest';
import { runForJson } from '../testing/command/_command.js';
import { samplesOf } from './_samples.js';
import { measureSearch, missedTasks } from './_tool-search.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(folder, '../..');
const guide = path.join(folder, 'README.md');
const isInstalled = existsSync(path.join(folder, 'node_modules'));
if (!isInstalled) {
  const reason = 'test/third-party is not installed: npm ci --ignore-scripts --prefix test/third-party';
  if (process.env.THIRD_PARTY === 'required') throw new Error(reason);
  console.warn(`The MCP servers of others are not tested: ${reason}`);
}

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly state: 'ok' | 'repaired' | 'left out';
  readonly problem?: string;
  readonly warnings?: readonly string[];
  readonly inputSchema: object;
  readonly sentSchema: object;
}

interface Server {
  readonly name: string;
  readonly state: string;
  readonly error?: string;
  readonly tools: readonly Tool[];
}

/** Values that no server sends anywhere before a call. */
const env = Object.fromEntries(
  [
    'AIRTABLE_API_KEY CURRENTS_API_KEY FIRECRAWL_API_KEY GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_PERSONAL_ACCESS_TOKEN',
    'GOOGLE_MAPS_API_KEY NOTION_TOKEN PERPLEXITY_API_KEY PRIVATE_APP_ACCESS_TOKEN SLACK_BOT_TOKEN SLACK_TEAM_ID',
    'TAVILY_API_KEY',
  ].flatMap(names => names.split(' ').map(name => [name, 'a-key-without-a-use'])),
);

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/server-filesystem': [root],
  '@modelcontextprotocol/server-postgres': ['postgresql://127.0.0.1:9/none'],
};

/** Returns the version and the program of an installed package. */
function readPackage(name: string, installed: string) {
  const place = path.join(installed, 'node_modules', name);
  const { version, bin } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  return {
    version,
    program: path.join(place, typeof bin === 'string' ? bin : String(Object.values(bin)[0])),
  };
}

function listPackages(): { name: string; installed: string }[] {
  const { devDependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return [
    ...Object.keys(devDependencies)
      .filter(name => name !== 'ajv' && name !== '@portkey-ai/gateway')
      .map(name => ({ name, installed: folder })),
    ...['@modelcontextprotocol/server-everything', '@modelcontextprotocol/server-filesystem'].map(name => ({
      name,
      installed: root,
    })),
  ].sort((a, b) => a.name.localeCompare(b.name));
}

describe.skipIf(!isInstalled)('MCP servers of others', () => {
  let servers: Server[];
  const packages = listPackages();

  beforeAll(async () => {
    const mcpServers = Object.fromEntries(
      packages.map(({ name, installed }) => {
        const { program } = readPackage(name, installed);
        const args = [program, ...(argumentsOf[name] ?? [])];
        return [
          name,
          { command: process.execPath, args, env: { SEARXNG_URL: 'http://127.0.0.1:9', ...env } },
        ];
      }),
    );
    const temporary = mkdtempSync(path.join(tmpdir(), 'kelivo-servers-'));
    const config = path.join(temporary, 'config.json');
    writeFileSync(config, JSON.stringify({ mcpServers }));
    ({ servers } = (await runForJson(['mcp', config, '--timeout', '240'])).json);
    rmSync(temporary, { recursive: true });
  });

  it('start without a network', () => {
    const failed = servers.filter(({ state }) => state !== 'ready');
    expect(failed.map(({ name, error }) => `${name}: ${error}`)).toEqual([]);
    expect(servers.length).toBeGreaterThanOrEqual(15);
  });

  it('have no tool that is lost, but for those that only run as a task', () => {
    const lost = servers.flatMap(({ name, tools }) =>
      tools.filter(({ state }) => state === 'left out').map(tool => `${name} ${tool.problem}`),
    );
    expect(lost.filter(reason => !reason.includes('only as a task'))).toEqual([]);
  });

  it('have schemas that the API accepts as they are sent', async () => {
    const emulator = await startResponsesEmulator();
    for (const { tools } of servers) {
      for (const { name, sentSchema: parameters, state } of tools) {
        if (state === 'left out') continue;
        const response = await fetch(`${emulator.baseURL}/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'gpt-4.1',
            input: 'Hi',
            tool_choice: 'none',
            tools: [{ type: 'function', name: 'tool', parameters }],
          }),
        });
        expect({ name, status: response.status }).toEqual({ name, status: 200 });
      }
    }
    await emulator.close();
  });

  it('have schemas that keep their meaning', () => {
    const { default: Ajv } = createRequire(path.join(folder, 'package.json'))('ajv/dist/2020.js');
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
    const counts = { values: 0, accepted: 0, rejected: 0, wider: 0 };
    const wrong: string[] = [];
    for (const { name, tools } of servers) {
      for (const { name: tool, state, inputSchema, sentSchema, warnings = [] } of tools) {
        if (state === 'left out') continue;
        // References of draft 7 are resolved by both validators alike.
        const [before, after] = [inputSchema, sentSchema].map(schema =>
          ajv.compile({ ...schema, $schema: undefined, $id: undefined }),
        );
        for (const value of samplesOf(inputSchema)) {
          counts.values++;
          const [fits, stillFits] = [before(value), after(value)];
          counts[fits ? 'accepted' : 'rejected']++;
          if (fits && !stillFits) wrong.push(`${name} ${tool} forbids ${JSON.stringify(value)}`);
          if (fits || !stillFits) continue;
          counts.wider++;
          if (warnings.length === 0) wrong.push(`${name} ${tool} allows ${JSON.stringify(value)}`);
        }
      }
    }
    console.log('sample values:', counts);
    expect(wrong).toEqual([]);
    expect(counts.accepted).toBeGreaterThan(500);
    expect(counts.rejected).toBeGreaterThan(500);
  });

  it('have the tools and the repairs of the guide', () => {
    const rows = packages.map(({ name, installed }) => {
      const { tools = [] } = servers.find(server => server.name === name) ?? {};
      const repaired = tools.filter(({ state }) => state === 'repaired');
      const rules = new Set(
        repaired.map(({ problem = '' }) => problem.replace(/^In context=\([^)]*\), /, '')),
      );
      const lossy = repaired.filter(({ warnings = [] }) => warnings.length > 0).length;
      const shown = [...rules].map(rule => rule.replace(/\.$/, '')).join('; ') || '–';
      const { version } = readPackage(name, installed);
      return `| ${name} ${version} | ${tools.length} | ${shown} | ${repaired.length} | ${lossy} |`;
    });
    const total = servers.reduce((sum, { tools }) => sum + tools.length, 0);
    const table = [
      '| server | tools | rules broken | repaired | with a warning |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      `| ${packages.length} servers | ${total} | | | |`,
    ].join('\n');
    console.log(table);
    expectTable('servers', table);
  });

  it('are found by the tool search, which keeps requests small', async () => {
    const { take } = createUniqueIds();
    const tools = servers.flatMap(({ name: server, tools }) =>
      tools
        .filter(({ state }) => state !== 'left out')
        .map(({ name, description, inputSchema }) => ({
          ...{ name: take(name), server, originalName: name, inputSchema: inputSchema as JSONSchema7 },
          ...(description !== undefined && { description }),
        })),
    );
    expect(tools.length).toBeGreaterThanOrEqual(150);
    const { missed, count } = missedTasks(tools);
    const rows = [];
    for (const by of [false, 'client', 'server'] as const) rows.push(await measureSearch(tools, by));
    const table = [
      `| ${tools.length} tools are searched by | requests | kB of tools in each | input tokens of each |`,
      '| --- | --- | --- | --- |',
      ...rows,
      '',
      `Of ${count} tasks in the words of users, ${count - missed.length} have their tool among the first five results.`,
      ...missed.map(task => `- ${task}`),
    ].join('\n');
    console.log(table);
    expectTable('search', table);
  });
});

/** Compares a table with that of the guide, or writes it. */
function expectTable(name: string, table: string): void {
  const text = readFileSync(guide, 'utf8');
  const [before = '', rest = ''] = text.split(`<!-- ${name} -->\n`);
  const [, after = ''] = rest.split(`<!-- /${name} -->`);
  const written = `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`;
  if (process.env.UPDATE_TABLE === '1') writeFileSync(guide, written);
  else expect(text).toBe(written);
}
