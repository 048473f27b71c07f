import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { createLineSplitter } from '../../../core/http/text-stream.js';
import type { McpStdioServerConfig } from '../config/config.js';
import type { ProcessReport } from './failures.js';
import { endProcessTree, endWithHost, hasProcessGroups, markReady } from './process-tree.js';
import { createRedactor } from '../../../core/redaction/redaction.js';
import { secretsOf } from '../auth/secrets.js';
import { once as doOnce } from '../../../core/shared/once.js';
import { toPlainText } from './untrusted-input.js';
import { WireMessages } from './wire-messages.js';
import { toError } from '../../../core/shared/errors.js';

/** A connection to a child process over its standard input and output. */
export interface StdioTransport extends Transport {
  /** The SDK recognizes a process by this member and by `stderr`. */
  readonly pid: number | null;
  /** Always null: the output is read here. */
  readonly stderr: null;
  /** Returns the exit status of the process, if it has ended, and the end of its stderr output. */
  report(): ProcessReport;
}

type Write = (text: string, onWritten: (error?: Error | null) => void) => boolean;

/** Programs that were closed before they sent a message and may be installing, by command. */
const installations = new Map<string, Promise<void>>();

const stderrTailBytes = 8 * 1024;

/** Time to wait for output that is still in the pipe and for the exit code, in milliseconds. */
const drainTime = 100;

/*
 * Replaces the stdio transport of the MCP SDK (2.4.0), because that:
 *
 * - ends only the direct child, see process-tree.ts.
 * - does not notice an exit while another process holds the output: it waits for the end of the streams.
 * - ends the connection for a message of more than 10 MiB, and copies its buffer for every chunk, which takes seconds for a
 *   large image.
 * - reports a missing working directory as a missing program.
 * - keeps an idle host alive, so that a script without `close()` never ends.
 *
 * Tests of the bare SDK: "stdio" in test/tools/mcp/sdk-corrections.test.ts. The module requires Node, so it is loaded by dynamic
 * import.
 */

/** Starts a server and communicates with it. */
export function createStdioTransport(
  config: McpStdioServerConfig,
  options: {
    /** Called for each line that the process writes to its standard error, without secrets. */
    onStderr?: (line: string) => void;
  } = {},
): StdioTransport {
  const { command, args, env, cwd } = config;
  let child: ChildProcessWithoutNullStreams | undefined;
  let isEnded = false;
  /** True if the program has sent a message. */
  let isReady = false;
  /** Number of messages that are being written. Deno does not wait for them if the process is unreferenced. */
  let writes = 0;
  let installation: { readonly key: string; readonly ended: Promise<void> } | undefined;
  let stderr = Buffer.alloc(0);
  const messages = new WireMessages();
  const close = doOnce(end);

  const transport: StdioTransport = {
    get pid() {
      return child?.pid ?? null;
    },
    stderr: null,
    start,
    send,
    close,
    report,
  };

  async function start(): Promise<void> {
    if (cwd !== undefined) await requireDirectory(cwd);
    const key = JSON.stringify([command, args, cwd, env]);
    // Two installations of one package at the same time could damage each other.
    await installations.get(key);
    if (isEnded) return;
    child = spawn(command, [...(args ?? [])], {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stdio: 'pipe',
      detached: hasProcessGroups, // creates a process group, so that all its processes can be ended together
      windowsHide: true,
    });
    endWithHost(child);
    listen(child);
    await once(child, 'spawn');
    const ended = once(child, 'exit').then(() => {
      if (installations.get(key) === ended) installations.delete(key);
    });
    installation = { key, ended };
  }

  function listen(started: ChildProcessWithoutNullStreams): void {
    const onError = (error: Error) => transport.onerror?.(error);
    const readChunk = createMessageReader({ onMessage: receive, onError, messages });

    for (const emitter of [started, started.stdin, started.stdout, started.stderr])
      emitter.on('error', onError);
    started.stdout.on('data', (chunk: Buffer) => {
      try {
        readChunk(chunk);
      } catch (error) {
        onError(toError(error));
        void close();
      }
    });
    const stderrReader = options.onStderr && createStderrReader(config, options.onStderr);
    started.stderr.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-stderrTailBytes);
      stderrReader?.push(chunk);
    });
    started.stderr.once('close', () => stderrReader?.end());
    // A grandchild may keep the output open, so the exit counts and not only the end of the streams.
    const closeSoon = () => void setTimeout(close, drainTime);
    started.once('exit', closeSoon);
    started.stdout.once('end', closeSoon);
    started.once('close', () => void close());
  }

  function receive(message: JSONRPCMessage): void {
    if (child && !isReady) markReady(child);
    isReady = true;
    if (child && !isBusy()) setKeepsHostAlive(child, false);
    transport.onmessage?.(message);
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    const target = child;
    if (!target || isEnded) throw new Error('Not connected');
    messages.sent(message);
    // An idle server does not keep its host alive, so that a script without `close()` can end, but receives a cancellation.
    if (messages.isAwaited()) setKeepsHostAlive(target, true);
    writes++;
    try {
      await promisify(target.stdin.write as Write).call(target.stdin, serializeMessage(message));
    } finally {
      writes--;
    }
    if (!isBusy()) setKeepsHostAlive(target, false);
  }

  /** Returns true while a response is awaited, or a message, such as a cancellation, is on its way to the server. */
  function isBusy(): boolean {
    return writes > 0 || messages.isAwaited();
  }

  async function end(): Promise<void> {
    isEnded = true;
    transport.onclose?.();
    if (!child) return;
    await endProcessTree(child);
    // An installation goes on, and fails if its output has no reader.
    const goesOn = !isReady && child.exitCode === null && child.signalCode === null;
    if (goesOn && installation) installations.set(installation.key, installation.ended);
    if (goesOn) return setKeepsHostAlive(child, false);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  function report(): ProcessReport {
    const { exitCode, signalCode } = child ?? {};
    const status = typeof exitCode === 'number' ? `exit code ${exitCode}` : (signalCode ?? undefined);
    return { stderr: stderr.toString('utf8'), exit: status };
  }

  return transport;
}

