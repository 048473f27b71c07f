import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import { objectOf, stringOf, tryParseJson } from '../../../core/shared/json.js';
import { unreadableKey } from './wire-messages.js';

/*
 * Corrects errors of the MCP SDK (2.4.0): the SSE transport has the HTTP status only in the message, and a failed negotiation
 * hides the error in its cause. Tests of the bare SDK: "errors" in test/tools/mcp/sdk-corrections.test.ts.
 */

/**
 * Kind of a failure.
 *
 * - `start`: the program could not be started.
 * - `not-sent`: the request did not reach a server: connection refused, unknown host, connection already closed.
 * - `network`: the connection broke; the server may have received the request.
 * - `http`: a status other than 2xx, or a response that is not MCP.
 * - `session-expired`: the server does not recognize the session and did not run the request. A `ping` has shown it.
 * - `unauthorized`: the server requires credentials or rejected them.
 * - `timeout`: no response or progress in time. `total-timeout`: the request took too long in total.
 * - `closed`: the connection ended before the response arrived.
 * - `crashing`: the connection ended too often, so the server is not restarted for a while.
 * - `input`: the server required input that the host could not give.
 * - `rpc`: a JSON-RPC error. `protocol`: an invalid response.
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
  | 'input'
  | 'rpc'
  | 'protocol';

/** State of a server's process. */
export interface ProcessReport {
  /** The end of its stderr output, unmodified. */
  readonly stderr: string;
  /** Exit status: `exit code 1` or the name of a signal. Undefined while the process runs. */
  readonly exit?: string;
}

/** A classified failure. It does not name the server, because sources with different names share connections. */
export class McpFailure extends Error {
  declare readonly kind: McpFailureKind;
  /** The HTTP status. */
  declare readonly status?: number;
  /** The system error code, such as ECONNREFUSED. */
  declare readonly systemCode?: string;
  /** The time limit that was exceeded, or the time until the next restart. */
  declare readonly milliseconds?: number;
  /** Number of unexpected ends. */
  declare readonly count?: number;
  declare readonly process?: ProcessReport;
  /** The code of a JSON-RPC error. */
  declare readonly rpcCode?: number;
  /** True if the answer of the server cannot be read. */
  declare readonly isUnreadable?: boolean;
  /** True if the session has ended, or the server does not recognize it any more. */
  declare readonly isSessionLost?: boolean;
  /** Time of the failure, if it was remembered and the server was not asked since, in milliseconds since 1970. */
  declare readonly failedAt?: number;
  /** Time from which the next use asks the server again, in milliseconds since 1970. */
  declare readonly nextAttemptAt?: number;
  /** True if the server failed before it was ready. */
  declare readonly isStart: boolean;

