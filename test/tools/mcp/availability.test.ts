import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { comingServer, type ComingServer, toAnswer } from './_coming-server.js';
import { call, openTools, until } from './_fixture-server.js';

async function overStdio(): Promise<ComingServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coming-server-'));
  const [script = '', pidFile = '', hangFile = ''] = ['server.mjs', 'pid', 'hangs'].map(name =>
    path.join(folder, name),
  );
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return {
    config: { command: process.execPath, args: [script] },
    absence: /could not be started: .* ended before it was ready \(exit code 1\)/,
    async start(version) {
      const answers = ['initialize', 'ping', 'tools/list', 'tools/call'].map(method => {
        const params = { protocolVersion: '2025-06-18' };
        return [method, toAnswer({ id: 0, method, params }, version)] as const;
      });
      await writeFile(
        script,
        `import { writeFileSync } from 'node:fs';
        import { createInterface } from 'node:readline';
        writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
        const answers = ${JSON.stringify(Object.fromEntries(answers))};
        createInterface({ input: process.stdin }).on('line', line => {
          const { id, method, params } = JSON.parse(line);
          if (params?.name === 'hang') writeFileSync(${JSON.stringify(hangFile)}, '');
          if (id === undefined || params?.name === 'hang') return;
          const answer = answers[method] ?? { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } };
          console.log(JSON.stringify({ ...answer, id }));
        });`,
      );
    },
    isHanging: async () => (await readdir(folder)).includes('hangs'),
    async stop() {
      await rm(script);
      process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGKILL');
    },
  };
}

const SERVERS: Readonly<Record<string, () => Promise<ComingServer>>> = {
  stdio: overStdio,
  http: () => comingServer('http'),
  sse: () => comingServer('sse'),
};

/** Returns the names that a turn gets, and its warning. */
async function takeTurn(tools: ReturnType<typeof openTools>) {
  const { tools: listed, warnings } = await tools.listTools();
  return { names: listed.map(({ name }) => name), warning: warnings.join(' ') };
}

describe.each(Object.entries(SERVERS))('a server over %s', (_, create) => {
  it('that is down at the start has its tools in the first turn after it is up', async () => {
    const server = await create();
    const tools = openTools({ s: server.config });
    for (let turn = 1; turn <= 3; turn++) {
      expect(await takeTurn(tools)).toMatchObject({
        names: [],
        warning: expect.stringMatching(server.absence),
      });
      const [status] = tools.status();
      expect(status).toMatchObject({ state: 'failed', failedAt: expect.any(Number) });
      // On a busy machine, a program takes longer to end.
      await until(() => (status?.nextAttemptAt ?? Infinity) - Date.now() <= 1000);
    }
    await server.start(1);
    expect(await takeTurn(tools)).toEqual({ names: ['tool_1', 'hang'], warning: '' });
  });

  it('that is lost between turns, and back with another version, has its new tools in the next turn', async () => {
    const server = await create();
    await server.start(1);
    const tools = openTools({ s: server.config });
    await takeTurn(tools);
    await server.stop();
    // A turn may meet it while it is down, or not.
    await call(tools, 'tool_1');
    await takeTurn(tools);
    await until(() => tools.status()[0]?.state !== 'connecting');
    await server.start(2);
    expect((await takeTurn(tools)).names).toContain('tool_2');
  });

  it('that was restarted with another version while nobody used it has its new tools in the next turn', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await create();
    await server.start(1);
    const tools = openTools({ s: server.config });
    expect((await takeTurn(tools)).names).toEqual(['tool_1', 'hang']);
    await server.stop();
    // Nothing tells a client that a server over HTTP has gone.
    if (server.config.type !== 'http') await until(() => tools.status()[0]?.state !== 'ready');
    await server.start(2);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await takeTurn(tools)).toEqual({ names: ['tool_2', 'hang'], warning: '' });
  });

  it('that is lost in a call fails the call at once, and is there for the next turn', async () => {
    const server = await create();
    await server.start(1);
    const tools = openTools({ s: server.config });
    await takeTurn(tools);
    const pending = call(tools, 'hang');
    await until(() => server.isHanging());
    await server.stop();
    expect(await pending).toMatchObject({ type: 'error-text' });
    await server.start(1);
    expect((await takeTurn(tools)).names).toContain('tool_1');
    expect(await call(tools, 'tool_1')).toMatchObject({ value: 'written' });
  });

  it('that is up again after a minute in which nobody used it has its tools in the next turn', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await create();
    const tools = openTools({ s: server.config });
    expect((await takeTurn(tools)).names).toEqual([]);
    vi.setSystemTime(Date.now() + 60_000);
    await server.start(1);
    expect(await takeTurn(tools)).toEqual({ names: ['tool_1', 'hang'], warning: '' });
  });

  it('is asked at once by `reconnect`, and other servers are not touched', async () => {
    const [server, other] = [await create(), await create()];
    await other.start(7);
    const tools = openTools({ s: server.config, other: other.config });
    await takeTurn(tools);
    const running = call(tools, 'hang');
    let hasEnded = false;
    void running.then(() => (hasEnded = true));
    expect(await tools.reconnect('s')).toMatchObject({
      name: 's',
      state: 'failed',
      error: { code: expect.stringMatching(/^mcp-/) },
    });
    await server.start(1);
    expect(await tools.reconnect('s')).toMatchObject({ name: 's', state: 'ready', error: undefined });
    expect(hasEnded).toBe(false);
    await expect(tools.reconnect('t')).rejects.toMatchObject({
      code: 'unknown-name',
      message: expect.stringMatching(/s.*other/),
    });
    expect((await tools.reconnect()).map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect(await running).toMatchObject({ type: 'error-text' });
  });
});

it('a remembered failure has its age, and the time of the next attempt', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  // Accepts connections and answers nothing.
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const tools = openTools(
    { s: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } },
    { connectTimeout: 1500 },
  );
  expect((await takeTurn(tools)).warning).toBe('MCP server "s" was not ready within 1500 ms.');
  vi.setSystemTime(Date.now() + 100);
  expect((await takeTurn(tools)).warning).toMatch(
    /^MCP server "s" was not ready within 1500 ms\. That was 1 s ago; the server is asked again in 2 s\.$/,
  );
});
