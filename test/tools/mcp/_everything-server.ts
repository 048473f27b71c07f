import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll } from 'vitest';
import {
  createMcpTools,
  type McpHttpServerConfig,
  type McpStdioServerConfig,
  type McpTools,
} from '../../../src/tools/mcp/index.js';
import { findFreePort } from '../../_free-port.js';
import { bundleServer } from './_bundled-server.js';

const resolve = createRequire(import.meta.url).resolve;

export interface EverythingServer {
  readonly config: McpHttpServerConfig;
  close(): Promise<void>;
}

/** Returns the script of a reference server. Reference servers are development dependencies. */
export function referenceServerScript(name: 'everything' | 'filesystem'): string {
  const dist = path.join(path.dirname(resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist');
  // The server finds its documents beside its modules.
  const directory = path.join(dist, 'resources');
  return bundleServer(
    path.join(dist, 'index.js'),
    path.join(`server-${name}`, 'dist', 'index.js'),
    directory,
  );
}

/** Returns the reference server with all features as a child process of the client. */
export function everythingOverStdio(): McpStdioServerConfig {
  return { command: process.execPath, args: [referenceServerScript('everything')] };
}

/**
 * Returns the tools of the reference server, which the tests of a file share, because its start is slow. A provider that
 * closes them does not end it. Call it at the top of the file.
 */
export function shareEverythingTools(): McpTools {
  const tools = createMcpTools({ everything: everythingOverStdio() });
  afterAll(() => tools.close());
  return { ...tools, close: async () => {} };
}

/** Starts the reference server with all features as an HTTP server on the given port, or on a free one. */
export async function startEverythingServer(
  transport: 'streamableHttp' | 'sse',
  { port }: { port?: number } = {},
): Promise<EverythingServer> {
  const usedPort = port ?? (await findFreePort());
  const server = spawn(process.execPath, [referenceServerScript('everything'), transport], {
    env: { ...process.env, PORT: String(usedPort) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilListening(server);
  const config: McpHttpServerConfig =
    transport === 'sse'
      ? { url: `http://127.0.0.1:${usedPort}/sse`, type: 'sse' }
      : { url: `http://127.0.0.1:${usedPort}/mcp`, type: 'http' };
  return {
    config,
    async close() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill('SIGKILL');
      await once(server, 'exit');
    },
  };
}

async function untilListening(server: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((done, fail) => {
    server.once('exit', () => fail(new Error(`The everything server ended: ${output}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (/listening|running on/i.test(output)) done();
    });
  });
}
