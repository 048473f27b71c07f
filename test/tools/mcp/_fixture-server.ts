import { mkdtempSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import {
  createMcpTools,
  type McpServers,
  type McpStdioServerConfig,
  type McpTools,
  type McpToolsOptions,
} from '../../../src/tools/mcp/index.js';
import type { PoolTimings } from '../../../src/tools/mcp/connection-pool.js';
import { startMcpTools } from '../../../src/tools/mcp/start-mcp-tools.js';
import type { ToolCallOptions, ToolOutput } from '../../../src/tools/tool-source.js';

const script = fileURLToPath(new URL('_fixture-server.mjs', import.meta.url));

export interface FixtureServer {
  readonly config: McpStdioServerConfig;
  /** Returns the recorded events of the server: its starts, lists, cancellations and the end of its input. */
  journal(): Promise<string[]>;
}

/** Creates a server over stdio. The mode selects how it lists its tools. */
export async function fixtureServer(
  mode = 'plain',
  env: Record<string, string> = {},
): Promise<FixtureServer> {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'journal.txt');
  return {
    config: { command: process.execPath, args: [script, mode], env: { FIXTURE_JOURNAL: file, ...env } },
    journal: () => readLines(file),
  };
}

/** Returns the tools of a server that the tests of a file share. Call it at the top of the file. */
export function shareFixtureTools(): { readonly tools: McpTools } & Pick<FixtureServer, 'journal'> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelivo-mcp-'));
  const file = path.join(folder, 'journal.txt');
  const tools = createMcpTools({
    fixture: { command: process.execPath, args: [script, 'plain'], env: { FIXTURE_JOURNAL: file } },
  });
  afterAll(async () => {
    await tools.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { tools, journal: () => readLines(file) };
}

const readLines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line !== '');

/** Creates a directory that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-mcp-'));
  // A program that the test has ended may still write.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/**
 * Creates tools that are closed after the test.
 *
 * @param options.connectTimeout Not a public option, like `retryFailedAfter`. See `PoolTimings`.
 */
export function openTools(
  servers: McpServers,
  { retryFailedAfter, connectTimeout, ...options }: McpToolsOptions & PoolTimings = {},
): McpTools {
  const tools =
    retryFailedAfter === undefined && connectTimeout === undefined
      ? createMcpTools(servers, options)
      : startMcpTools(servers, options, { retryFailedAfter, connectTimeout });
  onTestFinished(() => tools.close());
  return tools;
}

export function call(
  tools: McpTools,
  toolName: string,
  input: Record<string, unknown> = {},
  { signal = new AbortController().signal, callContext }: Partial<ToolCallOptions> = {},
): Promise<ToolOutput> {
  const toolCallId = callContext?.toolCallId ?? 'call_1';
  return tools.callTool({ toolCallId, toolName, input }, { signal, callContext });
}

export async function namesOf(tools: McpTools): Promise<string[]> {
  return (await tools.listTools()).tools.map(({ name }) => name);
}

/** Returns the process id of the server's first start. */
export async function startedPid(journal: () => Promise<string[]>): Promise<number> {
  return Number((await journal())[0]?.replace('start ', ''));
}

/** Returns true if the process exists and is not a zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}

/** Maximum time in milliseconds for a condition that a test waits for. Only a test that hangs reaches it. */
const LIMIT = 120_000;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + LIMIT;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`The condition was not met within ${LIMIT} ms: ${condition}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
