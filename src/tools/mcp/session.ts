import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type {
  JsonSchemaValidatorResult,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import { handleServerRequests, type ServerRequests, toCapabilities } from './server-requests.js';
import type { McpCallbacks } from './mcp-callbacks.js';
import type { ProcessReport } from './failures.js';
import type { OpenedTransport } from './transport.js';

/** One connection to a server, from its opening to its end. It is never reopened. */
export interface McpSession {
  readonly client: Client;
  readonly transport: Transport;
  readonly isClosed: boolean;
  /** Whether the server gave the session an id, which it may forget. */
  readonly hasId: boolean;
  /** Whether the tool list may change without our being told: over HTTP we keep no stream open for that. */
  readonly changesUnannounced: boolean;
  /** What the server has asked the host and still waits for. */
  readonly serverRequests: ServerRequests;
  report(): ProcessReport | undefined;
  /** Runs an operation; a retired session closes when its last one has ended. */
  use<T>(operation: (client: Client) => Promise<T>): Promise<T>;
  /** Takes no more work: calls under way may end, then it closes. */
  retire(): void;
  close(): Promise<void>;
}

export interface SessionOptions {
  serverName: string;
  callbacks: McpCallbacks;
  onToolsChanged: () => void;
  onClose: (session: McpSession) => void;
}

/** How we introduce ourselves. */
const clientInfo = { name: 'kelivo-responses', version: '0.1.0' };

/** How long the good-bye to an HTTP session may take, in milliseconds. */
const farewellTime = 1000;

/** Makes the client for a transport; whoever opens the session connects the two. */
export function createSession(
  { kind, transport, report, endSession }: OpenedTransport,
  { serverName, callbacks, onToolsChanged, onClose }: SessionOptions,
): McpSession {
  const client = new Client(clientInfo, {
    capabilities: toCapabilities(callbacks),
    jsonSchemaValidator: acceptEverything,
  });
  const hostRequests = handleServerRequests(client, callbacks, { server: serverName });
  let closing: Promise<void> | undefined;
  let isClosed = false;
  let isRetired = false;
  let running = 0;

  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  client.onclose = () => {
    isClosed = true;
    onClose(session);
  };
  client.onerror = error => {
    if (isFatal(error)) void session.close();
  };

  const session: McpSession = {
    client,
    transport,
    get isClosed() {
      return isClosed;
    },
    get hasId() {
      return transport.sessionId !== undefined;
    },
    get changesUnannounced() {
      return kind === 'http' && client.getServerCapabilities()?.tools?.listChanged === true;
    },
    serverRequests: hostRequests,
    report: () => report?.(),
    async use(operation) {
      running++;
      try {
        return await operation(client);
      } finally {
        running--;
        // A server asks on behalf of a call. When that was given up, its dialog must not stay open.
        if (running === 0) hostRequests.withdraw(new Error('The call that asked has ended.'));
        if (isRetired && running === 0) void session.close();
      }
    },
    retire() {
      isRetired = true;
      if (running === 0) void session.close();
    },
    close() {
      closing ??= end();
      return closing;
    },
  };

  async function end(): Promise<void> {
    // The server does not know a retired session any more.
    if (endSession && session.hasId && !isRetired && !isClosed) await sayFarewell(endSession);
    await transport.close();
  }

  return session;
}

async function sayFarewell(endSession: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>(resolve => {
    timer = setTimeout(resolve, farewellTime);
  });
  // A refusal such as 404 means that the session is gone, which is what we want.
  await Promise.race([endSession().catch(() => undefined), patience]);
  clearTimeout(timer);
}

/**
 * The SDK reports much that is harmless. These two mean that no answer can come any more, yet the SDK lets
 * the calls wait for their timeouts.
 */
function isFatal(error: Error): boolean {
  return error instanceof SseError || error.message.startsWith('Maximum reconnection attempts');
}

/**
 * The SDK's validator compiles schemas, which a content security policy may forbid, and refuses results that
 * differ from their output schema, which a model can read all the same.
 */
const acceptEverything: jsonSchemaValidator = {
  getValidator<T>() {
    return (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};
