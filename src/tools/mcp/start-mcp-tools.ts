import {
  type Closing,
  createClosing,
  linkSignal,
  onceAborted,
  untilAborted,
} from '../../core/shared/abort.js';
import { inform } from '../../core/shared/inform.js';
import type { KelivoError } from '../../core/shared/errors.js';
import { type McpFingerprints, toFingerprint } from '../fingerprints.js';
import { type HostTools, type HostToolsOptions, toHostTools } from '../host-tools.js';
import { combineSources, toPrefixedName } from '../toolbox.js';
import type {
  ListToolsOptions,
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolOutput,
  ToolSource,
} from '../tool-source.js';
import type { AuthorizationCallback } from './auth/authorization.js';
import { authorizationOf } from './auth/server-authorization.js';
import { callTool as callServerTool } from './features/call-tool.js';
import { type McpServerConfig, type McpServers, toSourceName } from './config/config.js';
import { defaultStartupTimeout, McpConnection } from './session/connection.js';
import { openConnectionPool, type PoolTimings } from './connection-pool.js';
import { McpFailure } from './transport/failures.js';
import { toMcpError } from './session/errors.js';
import type { ServerTools } from './session/list-tools.js';
import type { McpSourceOptions, McpToolsOptions } from './options.js';
import type { McpConnectionState } from './config/callbacks.js';
import type { McpStoredSession } from './transport/stored-session.js';
import { type CheckedServer, findChange, selectTools } from './features/drift.js';
import { createResourceTools } from './features/resource-tools.js';
import { findServer } from './features/find-server.js';
import {
  type McpToolSchemas,
  type McpTypedTools,
  type McpTypedToolsOptions,
  toTypedTools,
} from './features/typed-tools.js';
import { createServerFeatures, type McpServerFeatures } from './features/server-features.js';

/** The tools of MCP servers, with their resources and prompts for the application. */
export interface McpTools extends ToolSource, McpServerFeatures {
  /**
   * Returns executable tools for the loop of the host: `generateText`, `streamText` and the agents of `ai` 5, 6 and 7, with
   * any model. They share sessions, names and reconnection with the source. Starts the servers. If a server fails, its
   * tools are missing. A tool that is used after `close()` opens its server again.
   */
  tools(options?: HostToolsOptions): Promise<HostTools>;
  /**
   * Returns only the tools that `schemas` names, with the schemas of the application, as `tools({ schemas })` of
   * `@ai-sdk/mcp`. A tool that is not available is missing, and `onWarning` names it.
   */
  tools<Schemas extends McpToolSchemas>(
    options: McpTypedToolsOptions<Schemas>,
  ): Promise<McpTypedTools<Schemas>>;
  /**
   * Returns the fingerprints of the tools of each server, as JSON for the option `fingerprints`. Starts the servers. They
   * equal those of `fingerprintTools` of `ai` 7, so `detectToolDrift` compares those of a server. A server that fails keeps
   * its fingerprints, or is missing if it never listed its tools.
   */
  fingerprints(): Promise<McpFingerprints>;
  /**
   * Calls a tool for an MCP App of the same `server`, by the server's own name. Tools for the app alone can be called too,
   * tools for the model alone cannot. Ask your user first: an app calls whenever it likes.
   */
  callAppTool: ToolSource['callTool'];
  /** Returns the status of each server, in the order of the configuration. Starts nothing. */
  status(): McpServerStatus[];
  /**
   * Closes the session of a server, ends its running calls, forgets a failure, and opens it again. Other servers and their
   * calls go on. Resolves when the server is ready, has failed, or `startupTimeout` is over.
   *
   * @param server The server's name in the configuration.
   * @returns its new status.
   * @throws KelivoError `unknown-name` for a server that is not configured or disabled.
   */
  reconnect(server: string): Promise<McpServerStatus>;
  /** Does the same for all servers, and returns the status of each. */
  reconnect(): Promise<McpServerStatus[]>;
  /**
   * Completes the sign-in of a user, also after a restart or in another process if the `authProvider` stores its state.
   * The next use of the server works at once, in all tool sources with the same `authProvider`.
   *
   * @param server The server's name in the configuration.
   * @param callback The URL to which the authorization server returned the user, or its query. Its `iss` and `state` are
   * compared with the sign-in. A bare authorization code is accepted, but nothing can be compared then.
   * @throws KelivoError `mcp-unauthorized` if the callback is not accepted, `unknown-name` for a server that is not
   * configured or disabled, and `invalid-settings` for a server without `authProvider`. The message contains no text of
   * the callback.
   */
  finishAuth(server: string, callback: AuthorizationCallback): Promise<void>;
}

