/** The terminal demo: `npm run demo`. */
import { createInterface } from 'node:readline/promises';
import type { WriteStream } from 'node:tty';
import { defaultQuestion, everythingServer } from '../shared/demo-tools.js';
import { clearOrClose } from './interrupt.js';
import { describeFailure } from '../shared/failure.js';
import { type CommandLine, help, readInput, readOptions, readServers } from './options.js';
import { createTerminal, createTurnPrinter, printHeader, printQuestion, toJsonLine } from './output.js';
import { type Demo, openDemo } from './setup.js';
import type { DemoEvent } from './turn-events.js';

/** Exit codes after a signal: 128 plus the signal number. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

const hasColours = (stream: WriteStream): boolean => stream.isTTY && !process.env.NO_COLOR;
const output = createTerminal(process.stdout, {
  hasColours: hasColours(process.stdout),
  ...(process.stdout.isTTY && { columns: process.stdout.columns || 80 }),
});
const errors = createTerminal(process.stderr, { hasColours: hasColours(process.stderr) });

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
    if (interruption.signal.aborted) {
      if (exitCode !== 0) errors.line(`${interruptionNames[exitCode]}: ${interrupted}`, 'yellow');
      return exitCode;
    }
    errors.line(`error: ${describeFailure(error)}`, 'red');
    return 1;
  }
  return exitCode;
}

const interruptionNames: Readonly<Record<number, string>> = { 130: 'Ctrl-C', 143: 'SIGTERM' };

const interrupted = 'the turn was stopped, its request was aborted, and the MCP servers were closed.';

async function runDemo(options: CommandLine, signal: AbortSignal): Promise<void> {
  const { mcp, modelId, hasLoop, baseURL, isInteractive, isJson } = options;
  // In an interactive demo, standard input contains all questions.
  const question = options.question ?? (isInteractive ? undefined : ((await readInput()) ?? defaultQuestion));
  const mcpServers = mcp === undefined ? everythingServer() : await readServers(mcp);
  const demo = await openDemo({ modelId, mcpServers, hasLoop, baseURL, environment: process.env, signal });
  const printEvent = createTurnPrinter(output);
  const print = (event: DemoEvent): void => {
    if (isJson) process.stdout.write(toJsonLine(event));
    else printEvent(event);
  };
  try {
    if (isJson) process.stdout.write(toJsonLine(toSetup(demo, options)));
    else printHeader(output, { demo, modelId, hasLoop });
    if (question !== undefined) {
      if (!isJson) printQuestion(output, question);
      await runTurn(demo, { question, print, signal });
    }
    if (isInteractive) await converse(demo, { print, signal });
  } finally {
    await demo.close();
  }
}

interface TurnOptions {
  readonly print: (event: DemoEvent) => void;
  readonly signal: AbortSignal;
}

async function runTurn(
  demo: Demo,
  { question, print, signal }: TurnOptions & { question: string },
): Promise<void> {
  for await (const event of demo.ask(question, { signal })) {
    print(event);
    if (event.type === 'failure') throw new Error(event.message);
  }
}

/** Reads questions until the end of the input. Ctrl-C stops a running turn, clears a half-typed line, or ends the demo. */
async function converse(demo: Demo, { print, signal }: TurnOptions): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = createInterface({ input: process.stdin, output: isTerminal ? process.stdout : undefined });
  let turn: AbortController | undefined;
  lines.on('SIGINT', () => {
    if (turn === undefined) clearOrClose(lines);
    else turn.abort();
  });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  const prompt = (): void => {
    if (!isTerminal) return;
    lines.setPrompt('\n> ');
    lines.prompt();
  };
  prompt();
  for await (const line of lines) {
    const question = line.trim();
    if (question !== '') {
      turn = new AbortController();
      try {
        await runTurn(demo, { question, print, signal: AbortSignal.any([turn.signal, signal]) });
      } catch (error) {
        signal.throwIfAborted();
        if (turn.signal.aborted)
          errors.line('Ctrl-C: the turn was stopped. The next question starts without it.', 'yellow');
        else errors.line(`error: ${describeFailure(error)}`, 'red');
      }
      turn = undefined;
    }
    prompt();
  }
  signal.throwIfAborted();
}

/** The first line of the JSON output. */
const toSetup = ({ endpoint, inspection, localTools }: Demo, { modelId, hasLoop }: CommandLine) => ({
  type: 'setup',
  endpoint: endpoint.address,
  isEmulator: endpoint.isEmulator,
  modelId,
  hasLoop,
  servers: inspection.servers,
  localTools,
});

process.exitCode = await main(process.argv.slice(2));
