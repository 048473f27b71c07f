/** The terminal demo: `npm run demo`. */
import type { WriteStream } from 'node:tty';
import { describeFailure } from '../shared/failure.js';
import { everythingServer } from '../shared/demo-tools.js';
import { openDemo } from './setup.js';
import { printHeader } from './output.js';
import { createTurnPrinter } from './output.js';
import { type CommandLine, help, readOptions, readServers } from './options.js';
import { createTerminal } from './output.js';

/** The exit codes of programs that a signal ended: 128 and its number. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

const hasColours = (stream: WriteStream): boolean => stream.isTTY && !process.env.NO_COLOR;
const output = createTerminal(process.stdout, { hasColours: hasColours(process.stdout) });
const errors = createTerminal(process.stderr, { hasColours: hasColours(process.stderr) });

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  let exitCode = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // Once: should the end take too long, a second Ctrl-C does not ask.
    process.once(name, () => {
      exitCode = signalExitCodes[name];
      interruption.abort();
    });
  }
  // Whoever read the output has gone, as `head` does.
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
