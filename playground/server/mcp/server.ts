import { createMcpTools, type McpServerConfig, type McpTools } from 'kelivo-responses/mcp';
import type { ToolDefinition, ToolSource } from 'kelivo-responses/tool-loop';
import { randomUUID } from 'node:crypto';
import { describeFailure } from '../../shared/failure.js';
import type {
  InspectedMessage,
  InspectedTool,
  ServerInspection,
  ToolCallResult,
} from '../../shared/mcp-inspection.js';
import type { LogLine, ServerView, ToolView } from '../../shared/playground-state.js';
import { toTarget } from './commands.js';
import type { RequestDesk } from './request-desk.js';
import { createSignIn } from './sign-in.js';

/** One MCP server with its tools, state and log. */
export interface ServerEntry {
  readonly source: ToolSource;
  /** Resources, prompts and completions. The server starts if necessary. */
  readonly features: () => McpTools;
  view(): ServerView;
  inspect(): ServerInspection;
  /** Calls a tool for the user, without the model. */
  call(
    toolName: string,
    options: { input: Record<string, unknown>; signal: AbortSignal },
  ): Promise<ToolCallResult>;
  /** Connects if necessary and reads the tools. Never rejects: `view` contains the error. */
  connect(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerEntryOptions {
  readonly redact: (text: string) => string;
  readonly desk: RequestDesk;
  /** Returns the address to which authorization servers return the user. */
  readonly redirectUrl: () => string;
}

const MAX_LOG_LINES = 200;
const MAX_LINE_CHARACTERS = 2000;
const MAX_MESSAGES = 300;

export function createServerEntry(
  name: string,
  config: McpServerConfig,
  { redact, desk, redirectUrl }: ServerEntryOptions,
): ServerEntry {
  const log: LogLine[] = [];
  const messages: InspectedMessage[] = [];
  const signIn = createSignIn(config, { redirectUrl });
  let messageCount = 0;
  let tools: readonly ToolDefinition[] = [];
  let opened: McpTools | undefined;

  function write(level: string, text: string): void {
    log.push({ at: new Date().toISOString(), level, text: redact(text).slice(0, MAX_LINE_CHARACTERS) });
    if (log.length > MAX_LOG_LINES) log.shift();
  }

  /** Opens the source on first use, when the port of the playground is known. */
  const open = (): McpTools =>
    (opened ??= createMcpTools(
      { [name]: signIn.configure() },
      {
        fetch: signIn.fetch,
        onLog: ({ level, data }) => write(level, typeof data === 'string' ? data : JSON.stringify(data)),
        onMessage({ direction, time, message }) {
          messages.push({ number: ++messageCount, direction, time, message });
          if (messages.length > MAX_MESSAGES) messages.shift();
        },
        async onElicitation(params, { signal }) {
          const kind = params.mode === 'url' ? 'url' : 'form';
          const { action, content } = await desk.ask({ server: name, kind, params }, { signal });
          if (action !== 'accept' || typeof content !== 'object') return { action };
          return { action, content: content as Record<string, string | number | boolean | string[]> };
        },
        async onSampling(params, { signal }) {
          const { action, content } = await desk.ask({ server: name, kind: 'sampling', params }, { signal });
          if (action !== 'accept') throw new Error('The user rejected the request for a completion.');
          const text = typeof content === 'string' ? content : '';
          return { role: 'assistant', model: 'user', stopReason: 'endTurn', content: { type: 'text', text } };
        },
      },
    ));
  const status = () => opened?.status()[0];
  const isReady = (): boolean => status()?.state === 'ready';

  const source: ToolSource = {
    name: `MCP server "${name}"`,
    async listTools(options) {
      const wasReady = isReady();
      const listing = await open().listTools(options);
      tools = listing.tools;
      if (!wasReady && isReady()) write('info', `Connected: ${tools.length} tools.`);
      for (const warning of listing.warnings) write('warning', warning);
      return listing;
    },
    async callTool(call, options) {
      const startedAt = performance.now();
      const output = await open().callTool(call, options);
      const outcome = output.type.startsWith('error') ? 'failed' : 'finished';
      write('info', `${call.toolName} ${outcome} after ${Math.round(performance.now() - startedAt)} ms.`);
      return output;
    },
    close: async () => opened?.close(),
  };

  return {
    source,
    features: open,
    view() {
      const current = status();
      const idle = config.disabled ? 'disabled' : 'idle';
      return {
        name,
        target: toTarget(config),
        transport: 'command' in config ? 'stdio' : 'http',
        state: current?.state ?? idle,
        ...(current?.authorizationUrl && { authorizationUrl: current.authorizationUrl }),
        ...(current?.error && { error: redact(current.error.message) }),
        tools: tools.map(toToolView),
        log: [...log],
      };
    },
    inspect: () => ({ tools: tools.map(toInspectedTool), messages, signIn: signIn.steps }),
    async call(toolName, { input, signal }) {
      const startedAt = performance.now();
      const firstNumber = messageCount;
      const output = await source.callTool({ toolCallId: randomUUID(), toolName, input }, { signal });
      return {
        isError: output.type.startsWith('error'),
        duration: Math.round(performance.now() - startedAt),
        result: findResult(messages, { after: firstNumber, toolName }) ?? output.value,
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
      await opened?.close();
      write('info', 'Disconnected.');
    },
  };
}

/** Returns the result that the server sent for the last call of a tool, with its `_meta`. */
function findResult(
  messages: readonly InspectedMessage[],
  { after, toolName }: { after: number; toolName: string },
): unknown {
  const bodies = messages
    .filter(({ number }) => number > after)
    .map(({ direction, message }) => ({
      direction,
      ...(message as { id?: unknown; method?: string; params?: { name?: string }; result?: unknown }),
    }));
  const request = bodies.findLast(
    ({ method, params }) => method === 'tools/call' && params?.name === toolName,
  );
  if (request === undefined) return undefined;
  // Both sides count their requests, so a response to the server can have the same id.
  return bodies.findLast(
    ({ direction, id, result }) => direction === 'received' && id === request.id && result !== undefined,
  )?.result;
}

const toToolView = ({ name, description, readOnly, destructive }: ToolDefinition): ToolView => ({
  name,
  ...(description !== undefined && { description }),
  ...(readOnly ? { hint: 'read-only' as const } : destructive ? { hint: 'destructive' as const } : {}),
});

function toInspectedTool({ name, description, inputSchema, _meta, ...tool }: ToolDefinition): InspectedTool {
  const { readOnly, destructive, idempotent, openWorld } = tool;
  const hints = Object.entries({ readOnly, destructive, idempotent, openWorld });
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema,
    annotations: Object.fromEntries(
      hints.flatMap(([hint, value]) => (value === undefined ? [] : [[hint, value]])),
    ),
    ...(_meta !== undefined && { meta: _meta }),
  };
}
