import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { McpServers, McpTools, McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { call, fixtureServer, isAlive, namesOf, startedPid, until } from './_fixture-server.js';

beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'));
afterEach(() => void vi.unstubAllEnvs());

/** Evaluates the package again, as a development server does, and creates the tools of its module. */
async function evaluate(servers: McpServers, options?: McpToolsOptions): Promise<McpTools> {
  vi.resetModules();
  const { createMcpTools } = await import('../../../src/tools/mcp/index.js');
  const tools = createMcpTools(servers, options);
  onTestFinished(() => tools.close());
  return tools;
}

const startsOf = async (journal: () => Promise<string[]>) =>
  (await journal()).filter(entry => entry.startsWith('start')).length;

it('keeps one process for five evaluations of a module, until the last one closes', async () => {
  const { config, journal } = await fixtureServer();
  const evaluations: McpTools[] = [];
  for (let edit = 0; edit < 5; edit++) {
    const tools = await evaluate({ fixture: config });
    expect(await namesOf(tools)).toContain('echo');
    evaluations.push(tools);
  }
  const [newest] = evaluations.slice(-1);
  for (const old of evaluations.slice(0, -1)) await old.close();
  if (newest === undefined) throw new Error('Expected an evaluation.');
  expect(await call(newest, 'echo', { text: 'still here' })).toMatchObject({ value: 'echo still here' });
  expect(await startsOf(journal)).toBe(1);
  const pid = await startedPid(journal);
  await newest.close();
  await until(async () => !(await isAlive(pid)));
});

it('reports a failed call of a process that another evaluation has started', async () => {
  const { config } = await fixtureServer();
  await evaluate({ fixture: config }).then(namesOf);
  const tools = await evaluate({ fixture: config });
  await namesOf(tools);
  await expect(call(tools, 'crash')).resolves.toMatchObject({
    type: 'error-text',
    value: expect.stringContaining('closed the connection (exit code 5)'),
  });
});

it('never shares a process between different values', async () => {
  const { config, journal } = await fixtureServer();
  const withKey = (key: string) => ({ fixture: { ...config, env: { ...config.env, KEY: key } } });
  await namesOf(await evaluate(withKey('a')));
  await namesOf(await evaluate(withKey('b')));
  await namesOf(await evaluate(withKey('b'), { onLog: () => {} }));
  expect(await startsOf(journal)).toBe(3);
});

it('shares nothing in production', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const { config, journal } = await fixtureServer();
  await namesOf(await evaluate({ fixture: config }));
  await namesOf(await evaluate({ fixture: config }));
  expect(await startsOf(journal)).toBe(2);
});
