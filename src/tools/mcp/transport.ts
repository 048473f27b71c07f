import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpHttpServerConfig, McpServerConfig, McpStdioServerConfig } from './config.js';
import { McpFailure, processesUnsupported, type ProcessReport } from './failures.js';
import { createStreamFetch } from './stream-fetch.js';

export type TransportKind = 'stdio' | 'http' | 'sse';

/** A transport, with what differs between the kinds. */
export interface OpenedTransport {
  readonly kind: TransportKind;
  readonly transport: Transport;
  /** What is known of the process: stdio only. */
  readonly report?: () => ProcessReport;
  /** Tells the server that its session may go: Streamable HTTP only. */
  readonly endSession?: () => Promise<void>;
}

/** The kinds to try for a server, in this order. */
export function toTransportKinds(config: McpServerConfig): [TransportKind, ...TransportKind[]] {
  if ('command' in config) return ['stdio'];
  if (config.type === 'sse') return ['sse'];
  return config.type === undefined ? ['http', 'sse'] : ['http'];
}

export interface TransportOptions {
  kind: TransportKind;
  fetch?: FetchLike;
  /** Whether the host wants to hear what the server says of its own accord. */
  listens: boolean;
}

/** Makes the transport; it connects when the client starts it. */
export async function openTransport(
  config: McpServerConfig,
  { kind, ...options }: TransportOptions,
): Promise<OpenedTransport> {
  if ('command' in config) return openStdio(config);
  return kind === 'sse' ? openSse(config, options) : openHttp(config, options);
}

async function openStdio(config: McpStdioServerConfig): Promise<OpenedTransport> {
  const { createStdioTransport } = await importStdioTransport();
  const transport = createStdioTransport(config);
  return { kind: 'stdio', transport, report: transport.report };
}

async function importStdioTransport() {
  try {
    return await import('./stdio-transport.js');
  } catch (cause) {
    throw new McpFailure({ kind: 'start', systemCode: processesUnsupported, cause });
  }
}

function openSse(config: McpHttpServerConfig, { fetch }: { fetch?: FetchLike }): OpenedTransport {
  const transport = new SSEClientTransport(new URL(config.url), { ...toRequestOptions(config), fetch });
  return { kind: 'sse', transport };
}

function openHttp(
  config: McpHttpServerConfig,
  { fetch = (url, init) => globalThis.fetch(url, init), listens }: Omit<TransportOptions, 'kind'>,
): OpenedTransport {
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    ...toRequestOptions(config),
    fetch: createStreamFetch(fetch, { listens }),
  });
  return { kind: 'http', transport, endSession: () => transport.terminateSession() };
}

function toRequestOptions({ headers, authProvider }: McpHttpServerConfig): {
  requestInit: RequestInit;
  authProvider?: OAuthClientProvider;
} {
  return { requestInit: { headers: { ...headers } }, authProvider };
}
