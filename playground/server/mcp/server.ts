import { createMcpTools, type McpServerConfig, type McpTools } from 'kelivo-responses/mcp';
import type {
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolOutput,
  ToolSource,
} from 'kelivo-responses/tool-loop';
import { randomUUID } from 'node:crypto';
import { HTTPException } from 'hono/http-exception';
import { toPageWords } from '../page-words.js';
import { describeFailure } from '../../shared/failure.js';
import type { LogLevel, ServerInspection, ToolCallResult } from '../../shared/mcp-inspection.js';
import type { LogLine, ServerView, ToolView } from '../../shared/playground-state.js';
import type { Redactor } from '../redaction/redactor.js';
import { type CallHistory, createCallHistory } from './call-history.js';
import { toTarget } from './commands.js';
import { createHostRequests } from './host-requests.js';
import { createInspectedTools } from './inspected-tools.js';
import type { Credentials } from './credentials.js';
import type { RequestDesk } from './request-desk.js';
import { createSignIn } from './sign-in.js';
import { createSubscriptions, type Subscriptions } from './subscriptions.js';
import { createTasks, toTaskForm } from './tasks.js';
import { createTraffic, redactForDisplay } from './traffic.js';

/** One MCP server with its tools, state and log. */
export interface ServerEntry {
  readonly source: ToolSource;
  /** The calls that the user has made. */
  readonly history: Pick<CallHistory, 'list' | 'secretResult'>;
  /** Resources, prompts and completions. The server starts if necessary. */
  readonly features: () => McpTools;
  view(): ServerView;
  /** Returns the tools, and the messages and lines after a number, without secrets. */
  inspect(after: number): Promise<ServerInspection>;
  /** Changes the minimum level of log messages, also of later connections. */
  setLogLevel(level: LogLevel): Promise<void>;
  /** Follows a resource, also on later connections. */
  readonly follow: Subscriptions['follow'];
  /** The schema of a tool, if the server has it. */
  inputSchema(toolName: string): unknown;
  /** Calls a tool for the user, without the model, or for an app that the user has allowed to. */
  call(
    toolName: string,
    options: { input: Record<string, unknown>; signal: AbortSignal; isForApp?: boolean },
  ): Promise<ToolCallResult>;
  /**
   * Returns the address of a tool's app, and the tools that it may call. The server starts if necessary.
   *
   * @throws HTTPException with the reason if there is none.
   */
  findApp(toolName: string): Promise<{ readonly uri: string; readonly tools: readonly string[] }>;
  /** Calls a tool for the user as a task, which `inspect` shows. */
  startTask(toolName: string, input: Record<string, unknown>): void;
  /** Asks the server to end a task. Returns false if no such task is running. */
  cancelTask(number: number): boolean;
  /** Connects if necessary and reads the tools. Never rejects: `view` contains the error. */
  connect(): Promise<void>;
  /** Closes the connection and opens it again. Pages go on following resources. */
  reconnect(): Promise<void>;
  /** Closes the connection and forgets the tokens and the registration of the user. */
  signOut(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerEntryOptions {
  readonly redactor: Redactor;
  readonly desk: RequestDesk;
  readonly credentials: Credentials;
  /** Returns the address to which authorization servers return the user. */
  readonly redirectUrl: () => string;
}

const MAX_LOG_LINES = 200;
const MAX_LINE_CHARACTERS = 2000;

/** Milliseconds after the announcement of changed tools. */
const CHANGE_DELAY = 200;

export function createServerEntry(
  name: string,
  config: McpServerConfig,
  { redactor, desk, credentials, redirectUrl }: ServerEntryOptions,
): ServerEntry {
  const log: LogLine[] = [];
  const traffic = createTraffic();
  const inspected = createInspectedTools();
  const signIn = createSignIn(config, { redirectUrl, credentials });
  /** The names of running tools, by the ids of their calls. */
  const runningTools = new Map<string, string>();
  const history = createCallHistory(redactor);
  let tools: readonly ToolDefinition[] = [];
  /** The result of the last attempt, if it ended with a request to sign in. */
  let refused: ToolListing | undefined;
  let opened: McpTools | undefined;
  let logLevel: LogLevel | undefined;
  let reading: NodeJS.Timeout | undefined;
  let isClosing = false;

  function write(level: string, text: string): void {
    log.push({
      at: new Date().toISOString(),
      level,
      text: redactor.text(text).slice(0, MAX_LINE_CHARACTERS),
    });
    if (log.length > MAX_LOG_LINES) log.shift();
  }

  /** Reads changed tools once for several announcements, because a server can announce a change with every list. */
  function readToolsSoon(): void {
    reading ??= setTimeout(() => {
      reading = undefined;
      if (isReady()) void connect();
    }, CHANGE_DELAY);
  }

  /** Opens the source on first use, when the port of the playground is known. */
  const open = (): McpTools =>
    (opened ??= createMcpTools(
      { [name]: signIn.configure() },
      {
        fetch: signIn.fetch,
        apps: true,
        onLog: ({ level, data }) => write(level, typeof data === 'string' ? data : JSON.stringify(data)),
        onMessage({ direction, time, message }) {
          traffic.addMessage({ direction, time, message });
          inspected.read({ direction, message });
          tasks.read({ direction, message });
          if (direction === 'received' && message.method === 'notifications/tools/list_changed')
            readToolsSoon();
        },
        onStderr: line => traffic.addLine(line),
        async onStateChange({ state }) {
          if (state === 'idle') {
            write('info', 'Disconnected.');
            tasks.fail();
            // The list of tools is outdated only after this callback.
            if (subscriptions.isUsed && !isClosing) queueMicrotask(() => void connect());
          }
          if (state === 'failed' || state === 'unauthorized') subscriptions.end();
          if (state !== 'ready') return;
          write('info', 'Connected.');
          subscriptions.renew();
          if (logLevel === undefined) return;
          await open()
            .setLogLevel(name, { level: logLevel })
            .catch((error: unknown) => write('warning', toPageWords(describeFailure(error))));
        },
        ...requests,
      },
    ));
  const requests = createHostRequests(desk, toolCallId => {
    const toolName = runningTools.get(toolCallId ?? '');
    return {
      server: name,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolName !== undefined && { toolName }),
    };
  });
  const subscriptions = createSubscriptions(uri => open().subscribeResource(name, { uri }));
  const tasks = createTasks({
    send: request => open().sendRequest(name, request),
    handshake: () => traffic.handshake,
    requests,
    onStart: (toolCallId, toolName) => runningTools.set(toolCallId, toolName),
    onEnd({ toolCallId, ...call }) {
      runningTools.delete(toolCallId);
      record(call);
    },
  });

  /** Adds a call to the history. Returns what the page shows. */
  function record(call: Parameters<CallHistory['add']>[0], original = call.result): ToolCallResult {
    const structured = call.isError ? undefined : inspected.check(findTool(call.toolName), call.result);
    const { number, isError, duration, isRedacted, result } = history.add(call, { original });
    return { number, isError, duration, isRedacted, ...(structured && { structured }), result };
  }

  const findTool = (toolName: string) => tools.find(({ name: known }) => known === toolName);
  const status = () => opened?.status()[0];
  const isReady = (): boolean => status()?.state === 'ready';
  const describeProblem = (): string | undefined => {
    const { error, authorizationUrl } = status() ?? {};
    if (error !== undefined && authorizationUrl !== undefined)
      return 'This server requires that you sign in.';
    return error && toPageWords(redactor.text(error.message));
  };
  /** Names the tool to requests of the server, and logs the end of the call. */
  async function follow(
    { toolCallId, toolName }: ToolInvocation,
    running: Promise<ToolOutput>,
  ): Promise<ToolOutput> {
    const startedAt = performance.now();
    runningTools.set(toolCallId, toolName);
    const output = await running.finally(() => runningTools.delete(toolCallId));
    const outcome = output.type.startsWith('error') ? 'failed' : 'finished';
    write('info', `${toolName} ${outcome} after ${Math.round(performance.now() - startedAt)} ms.`);
    return output;
  }

  const source: ToolSource = {
    name: `MCP server "${name}"`,
    async listTools(options) {
      // Only the user can sign in, so the server is not asked again meanwhile.
      if (refused !== undefined && status()?.authorizationUrl !== undefined) return refused;
      const listing = await open().listTools(options);
      tools = listing.tools;
      const needsSignIn = status()?.authorizationUrl !== undefined;
      const warnings = needsSignIn
        ? [`The MCP server "${name}" requires that you sign in.`]
        : listing.warnings.map(toPageWords);
      refused = needsSignIn ? { ...listing, warnings } : undefined;
      for (const warning of warnings) write('warning', warning);
      return { ...listing, warnings };
    },
    callTool: (call, options) => follow(call, open().callTool(call, options)),
    close: async () => opened?.close(),
  };

  async function connect(): Promise<void> {
    if (config.disabled) return;
    refused = undefined;
    try {
      await source.listTools();
    } catch (error) {
      write('error', toPageWords(describeFailure(error)));
    }
  }

  return {
    source,
    features: open,
    follow: subscriptions.follow,
    view() {
      const current = status();
      const error = describeProblem();
      const idle = config.disabled ? 'disabled' : 'idle';
      return {
        name,
        target: toTarget(config),
        transport: 'command' in config ? 'stdio' : 'http',
        state: current?.state ?? idle,
        ...(signIn.isSignedIn() && { isSignedIn: true }),
        ...(current?.authorizationUrl && { authorizationUrl: current.authorizationUrl }),
        ...(error !== undefined && { error }),
        tools: tools.map(toToolView),
        log: [...log],
      };
    },
    async inspect(after) {
      const { handshake, last } = traffic;
      const shown = redactForDisplay({ handshake, ...traffic.since(after) }, redactor);
      // The form of a tool sends the values of its schema, so nothing in it is redacted.
      const list = inspected.list(tools, { taskForm: toTaskForm(traffic.handshake) });
      const tasksShown = redactForDisplay(tasks.list(), redactor);
      return {
        tools: list,
        tasks: tasksShown,
        ...shown,
        roots: config.roots ?? [],
        logLevel,
        last,
        signIn: signIn.steps,
      };
    },
    history,
    async setLogLevel(level) {
      await open().setLogLevel(name, { level });
      logLevel = level;
    },
    inputSchema: toolName => findTool(toolName)?.inputSchema,
    async call(toolName, { input, signal, isForApp = false }) {
      const startedAt = performance.now();
      const after = traffic.last;
      const call = { toolCallId: randomUUID(), toolName, input };
      const output = isForApp
        ? await follow(call, open().callAppTool({ ...call, server: name }, { signal }))
        : await source.callTool(call, { signal });
      const duration = Math.round(performance.now() - startedAt);
      const sentName = findTool(toolName)?.originalName ?? toolName;
      const isError = output.type.startsWith('error');
      const { type, value } = output;
      // Without a result of the server, the text is that of the package.
      const own = typeof value === 'string' ? toPageWords(value) : value;
      const result = traffic.findResult(sentName, { after }) ?? own;
      const original = type === 'content' ? { content: value } : own;
      return record({ number: history.next(), toolName, input, duration, isError, result }, original);
    },
    async findApp(toolName) {
      await source.listTools();
      const uri = tools.find(({ name: known }) => known === toolName)?.metadata?.app?.resourceUri;
      if (uri !== undefined) return { uri, tools: inspected.forApps() };
      const reason = isReady()
        ? `The MCP server “${name}” offers no app of the tool ${JSON.stringify(toolName)}.`
        : [`The MCP server “${name}” is not connected.`, describeProblem()].filter(Boolean).join(' ');
      throw new HTTPException(409, { message: reason });
    },
    startTask: (toolName, input) => tasks.start(toolName, input, { number: history.next() }),
    cancelTask: tasks.cancel,
    connect,
    async reconnect() {
      await disconnect();
      await connect();
    },
    async signOut() {
      await disconnect();
      signIn.signOut();
      // The provider holds the started sign-in.
      opened = undefined;
      tools = [];
    },
    async close() {
      subscriptions.end();
      await disconnect();
    },
  };

  async function disconnect(): Promise<void> {
    clearTimeout(reading);
    isClosing = true;
    await opened?.close().finally(() => (isClosing = false));
  }
}

const toToolView = ({ name, description, readOnly, destructive }: ToolDefinition): ToolView => ({
  name,
  ...(description !== undefined && { description }),
  ...(readOnly ? { hint: 'read-only' as const } : destructive ? { hint: 'destructive' as const } : {}),
});
