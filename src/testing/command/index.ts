#!/usr/bin/env node
/** The command `kelivo-responses`. It uses the entries of the package, and loads what a command needs when it runs. */
import { fileURLToPath } from 'node:url';
import type { Fault, RequestRules, ScriptedResponse } from 'kelivo-responses/testing';
import { messageOf } from '../../core/shared/errors.js';
import { tryParseJson } from '../../core/shared/json.js';
import { toNameHint } from '../../core/shared/names.js';
import {
  codeOf,
  CommandError,
  type CommandInput,
  type Option,
  printLine,
  readInput,
  readText,
  toLine,
} from './terminal.js';

interface Command {
  /** Placeholder of the required argument. */
  readonly argument?: string;
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Returns the exit code. */
  readonly run: (input: CommandInput) => Promise<number>;
}

const json: Option = { about: 'print one JSON object' };

const commands: Readonly<Record<string, Command>> = {
  init: {
    about: 'write hello.mjs, a first program for the installed version of ai that runs without a key',
    options: {},
    run: async input => (await import('./init.js')).runInit(input),
  },
  emulator: {
    about: 'start an emulator of the Responses API on 127.0.0.1 and print its base URL',
    options: {
      port: { value: 'number', about: 'port; by default a free one' },
      rules: { value: 'name', about: 'openai (default), llamacpp, vllm, responses.js or none' },
      'api-key': { value: 'key', about: 'accept only this key', isRepeatable: true },
      latency: { value: 'ms', about: 'delay before each event' },
      fault: {
        value: 'fault',
        about:
          'fault of the next request: a status such as 429, or cut, cut:3, stall, slow:100, failed, html, …',
        isRepeatable: true,
      },
      script: { value: 'file', about: 'JSON list of responses to the next requests' },
      'no-websocket': { about: 'refuse WebSockets' },
    },
    run: runEmulator,
  },
  probe: {
    argument: 'url',
    about: 'check what a server of the Responses API can, and print the settings that it needs',
    options: {
      model: { value: 'id', about: 'model; by default the first language model of /models' },
      'api-key': { value: 'key', about: 'API key; by default OPENAI_API_KEY' },
      header: { value: '"name: value"', about: 'additional header of every request', isRepeatable: true },
      timeout: { value: 'seconds', about: 'time of each scenario, by default 20' },
      json,
    },
    run: async input => (await import('./probe.js')).runProbe(input),
  },
  mcp: {
    argument: 'config',
    about: 'start the MCP servers of a JSON file, list their tools and check their schemas',
    options: {
      env: { value: 'NAME', about: 'variable that the file may refer to', isRepeatable: true },
      timeout: { value: 'seconds', about: 'time for the start of a server, by default 60' },
      'sign-in': { about: 'print the sign-in URL of servers that require it, and wait for the user' },
      json,
    },
    run: async input => (await import('./mcp.js')).runMcp(input),
  },
};

async function runEmulator(input: CommandInput): Promise<number> {
  const port = input.numberOf('port', { maximum: 65_535 }) ?? 0;
  const name = input.one('rules') ?? 'openai';
  const rules = RULES.find(known => known === name);
  if (rules === undefined)
    throw new CommandError(`Expected --rules to be one of ${RULES.join(', ')}, got "${name}".`);
  const scripts = [...input.list('fault').map(toFault), ...readScript(input.one('script'))];
  const keys = input.list('api-key');
  const latency = input.numberOf('latency');
  const { startResponsesEmulator } = await import('kelivo-responses/testing');
  const emulator = await startResponsesEmulator({
    port,
    rules,
    latency,
    apiKey: keys.length > 0 ? keys : undefined,
    webSocket: !input.has('no-websocket'),
  }).catch((error: unknown) => {
    const reason = codeOf(error) === 'EADDRINUSE' ? 'in use' : `not available (${codeOf(error)})`;
    throw new CommandError(`Port ${port} is ${reason}. Choose another one with --port.`);
  });
  emulator.enqueue(...scripts);
  const stopped = new Promise(resolve =>
    (['SIGINT', 'SIGTERM'] as const).forEach(signal => process.once(signal, resolve)),
  );
  printLine(emulator.baseURL);
  await stopped;
  await emulator.close();
  return 0;
}