/** Status of one server. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpConnectionState | 'disabled';
  /** The URL that the user must open to sign in. Only in the state `unauthorized`. */
  readonly authorizationUrl?: string;
  /** The reason why its tools were missing from the last list. Its `code` starts with `mcp-`. */
  readonly error?: KelivoError;
  /** Time of the last failed attempt to connect or to list the tools, in milliseconds since 1970. Only after a failure. */
  readonly failedAt?: number;
  /** Time from which the next use tries again, in milliseconds since 1970. No timer runs until then. Only after a failure. */
  readonly nextAttemptAt?: number;
  /**
   * The open session over Streamable HTTP, up to revision 2025-11-25, as fields of a server's configuration with which
   * another process goes on: `{ ...config, ...session }`. Keep it secret. Only with `terminateSessionOnClose: false`.
   */
  readonly session?: McpStoredSession;
  /** The names under which its tools were last offered. */
  readonly tools: readonly string[];
}

/** Maximum number of warnings for one listing of one server. Hosts print every warning. */
const maxWarnings = 20;

/** One server, whose connection belongs to the pool. It lists and calls its tools as a source does. */
interface Server extends CheckedServer, Pick<ToolSource, 'listTools'> {
  /** The tools that may run, by the server's own names. */
  readonly tools: Map<string, ToolDefinition>;
  /** The tools that its apps may call. */
  appTools: readonly ToolDefinition[];
  /** True if its tools are offered as `<server>_<tool>`. */
  readonly isPrefixed: boolean;
  /** The last listing. */
  judged?: JudgedListing;
  /** Offered names of the last listing. */
  offered: readonly string[];
  error?: KelivoError;
  /** @param tool The tool that runs. @default the one that is offered to models under this name */
  callTool(
    call: ToolInvocation,
    options: ToolCallOptions,
    tool?: ToolDefinition | undefined,
  ): Promise<ToolOutput>;
}

/** A list of a server as it is offered. While the server's list is the same object, it is not judged again. */
interface JudgedListing {
  readonly listed: ServerTools;
  readonly tools: readonly ToolDefinition[];
  /** Problems that every turn reports. */
  readonly warnings: readonly string[];
}

