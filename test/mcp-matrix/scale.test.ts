import { execFileSync } from 'node:child_process';
import { generateText } from 'ai';
import { expect, it, onTestFinished } from 'vitest';
import { objectsOf, isPlainObject, type PlainObject } from '../../src/core/shared/json.js';
import { startEmulator } from '../../src/testing/emulator.js';
import type { ScriptedItem } from '../../src/testing/index.js';
import type { Route } from '../../src/testing/routes.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createMcpTools, type McpServers } from '../../src/tools/mcp/index.js';
import { isAlive, until } from '../tools/mcp/_fixture-server.js';
import { startServer } from './_servers.js';

// Tests check warnings, so they are not logged.
globalThis.AI_SDK_LOG_WARNINGS = false;

const turnCount = 100;
const turns = Array.from({ length: turnCount }, (_, turn) => turn);

/** Every fifth turn also calls the tool that ends the process of its server. */
const crashes = (turn: number) => turn % 5 === 0;

it('answers 100 concurrent turns with 20 servers, of which one is mute and one crashes', async () => {
  const servers = await startServers();
  const healthy = Object.keys(servers).filter(name => !['mute', 'crashing'].includes(name));
  expect(Object.keys(servers)).toHaveLength(20);

  const before = children();
  // If a turn waited for the mute server to start, the test would time out.
  const tools = createMcpTools(servers, {
    startupTimeout: 1000,
    toolNames: 'prefixed',
  });
  onTestFinished(() => tools.close());
  const stateOf = (name: string) => tools.status().find(status => status.name === name)?.state;
  await until(async () => {
    await tools.listTools();
    return [...healthy, 'crashing'].every(name => stateOf(name) === 'ready');
  });

  const calledBy = (turn: number) =>
    [0, 7, 13].map(offset => healthy[(turn + offset) % healthy.length] ?? '');
  const emulator = await startEmulator({ rules: 'none' }, { routes: [respondWith(calledBy)] });
  onTestFinished(() => emulator.close());
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, mcpServers: tools });
  const texts = await Promise.all(
    turns.map(async turn => {
      const prompt = `Work on turn ${turn}.`;
      return (await generateText({ model: provider('gpt-5'), prompt, maxRetries: 0 })).text;
    }),
  );

  for (const turn of turns) {
    const outputs = texts[turn]?.split('\n') ?? [];
    expect(outputs.slice(0, 3)).toEqual(calledBy(turn).map(server => `${server}: echo ${turn} of ${server}`));
    // The model reads that the server has ended, or that it may not be started again for some time.
    const crashed = expect.stringMatching(
      /^crashing: \{"error":"MCP server \\"crashing\\" (closed the connection|ended unexpectedly)/,
    );
    expect(outputs.slice(3)).toEqual(crashes(turn) ? [crashed] : []);
  }
  expect(stateOf('mute')).toBe('connecting');

  const started = children().filter(pid => !before.includes(pid));
  expect(started.length).toBeGreaterThanOrEqual(7);
  await provider.close();
  await tools.close();
  for (const pid of started) await until(async () => !(await isAlive(pid)));
});

/** Returns 20 servers: processes and HTTP servers of both SDKs, a mute one and one that crashes. */
async function startServers(): Promise<McpServers> {
  const start = async (...[server, transport]: Parameters<typeof startServer>) => {
    const running = await startServer(server, transport);
    onTestFinished(() => running.close());
    return running.config;
  };
  const [first, modern, dual, ...web] = [
    await start('SDK 1.x', 'stdio'),
    await start('SDK 2.x modern', 'stdio'),
    await start('SDK 2.x dual', 'stdio'),
    await start('SDK 1.x', 'HTTP'),
    await start('SDK 2.x modern', 'HTTP'),
    await start('SDK 2.x dual', 'HTTP'),
  ] as const;
  // It may be installing a package, so it is not killed, and sees the end of its input.
  const mute = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const programs = {
    first,
    modern,
    dual,
    'first-again': first,
    'modern-again': modern,
    crashing: dual,
    mute,
  };
  // Each URL is a separate server and connection.
  const urls = Array.from({ length: 13 }, (_, index) => {
    const config = web[index % web.length];
    if (config === undefined || !('url' in config)) throw new Error('Expected a server with a URL.');
    return [`web-${index}`, { ...config, url: `${config.url}?server=${index}` }];
  });
  // Servers with the same configuration would share a process.
  const processes = Object.entries(programs).map(([name, config]) => [
    name,
    { ...config, env: { NAME: name } },
  ]);
  return Object.fromEntries([...processes, ...urls]) as McpServers;
}

/** Returns a model that calls the tools of a turn in one response, and then repeats their outputs. */
function respondWith(calledBy: (turn: number) => readonly string[]): Route {
  return ({ method, body }, { queue }) => {
    if (method !== 'POST' || !isPlainObject(body)) return undefined;
    const items = objectsOf(body.input);
    const turn = Number(/turn (\d+)/.exec(JSON.stringify(items[0]))?.[1]);
    const results = items.filter(({ type }) => type === 'function_call_output');
    queue.splice(0, queue.length, results.length === 0 ? toCalls(turn) : [{ text: toText(items, results) }]);
    return undefined;
  };

  function toCalls(turn: number): readonly ScriptedItem[] {
    const echoes = calledBy(turn).map((server, index) => ({
      call: `${server}_echo`,
      callId: `call_${turn}_${index}`,
      arguments: { text: `${turn} of ${server}` },
    }));
    const crash = { call: 'crashing_crash', callId: `call_${turn}_crash`, arguments: {} };
    return crashes(turn) ? [...echoes, crash] : echoes;
  }
}

/** Returns one line for each output: the server and the text. */
function toText(items: readonly PlainObject[], results: readonly PlainObject[]): string {
  return results
    .map(({ call_id, output }) => {
      const call = items.find(item => item.type === 'function_call' && item.call_id === call_id);
      return `${String(call?.name).replace(/_(echo|crash)$/, '')}: ${String(output)}`;
    })
    .join('\n');
}

/** Returns the processes that this process has started. */
function children(): number[] {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return lines
    .split('\n')
    .filter(line => line.trim() !== '' && !line.includes(' ps -o '))
    .map(line => Number.parseInt(line, 10));
}