const RULES: readonly RequestRules[] = ['openai', 'llamacpp', 'vllm', 'responses.js', 'none'];

const FAULTS: readonly Fault['fault'][] = [
  ...(['cut', 'early-end', 'stall', 'malformed', 'slow', 'error-event', 'failed', 'html'] as const),
  ...(['empty', 'chat-completions', 'headers-never'] as const),
];

/** Reads a status, or a fault with the number of events before it (for `slow`, the delay of each event). */
function toFault(text: string): ScriptedResponse {
  if (/^[45]\d\d$/.test(text)) return { status: Number(text) };
  const [, name = '', count] = /^([\w-]+)(?::(\d{1,6}))?$/.exec(text) ?? [];
  const fault = FAULTS.find(known => known === name);
  if (fault === undefined)
    throw new CommandError(`Expected --fault to be a status or one of ${FAULTS.join(', ')}, got "${text}".`);
  if (fault === 'slow') return { fault, delay: Number(count ?? 100) };
  return count === undefined ? { fault } : { fault, after: Number(count) };
}

function readScript(file: string | undefined): ScriptedResponse[] {
  if (file === undefined) return [];
  const scripts = tryParseJson(readText(file));
  const isScript = (one: unknown): one is ScriptedResponse => typeof one === 'object' && one !== null;
  if (Array.isArray(scripts) && scripts.every(isScript)) return scripts;
  throw new CommandError(`Expected ${file} to be a JSON list of scripted responses.`);
}

function printHelp(name?: string): void {
  const command = name === undefined ? undefined : commands[name];
  const { argument, options } = command ?? { options: {} };
  const usage = `${name ?? '<command>'}${argument === undefined ? '' : ` <${argument}>`}`;
  printLine(`Usage: kelivo-responses ${usage} [options]`);
  printLine();
  const rows: [string, string][] = command
    ? Object.entries(options).map(([option, { value, about }]: [string, Option]) => [
        `--${option}${value === undefined ? '' : ` <${value}>`}`,
        about,
      ])
    : Object.entries(commands).map(([one, { argument: needed, about }]) => [
        `${one}${needed === undefined ? '' : ` <${needed}>`}`,
        about,
      ]);
  rows.push(['--help', 'print the options of a command']);
  if (command === undefined) rows.push(['--version', 'print the version']);
  const width = Math.max(...rows.map(([left]) => left.length));
  for (const [left, about] of rows) printLine(`  ${left.padEnd(width)}  ${about}`);
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') {
    const manifest: unknown = JSON.parse(
      readText(fileURLToPath(new URL('../../../package.json', import.meta.url))),
    );
    printLine(String(Reflect.get(Object(manifest), 'version')));
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    printHelp();
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new CommandError(
      `Unknown command "${name}". ${toNameHint(name, { kind: 'commands', known: Object.keys(commands) })} See --help.`,
    );
  const input = readInput(args, command.options, command.argument === undefined ? 0 : 1);
  if (input.has('help')) {
    printHelp(name);
    return 0;
  }
  if (command.argument !== undefined && input.names.length === 0)
    throw new CommandError(`Expected kelivo-responses ${name} <${command.argument}>. See ${name} --help.`);
  return command.run(input);
}

// A reader such as `head` closes the output early.
process.stdout.on('error', () => process.exit(0));
void main(process.argv.slice(2))
  .catch((error: unknown) => {
    process.stderr.write(`kelivo-responses: ${toLine(messageOf(error))}\n`);
    return error instanceof CommandError ? 2 : 1;
  })
  .then(code => {
    process.exitCode = code;
    // Nothing that is left open keeps the process.
    setTimeout(() => process.exit(), 3000).unref();
  });