/** Creates the tools of validated servers. `createMcpTools` loads this module and the MCP SDK with the first use. */
export function startMcpTools(
  mcpServers: McpServers,
  {
    pool: sharedPool,
    timeout = 60_000,
    totalTimeout = 600_000,
    startupTimeout = defaultStartupTimeout,
    toolNames = 'auto',
    requestMeta,
    fingerprints,
    ...poolOptions
  }: McpToolsOptions,
  timings?: PoolTimings,
): McpTools {
  const pool = sharedPool ?? openConnectionPool(poolOptions, timings);
  const configs = Object.entries(mcpServers);
  const enabled = configs.filter(([, config]) => !config.disabled);
  const sourceName = toSourceName(enabled.map(([name]) => name));
  const closing = createClosing(sourceName);
  const limits = { timeout, totalTimeout, startupTimeout };
  const servers = enabled.map(([name, config]) =>
    createServer(name, config, pool.connectionTo(config, { serverName: name, Connection: McpConnection }), {
      ...limits,
      requestMeta,
      closing,
      accepted: fingerprints?.[name],
      isPrefixed: toolNames === 'prefixed',
    }),
  );
  const features = createServerFeatures(servers, { timeout, totalTimeout, closed: () => closing.signal });
  const readable = servers.filter(server => server.config.resourceTools);
  const resourceTools = readable.length > 0 ? createResourceTools(readable, features) : undefined;
  const combined = combineSources(resourceTools === undefined ? servers : [...servers, resourceTools]);

  let lastTools: readonly ToolDefinition[] | undefined;

  const status = (): McpServerStatus[] => configs.map(([name]) => toStatus(name, servers));

  async function listTools(listOptions: ListToolsOptions = {}): Promise<ToolListing> {
    listOptions.signal?.throwIfAborted();
    const closed = [closing.signal, pool.closing.signal];
    const listing = await untilAborted(combined.listTools(listOptions), closing.signal);
    if (listing.tools !== lastTools) {
      lastTools = listing.tools;
      for (const server of servers) {
        server.offered = lastTools.filter(tool => tool.server === server.name).map(tool => tool.name);
      }
    }
    return { ...listing, closed };
  }

  async function callTool(call: ToolInvocation, callOptions: ToolCallOptions): Promise<ToolOutput> {
    const { signal } = callOptions;
    signal.throwIfAborted();
    let found = combined.find(call);
    if (found === undefined) {
      await listTools({ signal });
      found = combined.find(call);
    }
    if (found === undefined)
      return { type: 'error-text', value: `No MCP server offers a tool ${JSON.stringify(call.toolName)}.` };
    const output = await found.source.callTool(found.call, callOptions);
    resourceTools?.addLinks(found.call.server, output);
    return output;
  }

  /** A call outside of a turn ends with the source: it must not open its server again. */
  const untilClosed =
    (run: ToolSource['callTool']): ToolSource['callTool'] =>
    async (call, callOptions) => {
      const link = linkSignal(callOptions.signal);
      const releases = [closing.signal, pool.closing.signal].map(closed =>
        onceAborted(closed, () => link.abort(closed.reason)),
      );
      try {
        return await run(call, { ...callOptions, signal: link.signal });
      } finally {
        for (const release of [link.release, ...releases]) release();
      }
    };

  function hostTools(options?: HostToolsOptions): Promise<HostTools>;
  function hostTools<Schemas extends McpToolSchemas>(
    options: McpTypedToolsOptions<Schemas>,
  ): Promise<McpTypedTools<Schemas>>;
  async function hostTools<Schemas extends McpToolSchemas>({
    schemas,
    ...toolsOptions
  }: Partial<McpTypedToolsOptions<Schemas>> = {}): Promise<HostTools | McpTypedTools<Schemas>> {
    const { tools, warnings } = await listTools();
    for (const warning of warnings) inform(toolsOptions.onWarning, warning);
    const untyped = toHostTools({ callTool: untilClosed(callTool) }, tools, toolsOptions);
    if (schemas === undefined) return untyped;
    const { tools: typed, missing } = toTypedTools(untyped, schemas);
    for (const name of missing)
      inform(toolsOptions.onWarning, `No MCP server offers the tool ${JSON.stringify(name)} of \`schemas\`.`);
    return typed;
  }

  return {
    ...features,
    name: sourceName,
    listTools,
    tools: hostTools,
    callTool,
    callAppTool: untilClosed(async (call, callOptions) => {
      const server = findServer(servers, call.server ?? '');
      const { toolName, originalName = toolName } = call;
      await server.listTools({ signal: callOptions.signal });
      const tool = server.appTools.find(appTool => appTool.name === originalName);
      if (tool !== undefined) return server.callTool(call, callOptions, tool);
      const reason = `MCP server "${server.name}" offers no tool ${JSON.stringify(originalName)} to its apps.`;
      return { type: 'error-text', value: server.error?.message ?? reason };
    }),
    async fingerprints() {
      await listTools();
      const all = servers.map(async server => {
        if (server.listed === undefined)
          return server.accepted === undefined ? [] : [[server.name, server.accepted] as const];
        const own = server.listed.map(async tool => [tool.name, await toFingerprint(tool)] as const);
        return [[server.name, Object.fromEntries(await Promise.all(own))] as const];
      });
      return Object.fromEntries((await Promise.all(all)).flat());
    },
    async close() {
      closing.close();
      if (!sharedPool) await pool.close();
    },
    async finishAuth(serverName, callback) {
      const server = findServer(servers, serverName);
      await server.connection.finishAuth(callback, { serverName });
      server.error = undefined;
    },
    status,
    reconnect: createReconnect(servers, status),
  };
}

