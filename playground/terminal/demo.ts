/** The terminal demo: `npm run demo`. */
import type { WriteStream } from 'node:tty';
import { describeFailure } from '../shared/failure.js';
import { everythingServer } from '../shared/demo-tools.js';
import { openDemo } from './setup.js';
import { printHeader } from './output.js';
import { createTurnPrinter } from './output.js';
import { type CommandLine, help, readOptions, readServers } from './options.js';
import { createTerminal } from './output.js';

/** Exit codes after a signal: 128 plus the signal number. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

const hasColours = (stream: WriteStream): boolean => stream.isTTY && !process.env.NO_COLOR;
const output = createTerminal(process.stdout, { hasColours: hasColours(process.stdout) });
const errors = createTerminal(process.stderr, { hasColours: hasColours(process.stderr) });

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  let exitCode = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // Only once, so that a second Ctrl-C terminates the process immediately.
    process.once(name, () => {
      exitCode = signalExitCodes[name];
      interruption.abort();
    });
  }
  // The reader of the output has closed the pipe, for example `head`.
  process.stdout.on('error', () => interruption.abort());

  try {
    const options = readOptions(args);
    if (options.isHelp) output.write(help);
    else await runDemo(options, interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return exitCode;
    errors.line(`error: ${describeFailure(error)}`, 'red');
    return 1;
  }
  return exitCode;
}

async function runDemo({ question, mcp, modelId, hasLoop }: CommandLine, signal: AbortSignal): Promise<void> {
  const mcpServers = mcp === undefined ? everythingServer() : await readServers(mcp);
  const demo = await openDemo({ modelId, mcpServers, hasLoop, environment: process.env, signal });
  try {
    printHeader(output, { demo, modelId, hasLoop, question });
    const print = createTurnPrinter(output);
    for await (const event of demo.ask(question, { signal })) {
      print(event);
      if (event.type === 'failure') throw new Error(event.message);
    }
  } finally {
    await demo.close();
  }
}
