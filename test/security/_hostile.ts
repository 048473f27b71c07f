import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { bundleScript } from '../_bundled-script.js';
import { serve, type TestServer } from '../_server.js';

export interface HostileOutcome {
  readonly error?: { name: string; message: string; isRetryable: boolean; statusCode?: number };
  readonly finishReason?: string;
  readonly parts: number;
  /** Length of the streamed text. */
  readonly characters: number;
  /** CPU time of the call in microseconds. Unlike the elapsed time, it hardly depends on other processes. */
  readonly cpuTime: number;
  /** Growth of the process at its peak, in MB. */
  readonly memory: number;
}

const script = new URL('_hostile-call.ts', import.meta.url);

/** Calls this server in a process with a heap of at most 256 MB and returns the outcome. */
export async function callHostile(
  { url }: Pick<TestServer, 'url'>,
  { settings = {}, mode = 'stream' }: { settings?: object; mode?: 'stream' | 'generate' | 'embed' } = {},
): Promise<HostileOutcome> {
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=256', await bundleScript(script), url, JSON.stringify(settings), mode],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = await exited;
  if (exitCode !== 0 || output === '') throw new Error(`exit code ${exitCode}: ${problems.slice(0, 500)}`);
  return JSON.parse(output);
}

export interface ChunkSource {
  /** Sent first. */
  readonly start?: string;
  /** Sent repeatedly; the number counts from 0. */
  readonly chunk: string | Buffer | ((number: number) => string);
  /** @default unlimited */
  readonly times?: number;
  readonly end?: string;
}

/** Writes one chunk at a time until everything is sent or the client disconnects. */
export async function writeChunks(
  output: Writable,
  { start = '', chunk, times = Number.POSITIVE_INFINITY, end = '' }: ChunkSource,
): Promise<void> {
  const closed = once(output, 'close').catch(() => {});
  output.on('error', () => {});
  if (start !== '') output.write(start);
  for (let number = 0; number < times && !output.destroyed; number++) {
    const isFree = output.write(typeof chunk === 'function' ? chunk(number) : chunk);
    if (!isFree) await Promise.race([once(output, 'drain').catch(() => {}), closed]);
  }
  if (!output.destroyed) output.end(end);
}

/** Starts a server that sends the same data to every client. */
export const serveChunks = (
  pouring: ChunkSource,
  { status = 200, contentType = 'text/event-stream' }: { status?: number; contentType?: string } = {},
): Promise<TestServer> =>
  serve(response => {
    response.writeHead(status, { 'content-type': contentType });
    return writeChunks(response, pouring);
  });
