import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { installPackages } from '../_install-packages.js';
import { findNode, NODES, type NodeMajor } from '../nodes/nodes.js';
import type { TestedEntry } from './_consumer.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = path.join(folder, 'node_modules');
const execute = promisify(execFile);

/** A JavaScript runtime that runs the scenarios. */
export interface Runtime {
  readonly name: 'bun' | 'deno' | 'workerd' | `node ${NodeMajor}`;
  /** False if the runtime cannot start processes, as MCP servers over stdio require. */
  readonly startsProcesses: boolean;
  /** True if it has a WebSocket client that sends headers. */
  readonly hasWebSocket: boolean;
  /** Runs the scenarios with an entry of the package that is installed in the folder `consumer`. */
  run(entry: TestedEntry, options: object, consumer: string): Promise<Run>;
}

export interface Run {
  /** Observations by scenario. */
  readonly observed: Readonly<Record<string, unknown>>;
  /** Text that the runtime or a package printed. */
  readonly printed: string;
}

export const runtimes: readonly Runtime[] = [
  ...NODES.map((major): Runtime => ({
    name: `node ${major}`,
    startsProcesses: true,
    // Node 20 has no client of its own, and later ones send headers.
    hasWebSocket: major !== '20',
    run: (...run) => runProgram(`node ${major}`, [], ...run),
  })),
  {
    name: 'bun',
    startsProcesses: true,
    hasWebSocket: true,
    run: (...run) => runProgram('bun', ['run'], ...run),
  },
  {
    name: 'deno',
    startsProcesses: true,
    hasWebSocket: true,
    // Deno gives a program no permissions by default.
    run: (...run) => runProgram('deno', ['run', '-A'], ...run),
  },
  { name: 'workerd', startsProcesses: false, hasWebSocket: false, run: runWorker },
];

/** The versions in the lock files. */
export const versions: Readonly<Record<string, string>> = Object.fromEntries(
  runtimes.map(({ name }) => {
    const major = majorOf(name);
    const file = path.join(folder, major === undefined ? '' : '../nodes', 'package-lock.json');
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    const { version } = lock.packages[`node_modules/${major === undefined ? name : `node${major}`}`];
    return [name, version as string];
  }),
);

function majorOf(name: Runtime['name']): NodeMajor | undefined {
  return NODES.find(major => name === `node ${major}`);
}

/** Installs the locked versions unless they are installed. Returns the reason why a runtime is missing, if one is. */
export async function installRuntimes(): Promise<string | undefined> {
  const reason = (await installPackages('test/runtimes')) ?? (await findFailingProgram());
  if (reason !== undefined && process.env.RUNTIMES === 'required')
    throw new Error(`Expected all runtimes. ${reason}`);
  return reason;
}

/** Returns the error of a runtime that does not start. */
async function findFailingProgram(): Promise<string | undefined> {
  try {
    for (const { name } of runtimes) await execute(await findProgram(name), ['--version']);
    return undefined;
  } catch (error) {
    return String(error).split('\n', 8).join(' ');
  }
}

/** The package `bun` is that of its program for this machine, which needs no script. */
async function findProgram(name: Runtime['name']): Promise<string> {
  const major = majorOf(name);
  if (major === undefined) return path.join(installed, name === 'bun' ? 'bun/bin/bun' : `.bin/${name}`);
  const { program, missing } = await findNode(major);
  if (program === undefined) throw new Error(`Expected Node ${major}, got none: ${missing ?? ''}`);
  return program;
}

/** Milliseconds. A program that does not end keeps a connection, a timer or a process. */
const TIME_LIMIT = 240_000;

const toImports = ({ specifier, host }: TestedEntry): string => `
  import * as entry from '${specifier}';
  import * as host from '${host}';
  import { z } from 'zod';
  import { runScenarios } from './scenarios.mjs';
  globalThis.AI_SDK_LOG_WARNINGS = false;
`;

