import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { bundleServer } from './_bundled-server.js';
import { temporaryFolder } from './_fixture-server.js';

const source = fileURLToPath(new URL('_dual-server.mjs', import.meta.url));

export interface DualServer {
  readonly config: McpServerConfig;
  /** Returns the recorded events of the server. */
  journal(): Promise<string[]>;
}

/** Creates a server of version 2 of the SDK over stdio. `era` is the revisions that it speaks: `dual`, or only `modern`. */
export async function dualServer({
  era = 'modern',
  env = {},
}: { era?: 'dual' | 'modern'; env?: Record<string, string> } = {}): Promise<DualServer> {
  const file = path.join(await temporaryFolder(), 'journal.txt');
  return {
    config: {
      command: process.execPath,
      args: [bundleServer(source), 'stdio', era],
      env: { DUAL_JOURNAL: file, ...env },
    },
    journal: () => readLines(file),
  };
}

/**
 * Returns a function that gives a test the server over HTTP that the tests of a file share, because its start is slow. Its
 * journal has the events since then. Call it at the top of the file.
 */
export function shareDualServer(): () => Promise<DualServer> {
  let folder = '';
  let server: Awaited<ReturnType<typeof startHttp>> | undefined;
  const file = (): string => path.join(folder, 'journal.txt');
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kelivo-dual-'));
    server = await startHttp({ DUAL_JOURNAL: file() });
  });
  afterAll(async () => {
    server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return async () => {
    const { length: former } = await readLines(file());
    return {
      config: { type: 'http', url: server?.url ?? '' },
      journal: async () => (await readLines(file())).slice(former),
    };
  };
}

const readLines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line !== '');

async function startHttp(env: Record<string, string>): Promise<{ readonly url: string; stop(): void }> {
  const child = spawn(process.execPath, [bundleServer(source), 'http', 'modern'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => void child.kill() };
}
