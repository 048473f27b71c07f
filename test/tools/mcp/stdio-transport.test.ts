import { ChildProcess, execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createMessageReader,
  createStdioTransport,
} from '../../../src/tools/mcp/transport/stdio-transport.js';
import { call, fixtureServer, isAlive, openTools, startedPid, until } from './_fixture-server.js';

describe('close', () => {
  it('waits only for the exit of a server that ends with its input', async () => {
    // While the clock stands still, no deadline passes after which a signal would be sent.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { config, journal } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await tools.listTools();
    await tools.close();
    expect((await journal()).at(-1)).toBe('end of input');
    expect(await isAlive(await startedPid(journal))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('ends the processes that the server has started', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    const pid = Number((await call(tools, 'grandchild')).value);
    expect(await isAlive(pid)).toBe(true);
    await tools.close();
    expect(await isAlive(pid)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('ends a server in a shell that ignores SIGTERM', async () => {
    const { config, journal } = await fixtureServer();
    const server = [config.command, ...(config.args ?? [])].map(word => `'${word}'`).join(' ');
    const tools = openTools({
      fixture: { ...config, command: 'sh', args: ['-c', `trap '' TERM; ${server}; sleep 60`] },
    });
    await tools.listTools();
    await tools.close();
    expect(await isAlive(await startedPid(journal))).toBe(false);
  });
});

it.skipIf(process.platform === 'win32')(
  'notices an exit although a grandchild keeps the output open',
  async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    await tools.listTools();
    expect(await call(tools, 'leave-grandchild')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('closed the connection (exit code 4)'),
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'listens for signals that end this process only if the watchdog has ended',
  async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'];
    const count = () => signals.map(signal => process.listenerCount(signal));
    const before = count();
    const [first, second] = [await fixtureServer(), await fixtureServer()];
    const tools = openTools({ first: first.config, second: second.config });
    await tools.listTools();
    expect(count()).toEqual(before);

    const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
      encoding: 'utf8',
    });
    const watchdogs = children.split('\n').filter(line => line.includes('/bin/sh -c'));
    expect(watchdogs).toHaveLength(1);
    process.kill(Number.parseInt(watchdogs[0] ?? '', 10), 'SIGKILL');
    await until(() => count().every((number, index) => number === (before[index] ?? 0) + 1));
    await tools.close();
    // Servers of earlier tests may still be ending.
    await until(() => count().every((number, index) => number === before[index]));
  },
);

it('accepts results of many megabytes', async () => {
  const { config } = await fixtureServer();
  const { value } = await call(openTools({ fixture: config }), 'big', { size: 20_000_000 });
  expect(value).toHaveLength(20_000_000);
});

it.skipIf(process.platform === 'win32')('keeps the host alive until a cancellation is written', async () => {
  // Reads nothing until it receives SIGHUP, and sends a message on SIGUSR2.
  const script =
    `const send = method => console.log(JSON.stringify({ jsonrpc: '2.0', method }));` +
    `let text = ''; process.on('SIGUSR2', () => send('notifications/other'));` +
    `process.on('SIGHUP', () => process.stdin.on('data', chunk => { text += chunk;` +
    `if (text.includes('notifications/cancelled')) send('notifications/done'); }));` +
    `setInterval(() => {}, 1000); send('notifications/ready');`;
  const transport = createStdioTransport({ command: process.execPath, args: ['-e', script] });
  onTestFinished(() => transport.close());
  const received: string[] = [];
  transport.onmessage = message => void received.push('method' in message ? message.method : '');
  await transport.start();
  const pid = transport.pid ?? 0;
  await until(() => received.includes('notifications/ready'));

  // Other runtimes than Node end while a message of an unreferenced process is being written.
  const unref = vi.spyOn(ChildProcess.prototype, 'unref');
  onTestFinished(() => unref.mockRestore());
  const isReleased = () => unref.mock.contexts.some(child => (child as ChildProcess).pid === pid);
  const text = 'x'.repeat(4_000_000); // more than a pipe holds
  const sent = Promise.all([
    transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { text } }),
    transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
  ]);
  sent.catch(() => {});
  process.kill(pid, 'SIGUSR2');
  await until(() => received.includes('notifications/other'));
  expect(isReleased()).toBe(false);
  process.kill(pid, 'SIGHUP');
  await sent;
  expect(isReleased()).toBe(true);
  await until(() => received.includes('notifications/done'));
});

describe('createMessageReader', () => {
  const messages = [
    { jsonrpc: '2.0', id: 1, result: { text: 'Grüße 🌍' } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 2 } },
  ];
  const bytes = Buffer.from(
    `${JSON.stringify(messages[0])}\r\n\nnot a message\n${JSON.stringify(messages[1])}\n`,
  );

  it.each([1, 2, 3, 7, 64, 10_000])('reads the same messages from chunks of %i bytes', size => {
    const read: unknown[] = [];
    const errors: Error[] = [];
    const push = createMessageReader({
      onMessage: message => read.push(message),
      onError: error => errors.push(error),
    });
    for (let start = 0; start < bytes.length; start += size) push(bytes.subarray(start, start + size));
    expect(read).toEqual(messages);
    expect(errors).toHaveLength(1);
  });

  it('reads an answer behind the beginning of another one, cut anywhere', () => {
    const answerOf = (id: number) => ({
      jsonrpc: '2.0' as const,
      id,
      result: { content: [{ type: 'text', text: 'says {"jsonrpc":"2.0","id":2,"result":{}}' }] },
    });
    const cut = JSON.stringify(answerOf(1));
    const start = '{"jsonrpc"'.length;
    for (let length = start; length < cut.length; length++) {
      const received: unknown[] = [];
      const push = createMessageReader({ onMessage: one => received.push(one), onError: () => {} });
      push(Buffer.from(`${cut.slice(0, length)}${JSON.stringify(answerOf(2))}\n`));
      expect(received).toEqual([answerOf(2)]);
    }
  });

  it('reads no message in a log line', () => {
    const received: unknown[] = [];
    const push = createMessageReader({ onMessage: one => received.push(one), onError: () => {} });
    push(Buffer.from(`sends ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })}\n`));
    expect(received).toEqual([]);
  });

  it('rejects a message that exceeds the limit before it is complete', () => {
    const push = createMessageReader({ onMessage: () => {}, onError: () => {}, maxBytes: 10 });
    push(Buffer.from('12345'));
    expect(() => push(Buffer.from('678901'))).toThrow('more than 10 bytes');
  });
});