async function runProgram(
  name: Runtime['name'],
  args: readonly string[],
  entry: TestedEntry,
  options: object,
  consumer: string,
): Promise<Run> {
  const file = `${entry.host}-${name.replace(' ', '-')}.mjs`;
  await writeFile(
    path.join(consumer, file),
    `import process from 'node:process';
    ${toImports(entry)}
    const options = JSON.parse(process.argv[2]);
    console.log(JSON.stringify(await runScenarios(entry, host, z, options)));`,
  );
  const { stdout, stderr } = await execute(
    await findProgram(name),
    [...args, file, JSON.stringify(options)],
    {
      cwd: consumer,
      timeout: TIME_LIMIT,
      // No key or setting of the machine.
      env: { PATH: process.env.PATH, HOME: consumer },
    },
  );
  return { observed: JSON.parse(stdout), printed: stderr };
}

async function runWorker(entry: TestedEntry, options: object, consumer: string): Promise<Run> {
  const worker = await startWorker({
    consumer,
    name: `${entry.host}-workerd`,
    contents: `${toImports(entry)}
      export default {
        fetch: async request => Response.json(await runScenarios(entry, host, z, await request.json())),
      };`,
  });
  try {
    return { observed: await worker.request(options), printed: worker.printed() };
  } finally {
    worker.stop();
  }
}

interface WorkerOptions {
  readonly consumer: string;
  /** Name of the bundle. */
  readonly name: string;
  readonly contents: string;
  readonly compatibilityDate?: string;
  /** The folder of the installed workerd. */
  readonly release?: 'workerd' | 'workerd-april';
}

/** Starts a worker that answers requests with JSON. */
export async function startWorker({
  consumer,
  name,
  contents,
  compatibilityDate = '2026-11-01',
  release = 'workerd',
}: WorkerOptions) {
  const { metafile } = await build({
    absWorkingDir: consumer,
    stdin: { contents, resolveDir: consumer },
    bundle: true,
    // In one file, esbuild evaluates `zod` in the wrong order if `ai@7` and a dynamic import of the MCP SDK share it.
    splitting: true,
    metafile: true,
    outdir: name,
    format: 'esm',
    // The settings of Wrangler, the tool that bundles most workers.
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'silent',
  });
  const outputs = Object.keys(metafile.outputs);
  // The first module is the worker.
  const files = outputs.sort((a, b) => Number(b.endsWith('/stdin.js')) - Number(a.endsWith('/stdin.js')));
  const modules = files.map(file => `(name = "${path.basename(file)}", esModule = embed "${file}")`);
  const config = path.join(consumer, `${name}.capnp`);
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = .worker),
        (name = "internet", network = (allow = ["private"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (
      modules = [${modules.join(', ')}],
      compatibilityDate = "${compatibilityDate}",
    );`,
  );
  // The program of the machine. Without its install script, `bin/workerd` starts it, and passes no descriptor on.
  const { default: program } = createRequire(import.meta.url)(path.join(installed, release)) as {
    default: string;
  };
  const server = spawn(program, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  for (const output of [server.stdout, server.stderr]) {
    output?.setEncoding('utf8').on('data', (text: string) => void printed.push(text));
  }
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`workerd ended with exit code ${code}: ${printed.join('')}`);
  });
  ended.catch(() => {}); // Ended by the test, or reported below.
  const port = (await listeningPort(server.stdio[3] as NodeJS.ReadableStream)) ?? (await ended);
  const url = `http://127.0.0.1:${port}/`;
  return {
    url,
    /** Sends a request with a JSON body, and returns the JSON of the response. */
    async request(options: object) {
      const response = await fetch(url, {
        method: 'POST',
        body: JSON.stringify(options),
        signal: AbortSignal.timeout(TIME_LIMIT),
      });
      const body = await response.text();
      if (!response.ok)
        throw new Error(`Expected status 200, got ${response.status}: ${body}\n${printed.join('')}`);
      return JSON.parse(body);
    },
    printed: () => printed.join(''),
    stop: () => void server.kill('SIGKILL'),
  };
}

/** Returns undefined if the process ends first. */
async function listeningPort(control: NodeJS.ReadableStream): Promise<number | undefined> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event: string; port?: number };
    if (event === 'listen' && port !== undefined) return port;
  }
  return undefined;
}