function setKeepsHostAlive(child: ChildProcessWithoutNullStreams, keepsAlive: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr] as const) {
    if (handle !== child && !(handle instanceof Socket)) continue;
    if (keepsAlive) handle.ref();
    else handle.unref();
  }
}

/** Rejects a missing working directory, which Node would report as a missing command. */
async function requireDirectory(path: string): Promise<void> {
  const isDirectory = await stat(path).then(
    entry => entry.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw Object.assign(new Error('no such directory'), { code: 'ENOTDIR' });
}

/** Maximum size of one message. A large image in base64 has a few tens of megabytes. */
const maxMessageBytes = 256 * 1024 * 1024;

const MESSAGE_START = '{"jsonrpc"';

/**
 * Parses the answer at the end of a line. A server that answers several calls at once can leave the beginning of one answer
 * in front of another one, for example if it dies. Within a text of a message, the quotes would be escaped.
 */
function parseEnd(line: string, cause: unknown): unknown {
  const at = line.startsWith(MESSAGE_START) ? line.lastIndexOf(MESSAGE_START) : 0;
  if (at === 0) throw cause;
  return JSON.parse(line.slice(at));
}

/**
 * Splits standard output into JSON-RPC messages, one per line.
 *
 * @returns A function that reads the next chunk and throws if a message exceeds `maxBytes`.
 */
export function createMessageReader({
  onMessage,
  onError,
  messages = new WireMessages(),
  maxBytes = maxMessageBytes,
}: {
  onMessage: (message: JSONRPCMessage) => void;
  /** Called for a line that is not a message, such as a log line on standard output. */
  onError: (error: Error) => void;
  /** @default the messages of a new connection */
  messages?: WireMessages;
  maxBytes?: number;
}): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  const lines = createLineSplitter(readLine, 'lf');

  function readLine(line: string): void {
    if (line.trim() === '') return;
    try {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch (error) {
        value = parseEnd(line, error);
      }
      const read = messages.read(value);
      if (read.length === 0) onError(new Error(`Expected a JSON-RPC message, got ${line.slice(0, 200)}`));
      for (const message of read) onMessage(message);
    } catch (error) {
      onError(toError(error));
    }
  }

  return chunk => {
    lines.push(decoder.decode(chunk, { stream: true }));
    // Each character has at least one byte.
    if (lines.bufferedLength > maxBytes)
      throw new Error(`The server sent a message of more than ${maxBytes} bytes.`);
  };
}

/** Maximum length of the part of a line that is read, in characters. */
const maxReadLength = 16 * 1024;

/**
 * Length of the end of a shortened line that is left out, in characters. A secret that the limit has cut in two is in
 * this part, and is not recognized.
 */
const unsafeLength = 4 * 1024;

/** Shorter lines of a secret with several lines occur in innocent text. */
const minSecretLineLength = 8;

/** Reads the bytes that a process writes to its standard error. */
interface StderrReader {
  push(chunk: Uint8Array): void;
  /** Emits an unfinished last line. */
  end(): void;
}

/**
 * Splits standard error into lines without secrets and terminal sequences. At most `maxReadLength` characters of a line are
 * kept, so that a server that writes no line end needs no more memory.
 */
export function createStderrReader(
  config: McpStdioServerConfig,
  onLine: (line: string) => void,
): StderrReader {
  const { redact } = createRedactor(secretsOf(config).flatMap(toLines));
  const decoder = new TextDecoder();
  const lines = createLineSplitter(emit);
  /** True while the rest of a shortened line is skipped. */
  let isSkipping = false;

  function emit(line: string): void {
    if (isSkipping) isSkipping = false;
    else show(line);
  }

  function show(line: string): void {
    const text = redact(toPlainText(line.slice(0, maxReadLength)));
    const shown = line.length > maxReadLength ? `${text.slice(0, -unsafeLength)}… (line shortened)` : text;
    if (shown.trim() === '') return;
    onLine(shown);
  }

  return {
    push(chunk) {
      lines.push(decoder.decode(chunk, { stream: true }));
      if (lines.bufferedLength <= maxReadLength) return;
      lines.end();
      isSkipping = true;
    },
    end() {
      lines.push(decoder.decode());
      lines.end();
    },
  };
}

/** Returns a secret, and its lines if it has several, such as a private key. */
const toLines = (secret: string): string[] => [
  secret,
  ...secret.split(/[\r\n]+/).filter(line => line.length >= minSecretLineLength),
];
