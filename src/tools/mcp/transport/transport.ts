import {
  type FetchLike,
  type JSONRPCRequest,
  type RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { PlainObject } from '../../../core/shared/json.js';
import { AddressGate, createGatedFetch } from '../auth/addresses.js';
import { createAuthorizedFetch } from '../auth/server-authorization.js';
import type { McpHttpServerConfig, McpServerConfig, McpStdioServerConfig } from '../config/config.js';
import { attachSession, readStoredSession } from './stored-session.js';
import { McpFailure, type ProcessReport, processesUnsupported } from './failures.js';
import { createMessageFetch, createStreamFetch } from './stream-fetch.js';

export type TransportKind = 'stdio' | 'http' | 'sse';

/** A transport with the operations that only some kinds support. */
export interface OpenedTransport {
  readonly kind: TransportKind;
  readonly transport: Transport;
  /** Returns the state of the process. Only for stdio. */
  readonly report?: () => ProcessReport;
  /** Ends the session on the server. Only for Streamable HTTP. */
  readonly endSession?: () => Promise<void>;
}

/** Returns the kinds to try for a server, in order. */
export function toTransportKinds(config: McpServerConfig): [TransportKind, ...TransportKind[]] {
  if ('command' in config) return ['stdio'];
  if (config.type === 'sse') return ['sse'];
  return config.type === undefined ? ['http', 'sse'] : ['http'];
}

/** Observes the messages that belong to tool calls. */
export interface CallObserver {
  /** Called with each request before it is sent. */
  onSend(request: JSONRPCRequest): void;
  /** Called when the response stream of a call delivers a request of the server, before the SDK reads it. */
  onDelivery(requestId: RequestId, options: { callId: RequestId }): void;
  /** Called with the parameters of each progress notification, before the SDK reads it. */
  onProgress(params: PlainObject): void;
}

interface TransportOptions {
  kind: TransportKind;
  fetch?: FetchLike;
  /** Keeps a stream open for messages that the server sends on its own initiative. */
  listens: boolean;
  calls: Pick<CallObserver, 'onDelivery'>;
  /** Called for each line of standard error. Only for stdio. */
  onStderr?: (line: string) => void;
}

/** Creates the transport. It connects when the client starts it. */
export async function openTransport(
  config: McpServerConfig,
  { kind, ...options }: TransportOptions,
): Promise<OpenedTransport> {
  if ('command' in config) return openStdio(config, options);
  return kind === 'sse' ? openSse(config, options) : openHttp(config, options);
}

async function openStdio(
  config: McpStdioServerConfig,
  options: Pick<TransportOptions, 'onStderr'>,
): Promise<OpenedTransport> {
  const { createStdioTransport } = await importStdioTransport();
  const transport = createStdioTransport(config, { onStderr: options.onStderr });
  return { kind: 'stdio', transport, report: transport.report };
}

async function importStdioTransport() {
  try {
    return await import('./stdio-transport.js');
  } catch (cause) {
    throw new McpFailure({ kind: 'start', systemCode: processesUnsupported, cause });
  }
}

function openSse(
  config: McpHttpServerConfig,
  { fetch = globalFetch }: { fetch?: FetchLike },
): OpenedTransport {
  const transport = new SSEClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: createMessageFetch(createAuthorizedFetch(config, toGated(config, fetch))),
  });
  return { kind: 'sse', transport };
}

function openHttp(
  config: McpHttpServerConfig,
  { fetch = globalFetch, listens, calls }: Omit<TransportOptions, 'kind'>,
): OpenedTransport {
  const stored = readStoredSession(config);
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    ...(stored && { sessionId: stored.initialSessionId }),
    requestInit: { headers: { ...config.headers } },
    fetch: createStreamFetch(
      createAuthorizedFetch(config, toGated(config, fetch)),
      listens,
      (requestId, options) => calls.onDelivery(requestId, options),
    ),
  });
  if (stored !== undefined) attachSession(transport, stored);
  return { kind: 'http', transport, endSession: () => transport.terminateSession() };
}

/** Lets redirects of a server pass its gate. */
const toGated = (config: McpHttpServerConfig, fetch: FetchLike): FetchLike =>
  createGatedFetch(fetch, new AddressGate(new URL(config.url)));

const globalFetch: FetchLike = (url, init) => globalThis.fetch(url, init);
