import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../src/mcp/index.js';
import { bundleServer } from './_bundled-server.js';
import { temporaryFolder } from './_fixture-server.js';

const source = fileURLToPath(new URL('_dual-server.mjs', import.meta.url));

export interface DualServer {
  readonly config: McpServerConfig;
  /** Returns the recorded events of the server. */
  journal(): Promise<string[]>;
}

/** Starts a server of version 2 of the SDK. `era` is the revisions that it speaks: `dual`, or only `modern`. */
export async function dualServer(
  transport: 'stdio' | 'http',
  { era = 'modern', env = {} }: { era?: 'dual' | 'modern'; env?: Record<string, string> } = {},
): Promise<DualServer> {
  const file = path.join(await temporaryFolder(), 'journal.txt');
  const args = [bundleServer(source), transport, era];
  const ownEnv = { DUAL_JOURNAL: file, ...env };
  return {
    config:
      transport === 'stdio'
        ? { command: process.execPath, args, env: ownEnv }
        : { type: 'http', url: await startHttp(args, ownEnv) },
    journal: async () =>
      (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line !== ''),
  };
}

async function startHttp(args: string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}
