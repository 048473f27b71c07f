import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { McpServers } from 'kelivo-responses';
import { parseMcpConfig } from 'kelivo-responses/mcp';
import { describeFailure } from '../shared/failure.js';
import { defaultQuestion } from '../shared/demo-tools.js';

export const help = `Asks a model a question and shows how the tool loop answers it.

Usage: npm run demo -- [options] ["question"]

Options:
  --mcp <file>    the MCP servers of this file ("mcpServers", as in Claude Desktop, Cursor
                  or VS Code) in place of the built-in one
  --model <id>    the model, gpt-5 unless told otherwise
  --no-loop       the same question without the tool loop, to see the difference
  --help          this text

Without a question it asks:
  ${defaultQuestion}

It talks to an emulator that needs no key. With OPENAI_API_KEY or OPENAI_BASE_URL set, it talks
to that endpoint.
`;

/** What the command line asks for. */
export interface CommandLine {
  readonly question: string;
  /** A file of MCP servers. @default the built-in server */
  readonly mcp?: string;
  readonly modelId: string;
  readonly hasLoop: boolean;
  readonly isHelp: boolean;
}

/** @throws Error with one line that says what is wrong. */
export function readOptions(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  for (const name of ['model', 'mcp'] as const) {
    if (values[name]?.trim() === '') throw new Error(`Expected a value for --${name}, got none.${hint}`);
  }
  return {
    // A question without quotation marks comes as many words.
    question: positionals.join(' ').trim() || defaultQuestion,
    mcp: values.mcp,
    modelId: values.model ?? 'gpt-5',
    hasLoop: values['no-loop'] !== true,
    isHelp: values.help === true,
  };
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
        'no-loop': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    // Only its first sentence is about what was typed.
    const [reason] = describeFailure(cause).split(/\. |\n/);
    throw new Error(`${reason?.replace(/\.$/, '')}.${hint}`, { cause });
  }
}

/** @throws Error with one line when the file cannot be read or is no configuration. */
export async function readServers(file: string): Promise<McpServers> {
  // npm runs scripts in the package's folder and tells in INIT_CWD where the user is.
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
    throw new Error(`The servers file ${location} is not right. ${describeFailure(cause)}`, { cause });
  }
}