/** Creates the function that opens one server again, or all. */
function createReconnect(servers: readonly Server[], status: McpTools['status']): McpTools['reconnect'] {
  async function reopen(server: Server): Promise<McpServerStatus> {
    await server.connection.close();
    // The status has the error, also of a server that is required.
    await server.listTools().catch(() => {});
    return toStatus(server.name, servers);
  }

  function reconnect(name: string): Promise<McpServerStatus>;
  function reconnect(): Promise<McpServerStatus[]>;
  async function reconnect(name?: string): Promise<McpServerStatus | McpServerStatus[]> {
    if (name !== undefined) return reopen(findServer(servers, name));
    await Promise.all(servers.map(reopen));
    return status();
  }
  return reconnect;
}

function toStatus(name: string, servers: readonly Server[]): McpServerStatus {
  const server = servers.find(other => other.name === name);
  if (!server) return { name, state: 'disabled', tools: [] };
  const { config, connection, error, offered } = server;
  const { state, failure } = connection;
  const authorizationUrl = state === 'unauthorized' ? authorizationOf(config)?.signInUrl : undefined;
  const times = state !== 'ready' &&
    failure && { failedAt: failure.failedAt, nextAttemptAt: failure.nextAttemptAt };
  // Applications show and log a status, so it has a session id only where one is meant to be stored.
  const isKept = 'url' in config && config.terminateSessionOnClose === false;
  const session = isKept ? connection.session : undefined;
  return { name, state, authorizationUrl, error, tools: offered, ...times, ...(session && { session }) };
}

function createServer(
  name: string,
  config: McpServerConfig,
  connection: McpConnection,
  {
    timeout,
    totalTimeout,
    startupTimeout,
    requestMeta,
    accepted,
    isPrefixed,
    closing,
  }: Required<Pick<McpSourceOptions, 'timeout' | 'totalTimeout' | 'startupTimeout'>> & {
    readonly requestMeta: McpSourceOptions['requestMeta'];
    readonly accepted: CheckedServer['accepted'];
    readonly isPrefixed: boolean;
    /** Aborts with the source. */
    readonly closing: Closing;
  },
): Server {
  const { required: isRequired = false } = config;
  const limits = { totalTimeout, timeout: config.timeout ?? timeout };
  const startLimit = config.startupTimeout ?? startupTimeout;

  const server: Server = {
    name,
    config,
    connection,
    accepted,
    isPrefixed,
    reported: new Set(),
    tools: new Map(),
    appTools: [],
    offered: [],
    /** @throws KelivoError if the server is required, and has failed or is not ready. */
    async listTools(options = {}) {
      try {
        const listed = await connection.listTools({
          signal: options.signal,
          startupTimeout: startLimit,
          waitsAgain: isRequired,
        });
        server.error = undefined;
        if (listed === undefined && isRequired)
          throw new McpFailure({ kind: 'timeout', isStart: true, milliseconds: startLimit });
        if (listed === undefined) {
          const warning = `MCP server ${JSON.stringify(name)} is still starting. Its tools are offered as soon as it is ready.`;
          return { tools: [], warnings: [warning] };
        }
        if (server.judged?.listed === listed) return server.judged;
        return await judgeList(server, listed);
      } catch (error) {
        options.signal?.throwIfAborted();
        server.error = toMcpError(error, { serverName: name, config });
        if (isRequired) throw server.error;
        return { tools: [], warnings: [server.error.message] };
      }
    },
    async callTool(call, options, tool = server.tools.get(call.originalName ?? call.toolName)) {
      const { signal: closed } = closing;
      const { toolName, originalName = toolName } = call;
      // The tool was approved, or has to be one that was accepted.
      const isChecked = options.approved !== undefined || accepted !== undefined;
      const changed = isChecked ? await findChange(server, originalName, options) : undefined;
      // The tools were closed during the check: the call must not open its server again.
      options.signal.throwIfAborted();
      closed.throwIfAborted();
      if (changed !== undefined) return { type: 'error-text', value: changed };
      if (tool === undefined) throw new Error(`The tool "${originalName}" was never listed.`);
      const called = { serverName: name, config, connection, tool, requestMeta };
      return callServerTool(called, call, { ...options, ...limits });
    },
  };
  return server;
}

