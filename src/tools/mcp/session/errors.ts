import { KelivoError, type KelivoErrorCode } from '../../../core/shared/errors.js';
import { objectOf } from '../../../core/shared/json.js';
import { redactServerText } from '../auth/secrets.js';
import { authorizationOf } from '../auth/server-authorization.js';
import type { McpServerConfig } from '../config/config.js';
import {
  type McpFailure,
  type McpFailureKind,
  mayHaveRun,
  processesUnsupported,
  toMcpFailure,
} from '../transport/failures.js';
import { toPlainText } from '../transport/untrusted-input.js';

interface ErrorContext {
  serverName: string;
  config: McpServerConfig;
  /** The tool that was called. Undefined while connecting and listing. */
  toolName?: string;
}

/**
 * Describes a failure in one sentence for the user and the model. Text of the server is truncated and redacted. A URL
 * is reduced to its origin; arguments and variables of a command are left out. The error has no `cause`, because that
 * would contain the raw text.
 */
export function toMcpError(error: unknown, context: ErrorContext): KelivoError {
  const failure = toMcpFailure(error);
  const code = failure.isStart && failure.kind === 'closed' ? 'mcp-start' : codes[failure.kind];
  const { serverName, toolName } = context;
  const tool = toolName !== undefined && mayHaveRun(failure) ? JSON.stringify(toolName) : undefined;
  const message =
    `MCP server ${JSON.stringify(serverName)} ${clauses[failure.kind](failure, context)}` +
    (tool === undefined ? '' : ` The tool ${tool} may or may not have been executed.`) +
    toAge(failure) +
    (failure.kind === 'timeout' || failure.kind === 'closed' ? toLastOutput(failure, context) : '');
  return new KelivoError({ code, message });
}

/** Describes when a remembered failure occurred. */
function toAge(failure: McpFailure): string {
  if (failure.failedAt === undefined || failure.nextAttemptAt === undefined) return '';
  const toSeconds = (milliseconds: number): string => `${Math.max(Math.ceil(milliseconds / 1000), 1)} s`;
  const now = Date.now();
  return ` That was ${toSeconds(now - failure.failedAt)} ago; the server is asked again in ${toSeconds(failure.nextAttemptAt - now)}.`;
}

const codes: Readonly<Record<McpFailureKind, KelivoErrorCode>> = {
  start: 'mcp-start',
  'not-sent': 'mcp-network',
  network: 'mcp-network',
  http: 'mcp-http',
  'session-expired': 'mcp-http',
  unauthorized: 'mcp-unauthorized',
  timeout: 'mcp-timeout',
  'total-timeout': 'mcp-timeout',
  closed: 'mcp-closed',
  crashing: 'mcp-closed',
  input: 'mcp-protocol',
  rpc: 'mcp-protocol',
  protocol: 'mcp-protocol',
};

type Clause = (failure: McpFailure, context: ErrorContext) => string;

/** The ends of the messages, which follow the server's name. */
const clauses: Readonly<Record<McpFailureKind, Clause>> = {
  start: (failure, context) =>
    `could not be started: ${toStartCause(failure.systemCode ?? 'unknown', context)}`,
  'not-sent': (failure, context) =>
    `is not reachable${toPlace(context)}${toCode(failure.systemCode)}. Is it running?`,
  network: (failure, context) =>
    `${failure.isStart ? 'could not be reached' : 'lost the connection'}${toPlace(context)}${toCode(failure.systemCode)}.`,
  http: (failure, context) =>
    `returned ${failure.status ? `HTTP ${failure.status}` : 'a response that is not MCP'}${toPlace(context)}${toQuote(failure.message, context)}.`,
  'session-expired': (failure, context) =>
    `rejected its session and then a new session${failure.status === undefined ? '' : ` (HTTP ${failure.status})`}${toQuote(failure.message, context)}.`,
  unauthorized: (failure, context) => {
    const { signInUrl, problem } = authorizationOf(context.config) ?? {};
    const place = toPlace(context);
    if (signInUrl !== undefined) {
      return (
        `requires that the user signs in${place}. Open the \`authorizationUrl\` of its status, and pass the URL of ` +
        'the callback to `finishAuth`.'
      );
    }
    if (problem !== undefined) return `requires authorization${place}. ${problem}`;
    return failure.status === 403
      ? `denied access${place} (HTTP 403). Check the permissions of the credentials.`
      : `requires authorization${place}. Check its \`headers\`, or set an \`authProvider\`.`;
  },
  timeout: (failure, context) =>
    `${failure.isStart ? 'was not ready' : `did not respond${toTool(context, ' to')}`} within ${failure.milliseconds} ms.`,
  'total-timeout': (failure, context) =>
    `exceeded the total limit of ${failure.milliseconds} ms${toTool(context, ' for')}.`,
  closed(failure, context) {
    const exit = failure.process?.exit ? ` (${failure.process.exit})` : '';
    if (!failure.isStart) return `closed the connection${exit}.`;
    return `could not be started: ${toCommand(context)} ended before it was ready${exit}.`;
  },
  crashing: failure =>
    `ended unexpectedly ${failure.count} times within a minute. It can be started again in ${Math.ceil((failure.milliseconds ?? 0) / 1000)} s.`,
  input: (failure, context) =>
    `required input${toTool(context, ' for')}${toQuote(failure.message, context)}.`,
  rpc: (failure, context) =>
    `reported an error${toTool(context, ' for')}${toQuote(failure.message, context)}.`,
  protocol: (failure, context) =>
    `sent an invalid MCP response${toTool(context, ' for')}${toQuote(failure.message, context)}.`,
};

