import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../tools/mcp/_fixture-server.js';
import { findFreePort } from '../_free-port.js';
import { recipes } from './_recipes.js';

export interface RestateServer {
  /** Address at which turns are started. */
  readonly ingress: string;
  /** Registers the worker at an address. */
  register(uri: string): Promise<void>;
  /** Returns the invocations that have not ended, with their last failures. */
  unfinished(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the server of the recipe with its configuration, on free local ports and with data in a temporary folder. */
export async function startRestateServer(): Promise<RestateServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-restate-'));
  const [node, admin, ingress] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const recipe = await readFile(path.join(recipes.restate, 'restate.toml'), 'utf8');
  const config = path.join(folder, 'restate.toml');
  await writeFile(
    config,
    [
      `bind-address = "127.0.0.1:${node}"`,
      recipe.replace('./restate-data', path.join(folder, 'data')),
      `[admin]\nbind-address = "127.0.0.1:${admin}"`,
      `[ingress]\nbind-address = "127.0.0.1:${ingress}"\n`,
    ].join('\n'),
  );
  const program = path.join(recipes.restate, 'node_modules/.bin/restate-server');
  const child = spawn(program, ['--config-file', config], { stdio: 'ignore', detached: true });
  const exit = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      const response = await fetch(`http://127.0.0.1:${admin}/health`).catch(() => undefined);
      return response?.ok === true;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    async register(uri) {
      const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri, force: true }),
      });
      if (!response.ok) throw new Error(`Restate did not accept the worker: ${await response.text()}`);
    },
    async unfinished() {
      const response = await fetch(`http://127.0.0.1:${admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          query:
            "select target, status, retry_count, last_failure from sys_invocation where status <> 'completed'",
        }),
      });
      return response.text();
    },
    stop,
  };
}
