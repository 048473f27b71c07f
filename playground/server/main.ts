#!/usr/bin/env node
/** The web playground: `npm start` in the repository, `npx kelivo-responses-playground` elsewhere. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import envPaths from 'env-paths';
import { describeFailure } from '../shared/failure.js';
import { toPrintable } from './mcp/confirmation.js';
import { type PlaygroundOptions, startPlayground } from './playground.js';
import { splitArguments } from './server-argument.js';
import type { ServerView } from '../shared/playground-state.js';

/** In the repository, data lies beside the sources. The package is bundled. */
const isSource = import.meta.url.endsWith('.ts');
const defaultFolder = isSource
  ? fileURLToPath(new URL('../.data', import.meta.url))
  : envPaths('kelivo-responses-playground', { suffix: '' }).data;

const help = `Serves the playground on 127.0.0.1.

Usage: ${isSource ? 'npm start --' : 'npx kelivo-responses-playground'} [options] [command or URL of an MCP server]

With a command or a URL, the server is added, connected, and opened. Options of the playground stand before it:
  ${isSource ? 'npm start --' : 'npx kelivo-responses-playground'} npx -y @modelcontextprotocol/server-everything
  ${isSource ? 'npm start --' : 'npx kelivo-responses-playground'} --port 5000 https://mcp.example.com/mcp

Options:
  --port <number>   port (default: 4173, or a free port if it is in use)
  --data <folder>   folder for conversations, settings and MCP servers (default: ${isSource ? 'playground/.data' : defaultFolder})
  --help            show this help

The playground uses an emulator that needs no key until you select another endpoint. OPENAI_API_KEY is
used for OPENAI_BASE_URL, by default OpenAI.
`;

const DEFAULT_PORT = 4173;

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${describeFailure(error)}`);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<void> {
  const { own, server } = splitArguments(args);
  const { values } = parseArgs({
    args: own,
    options: { port: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const startedAt = performance.now();
  const playground = await start({
    port: readPort(values.port),
    folder: values.data ?? defaultFolder,
    ...(server !== undefined && { server }),
  });
  console.log(`The playground runs at ${playground.signInUrl}`);
  console.log(`Started in ${formatSeconds(performance.now() - startedAt)}.`);
  console.log('The URL contains a token for this start: do not share it. Press Ctrl-C to stop.');
  console.log('\nAn application with `devTools()` of `kelivo-responses/devtools` appears in its traces:');
  console.log(`KELIVO_PLAYGROUND_URL=${playground.appUrl}`);
  console.log('One that exports spans of OpenTelemetry, too:');
  console.log(playground.otlpVariables);
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => void playground.close());
  }
}

async function start({
  port,
  ...given
}: Pick<PlaygroundOptions, 'folder' | 'server'> & { port: number | undefined }) {
  const options = { ...given, environment: process.env, onServer: printServer };
  try {
    return await startPlayground({ ...options, port: port ?? DEFAULT_PORT });
  } catch (error) {
    if (!isPortInUse(error)) throw error;
    if (port !== undefined) {
      throw new Error(
        `Port ${port} is in use. Choose another port with --port, or omit --port to use a free one.`,
        { cause: error },
      );
    }
    return startPlayground(options);
  }
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Prints the end of the first attempt to connect a server, whose texts are not trusted. */
function printServer({ name, state, error, tools }: ServerView, milliseconds: number): void {
  if (state === 'disabled') return;
  const outcome = {
    ready: `connected in ${formatSeconds(milliseconds)}, ${tools.length} tools`,
    unauthorized: 'requires that you sign in, on its page',
  }[state as string];
  const text = outcome ?? `not connected after ${formatSeconds(milliseconds)}. ${error ?? ''}`;
  console.log(toPrintable(`MCP server ${JSON.stringify(name)}: ${text}`));
}

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`Expected --port to be a number from 1 to 65535, got ${JSON.stringify(text)}.`);
  }
  return port;
}
