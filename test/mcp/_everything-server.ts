import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import type { McpHttpServerConfig, McpStdioServerConfig } from '../../src/mcp/index.js';
import { findFreePort } from '../_free-port.js';

const resolve = createRequire(import.meta.url).resolve;

export interface EverythingServer {
  readonly config: McpHttpServerConfig;
  close(): Promise<void>;
}

const bundles = fileURLToPath(new URL('../test-results/scripts', import.meta.url));

/**
 * Returns a reference server as one file, which starts twice as fast as its modules. Reference servers are development
 * dependencies.
 */
export function referenceServerScript(name: 'everything' | 'filesystem'): string {
  const manifest = resolve(`@modelcontextprotocol/server-${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  // Applications name a server after the folders of its script.
  const script = path.join(bundles, version, `server-${name}`, 'dist', 'index.js');
  if (existsSync(script)) return script;
  const dist = path.join(path.dirname(manifest), 'dist');
  // Other workers may write the same file.
  const outfile = `${script}.${process.pid}`;
  buildSync({
    ...{ entryPoints: [path.join(dist, 'index.js')], outfile, bundle: true, platform: 'node', format: 'esm' },
    // Packages in the format of CommonJS call it.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    // The server finds its documents beside its modules.
    define: {
      'import.meta.url': JSON.stringify(pathToFileURL(path.join(dist, 'resources', 'index.js')).href),
    },
  });
  renameSync(outfile, script);
  return script;
}

/** Returns the reference server with all features as a child process of the client. */
export function everythingOverStdio(): McpStdioServerConfig {
  return { command: process.execPath, args: [referenceServerScript('everything')] };
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
