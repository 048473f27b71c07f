import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { endProcessTree, hasProcessGroups } from './process-tree.js';
import { endWithHost } from './end-with-host.js';
import type { McpStdioServerConfig } from './config.js';
import type { ProcessReport } from './failures.js';
import { createMessageReader } from './message-reader.js';

/** A connection to a child process over its standard input and output. */
export interface StdioTransport extends Transport {
  /** How the process ended, if it did, and what it last wrote to stderr. */
  report(): ProcessReport;
}

const stderrTailBytes = 8 * 1024;

/** How long what belongs to an end – output in the pipe, the exit code – may take, in milliseconds. */
const drainTime = 100;

/**
 * Starts a server and speaks with it. In place of the SDK's own transport, which kills the direct child
 * only, waits for a grandchild that holds its output before it notices an exit, and keeps an idle host alive.
 *
 * Loaded by dynamic import: it is the one file here that needs Node.
 */
export function createStdioTransport({ command, args, env, cwd }: McpStdioServerConfig): StdioTransport {
  let child: ChildProcessWithoutNullStreams | undefined;
  let closing: Promise<void> | undefined;
  let isEnded = false;
  let stderr = Buffer.alloc(0);
  const waiting = new Set<RequestId>();

  const transport: StdioTransport = { start, send, close, report };

  async function start(): Promise<void> {
    if (cwd !== undefined) await expectFolder(cwd);
    child = spawn(command, [...(args ?? [])], {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stdio: 'pipe',
      detached: hasProcessGroups, // a group of its own, so that all of it can be ended
      windowsHide: true,
    });
    listen(child);
    await once(child, 'spawn');
    endWithHost(child);
  }

  function listen(started: ChildProcessWithoutNullStreams): void {
    const onError = (error: Error) => transport.onerror?.(error);
    const readChunk = createMessageReader({ onMessage: receive, onError });

    for (const emitter of [started, started.stdin, started.stdout, started.stderr])
      emitter.on('error', onError);
    started.stdout.on('data', (chunk: Buffer) => {
      try {
        readChunk(chunk);
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
        void close();
      }
    });
    started.stderr.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-stderrTailBytes);
    });
    // The output may stay open in the hands of a grandchild, so the exit counts, not the end of the streams.
    const closeSoon = () => void setTimeout(close, drainTime);
    started.once('exit', closeSoon);
    started.stdout.once('end', closeSoon);
    started.once('close', () => void close());
  }

  function receive(message: JSONRPCMessage): void {
    if ('id' in message && message.id !== undefined && !('method' in message)) settle(message.id);
    transport.onmessage?.(message);
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    const target = child;
    if (!target || isEnded) throw new Error('Not connected');
    if ('method' in message && 'id' in message) {
      waiting.add(message.id);
      keepHostAlive(target, true);
    }
    await new Promise<void>((resolve, reject) => {
      target.stdin.write(serializeMessage(message), error => (error ? reject(error) : resolve()));
    });
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {};
      if (typeof requestId === 'number' || typeof requestId === 'string') settle(requestId);
    }
  }

  /** An idle server must not keep its host alive: a script that forgets `close()` still ends. */
  function settle(id: RequestId): void {
    waiting.delete(id);
    if (waiting.size === 0 && child) keepHostAlive(child, false);
  }

  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  async function end(): Promise<void> {
    isEnded = true;
    transport.onclose?.();
    if (child) await endProcessTree(child);
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
  }

  function report(): ProcessReport {
    const { exitCode, signalCode } = child ?? {};
    const status = typeof exitCode === 'number' ? `exit code ${exitCode}` : (signalCode ?? undefined);
    return { stderr: stderr.toString('utf8'), exit: status };
  }

  return transport;
}

function keepHostAlive(child: ChildProcessWithoutNullStreams, isAwaited: boolean): void {
  const streams: unknown[] = [child.stdin, child.stdout, child.stderr];
  const sockets = streams.filter(stream => stream instanceof Socket);
  for (const handle of [child, ...sockets]) {
    if (isAwaited) handle.ref();
    else handle.unref();
  }
}

/** Without this check a missing folder is reported by Node as a missing command. */
async function expectFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    entry => entry.isDirectory(),
    () => false,
  );
  if (!isFolder) throw Object.assign(new Error('no such folder'), { code: 'ENOTDIR' });
}
