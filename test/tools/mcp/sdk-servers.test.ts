import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleServer } from './_bundled-server.js';
import { call, namesOf, openTools, temporaryFolder, until } from './_fixture-server.js';

const source = fileURLToPath(new URL('_growing-server.mjs', import.meta.url));

describe.each(['v1', 'v2'])('a process on SDK %s', sdk => {
  async function start() {
    const journal = path.join(await temporaryFolder(), 'journal.txt');
    const args = [bundleServer(source), sdk];
    const config = { command: process.execPath, args, env: { GROWING_JOURNAL: journal } };
    const count = async (method: string) => (await readFile(journal, 'utf8')).split(method).length - 1;
    return { config, count };
  }

  it('announces a new tool, which the next listing offers', async () => {
    const { config, count } = await start();
    const tools = openTools({ server: config });
    expect(await namesOf(tools)).not.toContain('added');
    if (sdk === 'v2') await until(async () => (await count('subscriptions/listen')) === 1);
    await call(tools, 'grow');
    await until(async () => (await namesOf(tools)).includes('added'));
    expect(await namesOf(tools)).toContain('added');
    expect(await count('tools/list')).toBe(2);
  });

  it('receives the trace context and returns its metadata to the host', async () => {
    const { config } = await start();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const tools = openTools({ server: config }, { requestMeta: () => ({ traceparent }) });
    const { value, mcp } = await call(tools, 'show-meta').then(output => ({ mcp: undefined, ...output }));
    expect(JSON.parse(String(value))).toMatchObject({ traceparent });
    expect(mcp).toEqual({ _meta: { 'example.com/cost': 3 } });
  });

  it('sends log messages of the requested level', async () => {
    const { config } = await start();
    const messages: unknown[] = [];
    const tools = openTools(
      { server: config },
      { logLevel: 'warning', onLog: ({ data }) => void messages.push(data) },
    );
    await namesOf(tools);
    await call(tools, 'log');
    await until(() => messages.length > 0);
    expect(messages).toEqual(['a warning']);
  });
});
