import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { McpServers } from 'kelivo-responses';
import { parseMcpConfig } from 'kelivo-responses/mcp';
import { describeFailure } from '../shared/failure.js';
import { defaultQuestion } from '../shared/demo-tools.js';

export const help = `Sends a question to a model and shows the rounds of the tool loop.

Usage: npm run demo -- [options] ["question"]
       echo "question" | npm run demo -- [options]

Options:
  --mcp <file>    use the MCP servers of this file ("mcpServers", as in Claude Desktop, Cursor
                  or VS Code) instead of the built-in server
  --model <id>    model id (default: gpt-5)
  --base-url <url>
                  URL of a server with the Responses API (default: OPENAI_BASE_URL)
  --interactive   ask questions one after the other, in one conversation; arrow keys recall them
  --json          print one JSON object per event
  --no-loop       disable the tool loop, for comparison: tool calls are shown, and nothing runs them
  --help          show this help

Default question:
  ${defaultQuestion}

The demo uses an emulator that needs no key. Set OPENAI_API_KEY or OPENAI_BASE_URL to use another
endpoint.
`;

/** The parsed command line. */
export interface CommandLine {
  /** Undefined if the command line contains none. */
  readonly question: string | undefined;
  /** Path of a file with MCP servers. @default the built-in server */
  readonly mcp?: string;
  readonly modelId: string;
  readonly baseURL: string | undefined;
  readonly hasLoop: boolean;
  readonly isInteractive: boolean;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

/** @throws Error with a message of one line. */
export function readOptions(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  for (const name of ['model', 'mcp', 'base-url'] as const) {
    if (values[name]?.trim() === '') throw new Error(`Expected a value for --${name}, got none.${hint}`);
  }
  return {
    // A question without quotation marks consists of several arguments.
    question: positionals.join(' ').trim() || undefined,
    mcp: values.mcp,
    modelId: values.model ?? 'gpt-5',
    baseURL: readBaseURL(values['base-url']),
    hasLoop: values['no-loop'] !== true,
    isInteractive: values.interactive === true,
    isJson: values.json === true,
    isHelp: values.help === true,
  };
}

function readBaseURL(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text;
  throw new Error(
    `Expected --base-url to be an http(s) URL such as http://localhost:8000/v1, got ${JSON.stringify(text)}.${hint}`,
  );
}

/** Reads the question from standard input if it is a pipe or a file. Returns undefined if it is empty or a terminal. */
export async function readInput(): Promise<string | undefined> {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isFile() && !kind.isSocket()) return undefined;
  const text = await readText(process.stdin);
  return text.trim() || undefined;
}

const hint = ' See: npm run demo -- --help';

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        mcp: { type: 'string' },
        model: { type: 'string' },
        'base-url': { type: 'string' },
        interactive: { type: 'boolean', short: 'i' },
        json: { type: 'boolean' },
        'no-loop': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    // Only the first sentence of the message is about the command line.
    const [reason] = describeFailure(cause).split(/\. |\n/);
    throw new Error(`${reason?.replace(/\.$/, '')}.${hint}`, { cause });
  }
}

/** @throws Error with a message of one line if the file cannot be read or contains no valid configuration. */
export async function readServers(file: string): Promise<McpServers> {
  // npm runs scripts in the package folder; INIT_CWD is the folder of the user.
  const location = path.resolve(process.env.INIT_CWD ?? '', file);
  let text: string;
  try {
    text = await readFile(location, 'utf8');
  } catch (cause) {
    throw new Error(`Could not read the servers file: ${describeFailure(cause)}`, { cause });
  }
  try {
    return parseMcpConfig(text);
  } catch (cause) {
    throw new Error(`The servers file ${location} is invalid. ${describeFailure(cause)}`, { cause });
  }
}