/** Decides which tools of a list are offered, and what is reported about the others. */
async function judgeList(server: Server, listed: ServerTools): Promise<ToolListing> {
  const { name, config, isPrefixed } = server;
  const offered = listed.tools.filter(tool => isOffered(tool.name, config));
  const { accepted, problems: drift } = await selectTools(server, offered);
  const all = [...findProblems(config, listed), ...drift.map(text => ({ text, isWanted: false }))];
  const more = { text: `has ${all.length - maxWarnings} more malformed or missing tools`, isWanted: false };
  const shown = all.length > maxWarnings ? [...all.slice(0, maxWarnings), more] : all;
  // The lack of a tool that the configuration names is reported to every turn, other problems once.
  const problems = shown.filter(entry => entry.isWanted || !server.reported.has(entry.text));
  for (const { text } of problems) server.reported.add(text);
  const trustAnnotations = config.trustAnnotations === true;
  server.appTools = listed.appTools
    .filter(tool => isOffered(tool.name, config))
    .map(tool => ({ ...tool, trustAnnotations }));
  const tools = accepted.map(tool => ({
    ...tool,
    server: name,
    originalName: tool.name,
    ...(tool.metadata && { metadata: { clientName: name, ...tool.metadata } }),
    ...(isDeferred(tool.name, config) && { deferLoading: true }),
    trustAnnotations,
  }));
  // A call of a tool that changed must not run under its earlier definition.
  for (const { name: toolName } of offered) server.tools.delete(toolName);
  for (const tool of tools) server.tools.set(tool.name, tool);
  const offeredTools = isPrefixed
    ? tools.map(tool => ({ ...tool, name: toPrefixedName(name, tool.name) }))
    : tools;
  const toWarnings = (ofTools: readonly { text: string }[]): string[] =>
    ofTools.map(({ text }) => `MCP server ${JSON.stringify(name)} ${text}.`);
  const warnings = toWarnings(problems.filter(problem => problem.isWanted));
  server.judged = { listed, tools: offeredTools, warnings };
  return { tools: offeredTools, warnings: toWarnings(problems) };
}

function isOffered(toolName: string, config: McpServerConfig): boolean {
  return (
    config.allowedTools?.includes(toolName) !== false && config.disabledTools?.includes(toolName) !== true
  );
}

const isDeferred = (toolName: string, { deferLoading = false }: McpServerConfig): boolean =>
  typeof deferLoading === 'boolean' ? deferLoading : !deferLoading.exclude.includes(toolName);

/**
 * Returns a clause for each tool that is missing, and whether the configuration names it. The clause follows the server's
 * name.
 */
function findProblems(
  config: McpServerConfig,
  serverTools: ServerTools,
): { text: string; isWanted: boolean }[] {
  const { allowedTools = [] } = config;
  const named = new Set([
    ...serverTools.tools.map(tool => tool.name),
    ...serverTools.problems.map(problem => problem.toolName),
  ]);
  return [
    ...serverTools.problems
      .filter(problem => problem.toolName === undefined || isOffered(problem.toolName, config))
      .map(problem => ({ text: problem.text, isWanted: allowedTools.includes(problem.toolName ?? '') })),
    ...allowedTools
      .filter(name => !named.has(name))
      .map(name => ({
        isWanted: true,
        text: serverTools.appTools.some(tool => tool.name === name)
          ? `offers the tool ${JSON.stringify(name)} from its \`allowedTools\` only to its user interface`
          : `does not offer the tool ${JSON.stringify(name)} from its \`allowedTools\``,
      })),
  ];
}
