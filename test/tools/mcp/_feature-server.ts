import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { bundleServer } from './_bundled-server.js';
import { temporaryFolder } from './_fixture-server.js';

const source = fileURLToPath(new URL('_feature-server.mjs', import.meta.url));

export interface FeatureServer {
  readonly config: McpServerConfig;
  /** Returns the recorded events of the server. */
  journal(): Promise<string[]>;
}

interface FeatureServerOptions {
  readonly era?: 'dual' | 'modern' | 'legacy';
  readonly transport?: 'stdio' | 'http';
  readonly env?: Readonly<Record<string, string>>;
}

/** Creates a server with resources, prompts and completions. Over HTTP, it is started and stopped with the test. */
export async function featureServer({
  era = 'dual',
  transport = 'stdio',
  env = {},
}: FeatureServerOptions = {}): Promise<FeatureServer> {
  const file = path.join(await temporaryFolder(), 'journal.txt');
  const journal = async () =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line !== '');
  const args = [bundleServer(source), era, transport];
  const variables = { FEATURE_JOURNAL: file, ...env };
  if (transport === 'stdio') return { config: { command: process.execPath, args, env: variables }, journal };

  const server = spawn(process.execPath, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  return { config: { url }, journal };
}
