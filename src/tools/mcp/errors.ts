import { KelivoError, type KelivoErrorCode } from '../../shared/errors.js';
import type { McpServerConfig } from './config.js';
import { type McpFailure, type McpFailureKind, processesUnsupported, toMcpFailure } from './failures.js';
import { redactServerText } from './redaction.js';
import { toPlainText } from './untrusted-input.js';

interface ErrorContext {
  serverName: string;
  config: McpServerConfig;
  /** The tool that was called; absent while connecting and listing. */
  toolName?: string;
}

/**
 * The one sentence about a failure, for the user's eyes and the model's. What came from the server is cut
 * short and cleaned of secrets; of an address the origin is named, of a command neither arguments nor variables.
 * The cause is left out, because it holds the raw text.
 */
export function toMcpError(error: unknown, context: ErrorContext): KelivoError {
  const failure = toMcpFailure(error);
  const code = failure.isStart && failure.kind === 'closed' ? 'mcp-start' : codes[failure.kind];
  return new KelivoError({ code, message: sentences[failure.kind](failure, context) });
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
  rpc: 'mcp-protocol',
  protocol: 'mcp-protocol',
};

type Sentence = (failure: McpFailure, context: ErrorContext) => string;

const sentences: Readonly<Record<McpFailureKind, Sentence>> = {
  start: ({ systemCode = 'unknown' }, context) =>
    `${toServer(context)} could not be started: ${toStartCause(systemCode, context)}`,
  'not-sent': ({ systemCode }, context) =>
    `${toServer(context)} is not reachable${toPlace(context)}${systemCode ? ` (${systemCode})` : ''}. Is it running?`,
  network: ({ isStart, systemCode }, context) =>
    `${toServer(context)} ${isStart ? 'could not be reached' : 'broke the connection'}${toPlace(context)}` +
    `${systemCode ? ` (${systemCode})` : ''}${toDoubt(context)}.`,
  http: ({ status, message }, context) =>
    `${toServer(context)} answered ${status ? `HTTP ${status}` : 'with something that is no MCP'}${toPlace(context)}${toQuote(message, context)}.`,
  'session-expired': ({ status }, context) =>
    `${toServer(context)} lost its session, and a new one too (HTTP ${status}).`,
  unauthorized: ({ status }, context) =>
    status === 403
      ? `${toServer(context)} refused access${toPlace(context)} (HTTP 403): the credentials do not allow it.`
      : `${toServer(context)} needs authorization${toPlace(context)}. Check its \`headers\`, or give it an \`authProvider\`.`,
  timeout: ({ isStart, milliseconds, process }, context) =>
    `${toServer(context)} did not ${isStart ? 'get ready' : `answer${toTool(context)}`} within ${milliseconds} ms.` +
    toLastWords(process?.stderr, context),
  'total-timeout': ({ milliseconds }, context) =>
    `${toServer(context)} was stopped${toTool(context, ' at')} after the total limit of ${milliseconds} ms.`,
  closed: ({ isStart, process }, context) => {
    const exit = process?.exit ? ` (${process.exit})` : '';
    const event = isStart
      ? `could not be started: ${toCommand(context)} ended before it was ready${exit}`
      : `closed the connection${exit}${toDoubt(context)}`;
    return `${toServer(context)} ${event}.${toLastWords(process?.stderr, context)}`;
  },
  crashing: ({ count, milliseconds = 0 }, context) =>
    `${toServer(context)} ended unexpectedly ${count} times within a minute and is left alone for ` +
    `${Math.ceil(milliseconds / 1000)} s more.`,
  rpc: ({ message }, context) =>
    `${toServer(context)} reported an error${toTool(context, ' for')}${toQuote(message, context)}.`,
  protocol: ({ message }, context) =>
    `${toServer(context)} does not answer${toTool(context)} as an MCP server should${toQuote(message, context)}.`,
};

const toServer = ({ serverName }: ErrorContext) => `MCP server ${JSON.stringify(serverName)}`;

const toTool = ({ toolName }: ErrorContext, preposition = '') =>
  toolName === undefined ? '' : `${preposition} tool ${JSON.stringify(toolName)}`;

const toDoubt = ({ toolName }: ErrorContext) =>
  toolName === undefined ? '' : `; the tool ${JSON.stringify(toolName)} may or may not have been executed`;

const toPlace = ({ config }: ErrorContext) => ('url' in config ? ` at ${new URL(config.url).origin}` : '');

function toCommand({ config }: ErrorContext): string {
  if ('url' in config) return 'its connection';
  return `the command ${JSON.stringify(config.command)}${config.cwd ? `, in ${JSON.stringify(config.cwd)},` : ''}`;
}

function toStartCause(systemCode: string, context: ErrorContext): string {
  const { config } = context;
  if (systemCode === 'ENOTDIR' && 'command' in config) {
    return `its folder ${JSON.stringify(config.cwd)} does not exist. Correct \`cwd\`.`;
  }
  if (systemCode === processesUnsupported)
    return 'programs can be started under Node only. Use a server with a `url`.';
  if (systemCode === 'ENOENT') {
    return `${toCommand(context)} was not found. Install it, or give its full path as \`command\`${windowsAdvice()}.`;
  }
  return `${toCommand(context)} could not be run (${systemCode}).`;
}

/** Only Node starts programs, so there is a platform to ask for. */
function windowsAdvice(): string {
  return process.platform === 'win32'
    ? ' (scripts such as npx need `"command": "cmd", "args": ["/c", "npx", …]`)'
    : '';
}

function toLastWords(stderr: string | undefined, context: ErrorContext): string {
  const lines = toClean(stderr ?? '', context)
    .split('\n')
    .slice(-5)
    .join('\n');
  return lines === '' ? '' : ` It last wrote: ${lines.slice(-400)}`;
}

function toQuote(message: string | undefined, context: ErrorContext): string {
  const text = toClean(toInnerMessage(message ?? ''), context)
    .replace(/\s+/g, ' ')
    .replace(/\.$/, '');
  return text === '' ? '' : `: ${text.length > 500 ? `${text.slice(0, 500)}…` : text}`;
}

/** A JSON-RPC or HTTP error body holds the message that matters; an HTML page its title. */
function toInnerMessage(body: string): string {
  try {
    const parsed: { error?: unknown; message?: unknown } = Object(JSON.parse(body));
    const { message }: { message?: unknown } = Object(parsed.error);
    const inner = message ?? parsed.message ?? parsed.error;
    if (typeof inner === 'string') return inner;
  } catch {
    // Not JSON: taken as text.
  }
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  return title ?? body.replace(/<[^>]*>/g, ' ');
}

function toClean(text: string, { config }: ErrorContext): string {
  return redactServerText(toPlainText(text).trim(), config);
}
