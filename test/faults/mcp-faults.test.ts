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
  /** Time limit of the call, in milliseconds. */
  readonly limit?: number;
  /** The output that the model receives. @default that no tool has the name */
  readonly output?: RegExp;
  /** The warning that the host receives if the server is not available. */
  readonly warning?: RegExp;
}

const stdio = (mode?: string) => async () => (await fixtureServer(mode)).config;
const http = (options?: Parameters<typeof startHttpServer>[0]) => async (): Promise<McpServerConfig> => ({
  type: 'http',
  url: (await startHttpServer(options)).url,
});

/** Starts a server that returns a web page for every request. */
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
  { where: 'stdio', fault: 'lines that are not messages', server: stdio(), toolName: 'noise', output: /./ },
  {
    where: 'stdio',
    fault: 'the server ends during the call',
    server: stdio(),
    toolName: 'crash',
    output: /closed the connection.*may or may not/,
  },
  {
    where: 'stdio',
    fault: 'a trusted server ends during an idempotent call',
    server: async () => ({ ...(await fixtureServer()).config, trustAnnotations: true }),
    toolName: 'crash-first',
    output: /second time lucky/,
  },
  {
    where: 'stdio',
    fault: 'an untrusted server ends during a call that it declares idempotent',
    server: stdio(),
    toolName: 'crash-first',
    output: /may or may not/,
  },
  {
    where: 'stdio',
    fault: 'a call without a response',
    server: stdio(),
    toolName: 'silent',
    limit: 400,
    output: /exceeded its limit of 400 ms/,
  },
  {
    where: 'stdio',
    fault: 'a call that the server rejects',
    server: stdio(),
    toolName: 'refuse',
    output: /./,
  },
  { where: 'stdio', fault: 'a very large result', server: stdio(), toolName: 'big', output: /./ },
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
    fault: 'a program that ends immediately',
    server: async () => ({ command: process.execPath, args: ['-e', 'process.exit(3)'] }),
    toolName: 'echo',
    warning: /"server"/,
  },
  {
    where: 'http',
    fault: 'a stream that ends without a response',
    server: http(),
    toolName: 'drop',
    output: /may or may not/,
  },
  {
    where: 'http',
    fault: 'a connection that breaks during the response',
    server: http(),
    toolName: 'drop-hard',
    output: /may or may not/,
  },
  {
    where: 'http',
    fault: 'a call without a response',
    server: http(),
    toolName: 'hang',
    limit: 400,
    output: /exceeded its limit of 400 ms/,
  },
  {
    where: 'http',
    fault: 'a stream that must be resumed',
    server: http(),
    toolName: 'resume',
    output: /^resumed$/,
  },
  {
    where: 'http',
    fault: 'a JSON-RPC error',
    server: http(),
    toolName: 'rpc-error',
    output: /reported an error.*No such row\./,
  },
  {
    where: 'http',
    fault: 'status 500 with a web page',
    server: http(),
    toolName: 'broken',
    output: /returned HTTP 500.*may or may not/,
  },
  {
    where: 'http',
    fault: 'status 503 after the tool has run',
    server: http({ writeFailure: { status: 503, body: 'Service unavailable' } }),
    toolName: 'write',
    output: /returned HTTP 503.*may or may not/,
  },
  {
    where: 'http',
    fault: 'status 400 that mentions a session',
    server: http({ writeFailure: { status: 400, body: 'Your session of yoga is invalid.' } }),
    toolName: 'write',
    output: /returned HTTP 400.*yoga/,
  },
  {
    where: 'http',
    fault: 'a web page as the response',
    server: http(),
    toolName: 'page',
    output: /text\/html|web page|content type/i,
  },
  {
    where: 'http',
    fault: 'a server that returns web pages',
    server: webPage,
    toolName: 'echo',
    warning: /"server"/,
  },
  {
    where: 'http',
    fault: 'no server at the address',
    server: async () => ({ type: 'http', url: 'http://127.0.0.1:9/mcp' }),
    toolName: 'echo',
    warning: /"server" (is not reachable|could not be reached) at http:\/\/127\.0\.0\.1:9/,
  },
  {
    where: 'http',
    fault: 'a server that rejects `initialize`',
    server: http({ openingStatus: 403 }),
    toolName: 'echo',
    warning: /403/,
  },
];

const toText = (warning: LanguageModelV2CallWarning): string =>
  warning.type === 'other' ? warning.message : '';

describe('MCP faults', () => {
  it.each(FAULTS)('$where: $fault → the turn continues and reports the fault', async row => {
    const emulator = await startEmulator({ rules: 'none' });
    emulator.enqueue(
      [{ call: row.toolName, arguments: { text: 'x' }, callId: 'call_1' }],
      [{ text: 'Done.' }],
    );
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      mcpServers: { server: await row.server() },
      timeouts: row.limit === undefined ? {} : { tool: row.limit },
    });
    onTestFinished(() => provider.close());
    const { stream } = await provider('gpt-5').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    });
    const parts = await collect(stream);
    const start = parts[0];
    const warnings = start?.type === 'stream-start' ? start.warnings.map(toText) : [];

    if (row.warning !== undefined) expect(warnings.join('\n')).toMatch(row.warning);
    const body = emulator.requests[1]?.body as { input?: { type: string; output?: unknown }[] } | undefined;
    const output = body?.input?.at(-1);
    expect(output?.type).toBe('function_call_output');
    expect(String(output?.output)).toMatch(row.output ?? /^\{"error":"There is no tool/);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });
});
