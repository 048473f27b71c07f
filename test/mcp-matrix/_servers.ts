import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServerConfig } from '../../src/tools/mcp/index.js';
import { findFreePort } from '../_free-port.js';
import { bundleServer } from '../tools/mcp/_bundled-server.js';
import { referenceServerScript } from '../tools/mcp/_everything-server.js';

export type ServerName = 'SDK 1.x' | 'SDK 2.x dual' | 'SDK 2.x modern' | 'everything' | 'filesystem';
export type TransportName = 'stdio' | 'HTTP' | 'SSE';

/** One server in the configuration, and control of its process. */
export interface RunningServer {
  readonly config: McpServerConfig;
  /** The directory that the filesystem server may read, with `note.txt` and `pixel.png`. */
  readonly folder: string;
  /** Sends a signal to the process of the server. */
  signal(name: NodeJS.Signals): void;
  /** Starts the process again, on the same port. The client starts programs itself, so it does nothing for them. */
  restart(): Promise<void>;
  /** Ends all sessions on the server's side. Only for the HTTP server of SDK 1.x. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const ownScript = (name: string) => bundleServer(fileURLToPath(new URL(name, import.meta.url)));

/** Returns the script and the arguments of a server. */
function toArguments(server: ServerName, transport: TransportName, folder: string): string[] {
  const name = transport.toLowerCase();
  const commands: Record<ServerName, string[]> = {
    'SDK 1.x': [ownScript('_sdk-1-server.mjs'), name],
    'SDK 2.x dual': [ownScript('_sdk-2-server.mjs'), name, 'dual'],
    'SDK 2.x modern': [ownScript('_sdk-2-server.mjs'), name, 'modern'],
    everything: [referenceServerScript('everything'), transport === 'HTTP' ? 'streamableHttp' : name],
    filesystem: [referenceServerScript('filesystem'), folder],
  };
  return commands[server];
}

/** Prepares a server over stdio, or starts a server over HTTP as a process. */
export async function startServer(server: ServerName, transport: TransportName): Promise<RunningServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-mcp-matrix-'));
  await writeFile(path.join(folder, 'note.txt'), 'Bring milk.');
  await writeFile(path.join(folder, 'pixel.png'), Buffer.from(pixel, 'base64'));
  const args = toArguments(server, transport, folder);
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (transport === 'stdio') {
    return {
      config: { command: process.execPath, args },
      folder,
      signal: name => process.kill(findChild(args), name),
      restart: async () => {},
      forget: () => Promise.reject(new Error('Programs have no sessions.')),
      close: removeFolder,
    };
  }

  const port = await findFreePort();
  let child = await startProcess(args, port);
  const base = `http://127.0.0.1:${port}`;
  return {
    config: transport === 'SSE' ? { url: `${base}/sse`, type: 'sse' } : { url: `${base}/mcp`, type: 'http' },
    folder,
    signal: name => void child.kill(name),
    async restart() {
      await stop(child);
      child = await startProcess(args, port);
    },
    async forget() {
      await fetch(`${base}/forget`, { method: 'POST' });
    },
    async close() {
      await stop(child);
      await removeFolder();
    },
  };
}

async function startProcess(args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  await new Promise<void>((done, fail) => {
    child.once('exit', () => fail(new Error(`The server ended: ${output}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (/listening|running on/i.test(output)) done();
    });
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Returns the process that the client started with these arguments. */
export function findChild(args: readonly string[]): number {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const found = lines.split('\n').find(line => line.includes(`${process.execPath} ${args.join(' ')}`));
  if (found === undefined) throw new Error(`No process was started with ${args.join(' ')}:\n${lines}`);
  return Number.parseInt(found, 10);
}