const toCode = (systemCode: string | undefined) => (systemCode === undefined ? '' : ` (${systemCode})`);

const toTool = (context: ErrorContext, preposition: string) =>
  context.toolName === undefined ? '' : `${preposition} tool ${JSON.stringify(context.toolName)}`;

const toPlace = (context: ErrorContext) =>
  'url' in context.config ? ` at ${new URL(context.config.url).origin}` : '';

function toCommand(context: ErrorContext): string {
  if ('url' in context.config) return 'its connection';
  return `the command ${JSON.stringify(context.config.command)}${context.config.cwd ? `, in ${JSON.stringify(context.config.cwd)},` : ''}`;
}

function toStartCause(systemCode: string, context: ErrorContext): string {
  const { config } = context;
  if (systemCode === 'ENOTDIR' && 'command' in config) {
    return `its directory ${JSON.stringify(config.cwd)} does not exist. Correct \`cwd\`.`;
  }
  if (systemCode === processesUnsupported) {
    return 'programs can only be started in Node, Bun or Deno. Use a server with a `url` instead.';
  }
  if (systemCode === 'ENOENT') {
    return `${toCommand(context)} was not found. Install it, or set \`command\` to its full path${windowsAdvice()}.`;
  }
  return `${toCommand(context)} could not be run (${systemCode}).`;
}

/** Returns advice for Windows. `process` exists here, because only Node starts programs. */
function windowsAdvice(): string {
  return process.platform === 'win32'
    ? ' (scripts such as npx need `"command": "cmd", "args": ["/c", "npx", …]`)'
    : '';
}

/** A package folder of `npx`. A folder that an interrupted installation left incomplete breaks every later start. */
const npxFolder = /(?<!\S)\S*[\\/]_npx[\\/][0-9a-f]+/;

function toLastOutput(failure: McpFailure, context: ErrorContext): string {
  const output = toClean(failure.process?.stderr ?? '', context);
  const lines = output.split('\n').slice(-5).join('\n').slice(-400);
  const folder = failure.isStart ? npxFolder.exec(output)?.[0].replace(/^[^/\\a-z]+/i, '') : undefined;
  const advice =
    folder === undefined
      ? ''
      : ` An interrupted installation may have damaged ${JSON.stringify(folder)}: delete this folder and start again.`;
  return lines === '' ? '' : `${advice} Its last output was: ${lines}`;
}

function toQuote(message: string | undefined, context: ErrorContext): string {
  const text = toClean(toInnerMessage(message ?? ''), context)
    .replace(/\s+/g, ' ')
    .replace(/\.$/, '');
  return text === '' ? '' : `: ${text.length > 500 ? `${text.slice(0, 500)}…` : text}`;
}

/** Returns the message of a JSON-RPC or HTTP error body, or the title of an HTML page. */
function toInnerMessage(body: string): string {
  try {
    const parsed = objectOf(JSON.parse(body));
    const inner = objectOf(parsed?.error)?.message ?? parsed?.message ?? parsed?.error;
    if (typeof inner === 'string') return inner;
  } catch {
    // Not JSON, so the body is text.
  }
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  return title ?? body.replace(/<[^<>]*>/g, ' ');
}

function toClean(text: string, context: ErrorContext): string {
  return redactServerText(toPlainText(text).trim(), context.config);
}
