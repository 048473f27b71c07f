import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { UNKNOWN_OUTCOME } from '../../../src/tool-loop/durable/steps.js';
import { startWorker } from '../../durable-turns/_worker.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio, startEverythingServer } from './_everything-server.js';
import { temporaryFolder } from './_fixture-server.js';

/* Kills the process of a durable turn while a task of the reference server runs, and continues it in another process. */

const script = fileURLToPath(new URL('_task-turn.mjs', import.meta.url));

/** Starts the reference server behind a proxy that counts the calls of tools. */
async function startCountedServer() {
  const everything = await startEverythingServer('streamableHttp');
  const calls: string[] = [];
  const proxy = createServer((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? await text(request) : undefined;
      const { method, params } = JSON.parse(body ?? '{}');
      if (method === 'tools/call') calls.push(params.name);
      const names = ['content-type', 'accept', 'mcp-session-id', 'mcp-protocol-version'];
      const headers = names.flatMap(name => {
        const value = request.headers[name]?.toString();
        return value === undefined ? [] : [[name, value] as [string, string]];
      });
      const controller = new AbortController();
      response.once('close', () => controller.abort());
      const {
        status,
        headers: received,
        body: stream,
      } = await fetch(everything.config.url, {
        method: request.method ?? 'GET',
        headers,
        signal: controller.signal,
        ...(body !== undefined && { body }),
      });
      response.writeHead(status, Object.fromEntries(received));
      for await (const chunk of stream ?? []) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await everything.close();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port.');
  return { config: { url: `http://127.0.0.1:${address.port}/mcp`, type: 'http' as const }, calls };
}

/** Kills a turn when it has printed a line, and continues it. Returns what both processes have printed. */
async function killAndResume(
  server: McpServerConfig,
  {
    line,
    holds = false,
    onUnknownOutcome = 'refuse',
  }: { line: string; holds?: boolean; onUnknownOutcome?: string },
): Promise<{ first: string[]; second: string[]; output: unknown }> {
  const emulator = await startEmulator();
  emulator.enqueue([{ call: 'simulate-research-query', arguments: { topic: 'tea' } }], [{ text: 'Done.' }]);
  const options = {
    ...{ baseURL: emulator.baseURL, server, onUnknownOutcome },
    path: path.join(await temporaryFolder(), 'journal.db'),
  };
  // Node 22 prints a warning for `node:sqlite`.
  const env = { NODE_NO_WARNINGS: '1' };
  const start = (more: object) =>
    startWorker(process.execPath, [script, JSON.stringify({ ...options, ...more })], { env });
  const first = start({ holds });
  await first.untilPrinted(line);
  await first.kill();
  const second = start({});
  await second.untilEnd();
  expect(emulator.requests).toHaveLength(2);
  const { input } = emulator.requests[1]?.body as { input: { type: string; output: unknown }[] };
  const output = input.find(({ type }) => type === 'function_call_output')?.output;
  return { first: first.lines(), second: second.lines(), output };
}

it('waits for the task of a killed process over HTTP: one call, and its result', async () => {
  const { config, calls } = await startCountedServer();
  const { first, second, output } = await killAndResume(config, { line: 'progress ' });
  expect(first.slice(0, 2)).toEqual(['call', 'task']);
  expect(second).not.toContain('call');
  expect(output).toContain('Research Report: tea');
  expect(second.at(-1)).toBe('Done.');
  expect(calls).toEqual(['simulate-research-query']);
});

it('reports an unknown outcome if the process was killed before it had recorded the task, and calls once', async () => {
  const { config, calls } = await startCountedServer();
  const { second, output } = await killAndResume(config, { line: 'task', holds: true });
  expect(second).not.toContain('call');
  expect(output).toContain(UNKNOWN_OUTCOME);
  expect(calls).toEqual(['simulate-research-query']);
});

it.each([
  ['refuse', UNKNOWN_OUTCOME, 0],
  ['run', 'Research Report: tea', 1],
])(
  'over stdio, the task ends with its process, and the policy %s decides',
  async (policy, expected, count) => {
    const { first, second, output } = await killAndResume(everythingOverStdio(), {
      line: 'progress ',
      onUnknownOutcome: policy,
    });
    expect(first.filter(line => line === 'call')).toHaveLength(1);
    expect(second.filter(line => line === 'call')).toHaveLength(count);
    expect(output).toContain(expected);
    expect(second.at(-1)).toBe('Done.');
  },
);
