import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

/**
 * What went wrong with a server.
 *
 * - `start`: the program could not be started.
 * - `not-sent`: the request did not reach a server: refused, unknown host, connection closed before.
 * - `network`: the connection broke; the server may have seen the request.
 * - `http`: a status other than 2xx, or an answer that is no MCP.
 * - `session-expired`: the server does not know our session any more and ran nothing.
 * - `unauthorized`: the server wants to know who asks.
 * - `timeout`: silence for too long. `total-timeout`: too long in all.
 * - `closed`: the connection ended while the answer was awaited.
 * - `crashing`: the connection ended so often that the server is left alone for a while.
 * - `rpc`: a JSON-RPC error. `protocol`: an answer that makes no sense.
 */
export type McpFailureKind =
  | 'start'
  | 'not-sent'
  | 'network'
  | 'http'
  | 'session-expired'
  | 'unauthorized'
  | 'timeout'
  | 'total-timeout'
  | 'closed'
  | 'crashing'
  | 'rpc'
  | 'protocol';

/** What is known of a server's process. */
export interface ProcessReport {
  /** The last of its stderr, as it came. */
  readonly stderr: string;
  /** How it ended: `exit code 1` or a signal's name; absent while it runs. */
  readonly exit?: string;
}

/** A failure as a kind and its facts. It bears no server name, because connections are shared. */
export class McpFailure extends Error {
  readonly kind: McpFailureKind;
  /** The HTTP status. */
  readonly status?: number;
  /** The system's error code, such as ECONNREFUSED. */
  readonly systemCode?: string;
  /** The time limit that was reached, or the time of rest that remains. */
  readonly milliseconds?: number;
  /** How often it happened. */
  readonly count?: number;
  readonly process?: ProcessReport;
  /** Whether the server never got ready, in contrast to a failure in use. */
  readonly isStart: boolean;

  constructor(facts: McpFailureFacts) {
    super(facts.message ?? facts.kind, { cause: facts.cause });
    this.kind = facts.kind;
    this.status = facts.status;
    this.systemCode = facts.systemCode;
    this.milliseconds = facts.milliseconds;
    this.count = facts.count;
    this.process = facts.process;
    this.isStart = facts.isStart ?? false;
  }
}

interface McpFailureFacts {
  kind: McpFailureKind;
  message?: string;
  status?: number;
  systemCode?: string;
  milliseconds?: number;
  count?: number;
  process?: ProcessReport;
  isStart?: boolean;
  cause?: unknown;
}

interface FailureContext {
  /** Whether the request named a session: only then does a 404 mean that it has expired. */
  hasSession?: boolean;
  process?: ProcessReport;
  isStart?: boolean;
}

/**
 * Sorts what the SDK, `fetch` or Node threw. It gives aborts and timeouts the same code, so those are told
 * apart by whoever caused them.
 */
export function toMcpFailure(error: unknown, context: FailureContext = {}): McpFailure {
  if (error instanceof McpFailure) return error;
  return new McpFailure({ ...toFacts(error, context), ...context, cause: error });
}

function toFacts(error: unknown, { hasSession = false }: FailureContext): McpFailureFacts {
  if (!(error instanceof Error)) return { kind: 'protocol', message: String(error) };
  if (error instanceof UnauthorizedError) return { kind: 'unauthorized' };
  if (error instanceof StreamableHTTPError || error instanceof SseError)
    return toHttpFacts(error, { hasSession });
  if (error instanceof McpError) return toRpcFacts(error);
  if (error.message === 'Not connected') return { kind: 'not-sent' };

  const systemCode = findSystemCode(error);
  if (isSpawnFailure(error)) return { kind: 'start', systemCode };
  if (systemCode !== undefined && closedPipeCodes.has(systemCode)) return { kind: 'closed' };
  if (isFetchFailure(error)) {
    const isUnreached = systemCode !== undefined && unreachedCodes.has(systemCode);
    return { kind: isUnreached ? 'not-sent' : 'network', systemCode, message: error.message };
  }
  // The SSE transport puts the status into the text alone.
  const status = /^Error POSTing to endpoint \(HTTP (\d{3})\): ([\s\S]*)$/.exec(error.message);
  if (status) return toStatusFacts(Number(status[1]), status[2] ?? '', { hasSession: false });
  return { kind: 'protocol', message: error.message };
}

function toHttpFacts(error: StreamableHTTPError | SseError, { hasSession }: FailureContext): McpFailureFacts {
  const body = error.message.replace(/^(Streamable HTTP|SSE) error: (Error POSTing to endpoint: )?/, '');
  if (error.code !== undefined && error.code > 0) return toStatusFacts(error.code, body, { hasSession });
  if (error instanceof StreamableHTTPError) return { kind: 'http', message: body }; // -1: not an MCP answer
  const systemCode = /\bE[A-Z]{4,}\b/.exec(body)?.[0];
  return {
    kind: systemCode && unreachedCodes.has(systemCode) ? 'not-sent' : 'network',
    systemCode,
    message: body,
  };
}

function toStatusFacts(status: number, body: string, { hasSession }: FailureContext): McpFailureFacts {
  if (status === 401 || status === 403) return { kind: 'unauthorized', status, message: body };
  // The status alone decides: the texts differ from server to server. Some answer 400 instead, which is
  // believed when the text says so (the reference servers: "Server not initialized", "No valid session ID").
  const isExpired = status === 404 || (status === 400 && /session|not initialized/i.test(body));
  return { kind: hasSession && isExpired ? 'session-expired' : 'http', status, message: body };
}

function toRpcFacts(error: McpError): McpFailureFacts {
  const data: { timeout?: unknown } = Object(error.data);
  if (error.code === ErrorCode.RequestTimeout && typeof data.timeout === 'number') {
    return { kind: 'timeout', milliseconds: data.timeout };
  }
  const message = error.message.replace(/^(MCP error -?\d+: )+/, '');
  // Servers use the same code for errors of all kinds.
  if (error.code === ErrorCode.ConnectionClosed && closedMessages.has(message)) return { kind: 'closed' };
  return { kind: 'rpc', message };
}

/** What a call is answered with whose stream ended without an answer. */
export const streamEndedMessage = 'The stream ended before the response.';

const closedMessages = new Set([
  'Connection closed', // the SDK
  streamEndedMessage,
]);

/** Stands for a system error code where there are no processes, such as in a browser. */
export const processesUnsupported = 'NO_PROCESSES';

/** The server has not seen the request. */
const unreachedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Standard input was closed while the request was written. */
const closedPipeCodes = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function isSpawnFailure(error: Error): boolean {
  return (
    'code' in error &&
    (error.code === 'ENOTDIR' || ('syscall' in error && /^spawn/.test(String(error.syscall))))
  );
}

const fetchFailureMessages = new Set([
  'fetch failed', // Node, Deno's text starts otherwise but its cause is kept
  'terminated', // Node, while reading the body
  'Failed to fetch', // Chrome
  'Load failed', // Safari
  'NetworkError when attempting to fetch resource.', // Firefox
]);

function isFetchFailure(error: Error): boolean {
  return error instanceof TypeError && fetchFailureMessages.has(error.message);
}

function findSystemCode(error: Error): string | undefined {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return undefined;
}
