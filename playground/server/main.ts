#!/usr/bin/env node
/** The web playground: `npm start` in the repository, `npx kelivo-responses-playground` elsewhere. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import envPaths from 'env-paths';
import { describeFailure } from '../shared/failure.js';
import { startPlayground } from './playground.js';

/** In the repository, data lies beside the sources. The package is bundled. */
const isSource = import.meta.url.endsWith('.ts');
const defaultFolder = isSource
  ? fileURLToPath(new URL('../.data', import.meta.url))
  : envPaths('kelivo-responses-playground', { suffix: '' }).data;

const help = `Serves the playground on 127.0.0.1.

Usage: ${isSource ? 'npm start --' : 'npx kelivo-responses-playground'} [options]

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
  const { values } = parseArgs({
    args,
    options: { port: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const playground = await start({ port: readPort(values.port), folder: values.data ?? defaultFolder });
  console.log(`The playground runs at ${playground.signInUrl}`);
  console.log('The URL contains a token for this start: do not share it. Press Ctrl-C to stop.');
  console.log('\nAn application with `devTools()` of `kelivo-responses/devtools` appears in its traces:');
  console.log(`KELIVO_PLAYGROUND_URL=${playground.appUrl}`);
  console.log('One that exports spans of OpenTelemetry, too:');
  console.log(playground.otlpVariables);
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => void playground.close());
  }
}

async function start({ port, folder }: { port: number | undefined; folder: string }) {
  const options = { folder, environment: process.env };
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