  /** Includes failures of another evaluation of this module, whose connections are shared in development. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'McpFailure' && 'kind' in value;
  }

  constructor({ message, cause, ...facts }: McpFailureFacts) {
    super(message ?? facts.kind, { cause });
    this.name = 'McpFailure';
    Object.assign(this, { isStart: false }, facts);
  }
}

type McpFailureFacts = Pick<McpFailure, 'kind'> & Partial<Omit<McpFailure, 'kind' | 'name' | 'stack'>>;

/**
 * Classifies an error of the SDK (2.4.0), `fetch` or Node. The SDK uses the same code for aborts and timeouts, so the callers
 * that cause them throw an `McpFailure` or the abort reason themselves.
 */
export function toMcpFailure(
  error: unknown,
  context: { process?: ProcessReport; isStart?: boolean } = {},
): McpFailure {
  if (error instanceof McpFailure) return error;
  return new McpFailure({ ...toFacts(error), ...context, cause: error });
}

function toFacts(error: unknown): McpFailureFacts {
  if (!(error instanceof Error)) return { kind: 'protocol', message: String(error) };
  // The transport throws it instead of an HTTP error, because `authorization.ts` requests the scopes.
  if (error instanceof InsufficientScopeError) return { kind: 'unauthorized', status: 403 };
  if (error instanceof SseError) return toSseFacts(error);
  if (error instanceof SdkHttpError) {
    const body = typeof error.data.text === 'string' ? error.data.text : '';
    return toStatusFacts(error.data.status, body || error.message.replace(postErrorPrefix, ''));
  }
  if (error instanceof SdkError) return toSdkFacts(error);
  if (error instanceof ProtocolError) return toRpcFacts(error);
  if (error.message === 'Not connected') return { kind: 'not-sent', isSessionLost: true };
  if (error.message.startsWith(foreignRequestMessage))
    return { kind: 'session-expired', message: error.message };

  const systemCode = findSystemCode(error);
  if (isSpawnFailure(error)) return { kind: 'start', systemCode };
  if (systemCode !== undefined && closedPipeCodes.has(systemCode)) return { kind: 'closed' };
  if (isFetchFailure(error)) {
    const isUnreached = systemCode !== undefined && unreachedCodes.has(systemCode) && !wasConnected(error);
    return { kind: isUnreached ? 'not-sent' : 'network', systemCode, message: error.message };
  }
  // The SSE transport reports the status only in the message.
  const status = /^Error POSTing to endpoint \(HTTP (\d{3})\): ([\s\S]*)$/.exec(error.message);
  if (status) return toStatusFacts(Number(status[1]), status[2] ?? '');
  return { kind: 'protocol', message: error.message };
}

/** Returns true if a time limit has ended the request. */
export const isTimeout = (failure: McpFailure): boolean =>
  failure.kind === 'timeout' || failure.kind === 'total-timeout';

/**
 * Cloudflare Workers of early 2026 bind the abort controller of the SDK's transport to the request in which the session was
 * opened, and send nothing for another request.
 */
const foreignRequestMessage = 'Cannot perform I/O on behalf of a different request';

const postErrorPrefix = /^Error POSTing to endpoint: /;

function toSseFacts(error: SseError): McpFailureFacts {
  const body = error.message.replace(/^SSE error: /, '');
  if (error.code !== undefined && error.code > 0) return toStatusFacts(error.code, body);
  const systemCode = /\bE[A-Z]{4,}\b/.exec(body)?.[0];
  return {
    kind: systemCode && unreachedCodes.has(systemCode) ? 'not-sent' : 'network',
    systemCode,
    message: body,
  };
}

/** Classifies an error of the SDK by its code. The SDK wraps errors of the negotiation, whose cause counts. */
function toSdkFacts(error: SdkError): McpFailureFacts {
  if (error.cause instanceof Error) return toFacts(error.cause);
  const timeout = objectOf(error.data)?.timeout;
  switch (error.code) {
    case SdkErrorCode.NotConnected:
      return { kind: 'not-sent' };
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.EraNegotiationFailed: // without a cause: closed while waiting for `server/discover`
      return { kind: 'closed' };
    case SdkErrorCode.RequestTimeout:
      if (typeof timeout === 'number') return { kind: 'timeout', milliseconds: timeout };
      return { kind: 'protocol', message: error.message };
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return { kind: 'http', message: error.message };
    default:
      return { kind: 'protocol', message: error.message };
  }
}

function toStatusFacts(status: number, body: string): McpFailureFacts {
  if (status === 401 || status === 403) return { kind: 'unauthorized', status, message: body };
  const { code } = readRpcError(body);
  return { kind: 'http', status, message: body, rpcCode: typeof code === 'number' ? code : undefined };
}

/** The code with which servers reject a session in a response of status 200. Some use it for other errors. */
export const sessionNotFound = -32001;

/** The code for errors of a server's own, which may be about the session. */
const serverError = -32000;

/**
 * Returns true for failures of a server that may have forgotten the session. The specification requires status 404, but servers
 * use other statuses, a JSON-RPC error or no JSON-RPC message, each in its own words (DAWNCR0W/affine-mcp-server#301,
 * mastra-ai/mastra#10660, actionhero/keryx#503). A `ping` shows it.
 */
export const mayHaveLostSession = (failure: McpFailure): boolean =>
  failure.kind === 'http' ||
  (failure.isUnreadable ?? false) ||
  (failure.kind === 'rpc' && (failure.rpcCode === sessionNotFound || failure.rpcCode === serverError));

/** Returns the JSON-RPC error in an HTTP body, or an empty object. */
function readRpcError(body: string): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(tryParseJson(body))?.error) ?? {};
}

/** Returns true unless the server cannot have run the request that failed. */
export function mayHaveRun(failure: McpFailure): boolean {
  if (failure.isStart || notRun.has(failure.kind)) return false;
  // The server rejected the request. Without a status, the response is not MCP.
  return !(
    failure.kind === 'http' &&
    failure.status !== undefined &&
    failure.status < 500 &&
    failure.status !== 408
  );
}

/** Failures before the server ran the request, and its own JSON-RPC errors, which explain themselves. */
const notRun: ReadonlySet<McpFailureKind> = new Set([
  'start',
  'not-sent',
  'session-expired',
  'unauthorized',
  'crashing',
  'rpc',
]);

function toRpcFacts({ message, code: rpcCode, data }: ProtocolError): McpFailureFacts {
  if (objectOf(data)?.[unreadableKey] === true) return { kind: 'protocol', message, isUnreadable: true };
  // Servers of the previous SDK repeat the code in the message.
  const text = message.replace(/^(MCP error -?\d+: )+/, '');
  return text === streamEndedMessage ? { kind: 'closed' } : { kind: 'rpc', message: text, rpcCode };
}

/** Message of the JSON-RPC error for a call whose stream ended without a response. */
export const streamEndedMessage = 'The stream ended before the response.';

/** Used as the system error code in runtimes that cannot start processes, such as browsers. */
export const processesUnsupported = 'NO_PROCESSES';

/** Codes of errors that occur before the server receives the request. */
const unreachedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Codes of errors that occur when standard input closes while the request is written. */
const closedPipeCodes = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function isSpawnFailure(error: Error): boolean {
  return (
    'code' in error &&
    (error.code === 'ENOTDIR' || ('syscall' in error && /^spawn/.test(String(error.syscall))))
  );
}

const fetchFailureMessages = new Set([
  'fetch failed', // Node; Deno's text differs, but its cause is kept
  'terminated', // Node, while reading the body
  'Failed to fetch', // Chrome
  'Load failed', // Safari
  'NetworkError when attempting to fetch resource.', // Firefox
]);

function isFetchFailure(error: Error): boolean {
  return error instanceof TypeError && fetchFailureMessages.has(error.message);
}

const findSystemCode = (error: Error): string | undefined => findSystemError(error)?.code;

function findSystemError(error: Error): { code: string; syscall?: unknown } | undefined {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current as Error & { code: string };
  }
  return undefined;
}

/** Returns true for an error of an open connection: a route may be lost after the server has received the request. */
const wasConnected = (error: Error): boolean =>
  /^(?:read|write)/.test(stringOf(findSystemError(error)?.syscall));
