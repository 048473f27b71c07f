import { createMcpTools, type McpServerConfig } from 'kelivo-responses/mcp';
import type { ToolDefinition, ToolSource } from 'kelivo-responses/tool-loop';
import { describeFailure } from '../../shared/failure.js';
import type { LogLine, ServerView, ToolView } from '../../shared/playground-state.js';
import { toTarget } from './commands.js';

/** One MCP server with its tools, state and log. */
export interface ServerEntry {
  readonly source: ToolSource;
  view(): ServerView;
  /** Connects if necessary and reads the tools. Never rejects: `view` contains the error. */
  connect(): Promise<void>;
  close(): Promise<void>;
}

const MAX_LOG_LINES = 200;
const MAX_LINE_CHARACTERS = 2000;

export function createServerEntry(
  name: string,
  config: McpServerConfig,
  { redact }: { redact: (text: string) => string },
): ServerEntry {
  const log: LogLine[] = [];
  let tools: readonly ToolView[] = [];

  function write(level: string, text: string): void {
    log.push({ at: new Date().toISOString(), level, text: redact(text).slice(0, MAX_LINE_CHARACTERS) });
    if (log.length > MAX_LOG_LINES) log.shift();
  }

  const mcp = createMcpTools(
    { [name]: config },
    { onLog: ({ level, data }) => write(level, typeof data === 'string' ? data : JSON.stringify(data)) },
  );
  const isReady = (): boolean => mcp.status()[0]?.state === 'ready';

  const source: ToolSource = {
    ...mcp,
    async listTools(options) {
      const wasReady = isReady();
      const listing = await mcp.listTools(options);
      tools = listing.tools.map(toToolView);
      if (!wasReady && isReady()) write('info', `Connected: ${tools.length} tools.`);
      for (const warning of listing.warnings) write('warning', warning);
      return listing;
    },
    async callTool(call, options) {
      const startedAt = performance.now();
      const output = await mcp.callTool(call, options);
      const outcome = output.type.startsWith('error') ? 'failed' : 'finished';
      write('info', `${call.toolName} ${outcome} after ${Math.round(performance.now() - startedAt)} ms.`);
      return output;
    },
  };

  return {
    source,
    view() {
      const status = mcp.status()[0];
      return {
        name,
        target: toTarget(config),
        transport: 'command' in config ? 'stdio' : 'http',
        state: status?.state ?? 'idle',
        ...(status?.error && { error: redact(status.error.message) }),
        tools,
        log: [...log],
      };
    },
    async connect() {
      if (config.disabled) return;
      try {
        await source.listTools();
      } catch (error) {
        write('error', describeFailure(error));
      }
    },
    async close() {
      await mcp.close();
      write('info', 'Disconnected.');
    },
  };
}

const toToolView = ({ name, description, readOnly, destructive }: ToolDefinition): ToolView => ({
  name,
  ...(description !== undefined && { description }),
  ...(readOnly ? { hint: 'read-only' as const } : destructive ? { hint: 'destructive' as const } : {}),
});
