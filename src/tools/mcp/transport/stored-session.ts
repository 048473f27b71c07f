import {
  type Client,
  type InitializeResult,
  isSpecType,
  type JSONRPCMessage,
  type StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { objectOf, stringOf } from '../../../core/shared/json.js';

/** A session over Streamable HTTP, up to revision 2025-11-25, with which another process can go on. */
export interface McpStoredSession {
  /** The session id of the server. It grants access to the session, so store it like a password. */
  readonly initialSessionId: string;
  /** The server's answer to `initialize`. */
  readonly initialInitializeResult: InitializeResult;
}

/** Returns what another process needs to use the session, or undefined if the server assigned no id. */
export function toStoredSession(client: Client, transport: Transport): McpStoredSession | undefined {
  const serverInfo = client.getServerVersion();
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const { sessionId } = transport;
  if (sessionId === undefined || serverInfo === undefined || protocolVersion === undefined) return undefined;
  const instructions = client.getInstructions();
  return {
    initialSessionId: sessionId,
    initialInitializeResult: {
      protocolVersion,
      capabilities: client.getServerCapabilities() ?? {},
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    },
  };
}

export function readStoredSession(value: unknown): McpStoredSession | undefined {
  const { initialSessionId, initialInitializeResult } = objectOf(value) ?? {};
  return stringOf(initialSessionId) !== '' && isSpecType.InitializeResult(initialInitializeResult)
    ? { initialSessionId: stringOf(initialSessionId), initialInitializeResult }
    : undefined;
}

/**
 * Lets a new transport, which was created with the session id, go on with a session: `initialize` is answered with the
 * stored result, and nothing is sent for it.
 *
 * Corrects the MCP SDK (2.4.0), whose client does not learn the capabilities of the server if its transport has a session
 * id. Test of the bare SDK: "a stored session has no capabilities" in test/tools/mcp/sdk-corrections.test.ts.
 */
export function attachSession(transport: StreamableHTTPClientTransport, stored: McpStoredSession): void {
  const send = transport.send.bind(transport);
  // The client initializes a transport without an id.
  Object.defineProperty(transport, 'sessionId', { configurable: true, value: undefined });
  transport.send = async (message: JSONRPCMessage | JSONRPCMessage[], options) => {
    if (Array.isArray(message) || !('method' in message)) return send(message, options);
    if (message.method === 'initialize' && 'id' in message)
      return transport.onmessage?.({
        jsonrpc: '2.0',
        id: message.id,
        result: { ...stored.initialInitializeResult },
      });
    if (message.method !== 'notifications/initialized') return send(message, options);
    Reflect.deleteProperty(transport, 'sessionId');
    // The stream for messages that the server sends on its own initiative, which the SDK opens for a new session.
    transport.resumeStream('').catch(() => {});
  };
}
