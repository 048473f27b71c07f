import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider, type McpServerConfig } from '../../src/index.js';
import { collect } from '../_parts.js';
import { startEmulator } from '../testing/_emulator.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';
import { startHttpServer } from '../tools/mcp/_http-server.js';

interface McpFault {
  readonly where: 'stdio' | 'http';
  readonly fault: string;
  readonly server: () => Promise<McpServerConfig>;
  /** The tool that the model calls. */
  readonly toolName: string;
  /** What the model reads of it. */
  readonly output?: RegExp;
  /** What the host is warned of, where the server is not there at all. */
  readonly warning?: RegExp;
}

const stdio = (mode?: string) => async () => (await fixtureServer(mode)).config;
const http = (options?: Parameters<typeof startHttpServer>[0]) => async (): Promise<McpServerConfig> => ({
  type: 'http',
  url: (await startHttpServer(options)).url,
});

/** An address that answers everything with a web page. */
async function webPage(): Promise<McpServerConfig> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

const FAULTS: readonly McpFault[] = [
  { where: 'stdio', fault: 'lines that are no messages', server: stdio(), toolName: 'noise', output: /./ },
  {
    where: 'stdio',
    fault: 'the server dies in the call',
    server: stdio(),
    toolName: 'crash',
    output: /closed the connection.*may or may not/,
  },
  {
    where: 'stdio',
    fault: 'the server dies in a call that may be repeated',
    server: stdio(),
    toolName: 'crash-first',
    output: /./,
  },
  {
    where: 'stdio',
    fault: 'a call that is never answered',
    server: stdio(),
    toolName: 'silent',
    output: /exceeded its limit of 400 ms/,
  },
  {
    where: 'stdio',
    fault: 'a call that the server refuses',
    server: stdio(),
    toolName: 'refuse',
    output: /./,
  },
  { where: 'stdio', fault: 'a huge result', server: stdio(), toolName: 'big', output: /./ },
  { where: 'stdio', fault: 'a tool that does not exist', server: stdio(), toolName: 'no-such-tool' },
  {
    where: 'stdio',
    fault: 'a command that does not exist',
    server: async () => ({ command: 'no-such-program' }),
    toolName: 'echo',
    warning: /"server" could not be started: the command "no-such-program" was not found/,
  },
  {
    where: 'stdio',
    fault: 'a program that ends at once',
    server: async () => ({ command: process.execPath, args: ['-e', 'process.exit(3)'] }),
    toolName: 'echo',
    warning: /"server"/,
  },
  {
    where: 'http',
    fault: 'a stream that ends without its answer',
    server: http(),
    toolName: 'drop',
    output: /may or may not/,
  },
  {
    where: 'http',
    fault: 'a connection cut in the answer',
    server: http(),
    toolName: 'drop-hard',
    output: /may or may not/,
  },
  {
    where: 'http',
    fault: 'a call that is never answered',
    server: http(),
    toolName: 'hang',
    output: /exceeded its limit of 400 ms/,
  },
  {
    where: 'http',
    fault: 'a stream that has to be resumed',
    server: http(),
    toolName: 'resume',
    output: /^resumed$/,
  },
  {
    where: 'http',
    fault: 'an error of JSON-RPC',
    server: http(),
    toolName: 'rpc-error',
    output: /reported an error.*No such row\./,
  },
  {
    where: 'http',
    fault: 'status 500 with a web page',
    server: http(),
    toolName: 'broken',
    output: /answered HTTP 500/,
  },
  {
    where: 'http',
    fault: 'a web page for an answer',
    server: http(),
    toolName: 'page',
    output: /text\/html|web page|content type/i,
  },
  {
    where: 'http',
    fault: 'a server that is a web page',
    server: webPage,
    toolName: 'echo',
    warning: /"server"/,
  },
  {
    where: 'http',
    fault: 'nobody at the address',
    server: async () => ({ type: 'http', url: 'http://127.0.0.1:9/mcp' }),
    toolName: 'echo',
    warning: /"server" (is not reachable|could not be reached) at http:\/\/127\.0\.0\.1:9/,
  },
  {
    where: 'http',
    fault: 'a server that refuses to begin',
    server: http({ openingStatus: 403 }),
    toolName: 'echo',
    warning: /403/,
  },
];

const toText = (warning: LanguageModelV2CallWarning): string =>
  warning.type === 'other' ? warning.message : '';

describe('the matrix of MCP faults', () => {
  it.each(FAULTS)('$where: $fault → the turn goes on and tells', async row => {
    const emulator = await startEmulator({ validate: false });
    emulator.enqueue(
      [{ call: row.toolName, arguments: { text: 'x' }, callId: 'call_1' }],
      [{ text: 'Done.' }],
    );
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      mcpServers: { server: await row.server() },
      timeouts: { tool: 400 },
    });
    onTestFinished(() => provider.close());
    const { stream } = await provider('gpt-5').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    });
    const parts = await collect(stream);
    const start = parts[0];
    const warnings = start?.type === 'stream-start' ? start.warnings.map(toText) : [];

    if (row.warning !== undefined) expect(warnings.join('\n')).toMatch(row.warning);
    if (row.output === undefined) {
      // The tool is nobody's: the call is left to the host.
      expect(parts.find(part => part.type === 'tool-call')).toMatchObject({ toolName: row.toolName });
      return;
    }
    const body = emulator.requests[1]?.body as { input?: { type: string; output?: unknown }[] } | undefined;
    const told = body?.input?.at(-1);
    expect(told?.type).toBe('function_call_output');
    expect(String(told?.output)).toMatch(row.output);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });
});
