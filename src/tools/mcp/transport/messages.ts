import {
  type Client,
  isSpecType,
  type JSONRPCMessage,
  type Request,
  type RequestId,
  type RequestOptions,
  type Result,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { createRedactor, redactErrorJson } from '../../../core/redaction/redaction.js';
import { isPlainObject, objectOf, type PlainObject } from '../../../core/shared/json.js';
import { inform } from '../../../core/shared/inform.js';
import type { McpMessage } from '../config/callbacks.js';
import type { McpServerConfig } from '../config/config.js';
import { secretsOf } from '../auth/secrets.js';
import type { CallObserver } from './transport.js';
import { isWithinBounds } from './untrusted-input.js';

/** Observes the messages of one connection. Never throws. */
export type MessageTap = (direction: McpMessage['direction'], message: JSONRPCMessage) => void;

/** Deeper or larger messages are not copied. */
const shownBounds = { maxDepth: 500, maxSize: 4 * 1024 * 1024 };

/** Creates the observer that passes messages to the host. */
export function createMessageTap(
  onMessage: ((message: McpMessage) => void) | undefined,
  server: string,
  config: McpServerConfig,
): MessageTap | undefined {
  if (onMessage === undefined) return undefined;
  return (direction, message) => {
    const { redact } = createRedactor(secretsOf(config));
    const shown = isWithinBounds(message, shownBounds)
      ? redactErrorJson(message, redact)
      : toOmitted(message);
    inform(onMessage, { server, direction, time: Date.now(), message: objectOf(shown) ?? {} });
  };
}

function toOmitted({ jsonrpc, ...message }: JSONRPCMessage): PlainObject {
  const { id, method } = { id: undefined, method: undefined, ...message };
  return {
    jsonrpc,
    ...(id !== undefined && { id }),
    ...(method !== undefined && { method }),
    omitted: `larger than ${shownBounds.maxSize} characters or deeper than ${shownBounds.maxDepth} levels`,
  };
}

/*
 * Corrects the MCP SDK (2.4.0): it rejects a list because of one malformed entry, and a result because of one block of an
 * unknown type, even if the request has another schema. Its `callTool` also rejects results that differ from their output
 * schema, which a model can read anyway. So the SDK receives a valid stand-in, and `requestOriginal` returns the result of
 * the server. Tests of the bare SDK: "results" in test/tools/mcp/sdk-corrections.test.ts.
 */

/** Valid results that the SDK receives in place of a server's own. */
const standIns: Readonly<Record<string, PlainObject>> = {
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'tools/call': { content: [] },
};

/** Lists without a stand-in, which the SDK also rejects because of one malformed entry. */
const lists: Readonly<Record<string, { field: string; key: string; isEntry: (entry: unknown) => boolean }>> =
  {
    'resources/list': { field: 'resources', key: 'uri', isEntry: isSpecType.Resource },
    'resources/templates/list': {
      field: 'resourceTemplates',
      key: 'uriTemplate',
      isEntry: isSpecType.ResourceTemplate,
    },
    'prompts/list': { field: 'prompts', key: 'name', isEntry: isSpecType.Prompt },
  };

/** The field of `_meta` in which a stand-in contains the server's result. */
const originalKey = 'kelivo-responses/original';

export const anyResult = z.looseObject({});

/** Sends a request and reads the result that the server sent, of which the SDK saw a stand-in. */
export async function requestOriginal<Schema extends z.ZodType>(
  client: Client,
  request: Request,
  { schema, options }: { schema: Schema; options: RequestOptions },
): Promise<z.output<Schema>> {
  const result = await client.request(request, anyResult, options);
  const meta = objectOf(result._meta);
  return schema.parse(meta !== undefined && Object.hasOwn(meta, originalKey) ? meta[originalKey] : result);
}

/**
 * Lets the running calls and a tap observe the messages of a transport, and shields results that contain tools, content or
 * lists from the SDK's validation. Call it before the client connects.
 */
export function interceptMessages(
  transport: Transport,
  { calls, tap }: { calls: CallObserver; tap: MessageTap | undefined },
): void {
  /** Methods of the requests whose results are shielded. */
  const pending = new Map<RequestId, string>();
  const send = transport.send.bind(transport);

  transport.send = (message, options) => {
    tap?.('sent', message);
    if (!('method' in message)) return send(message, options);
    if ('id' in message) {
      const { id, method } = message;
      calls.onSend(message);
      if (Object.hasOwn(standIns, method) || Object.hasOwn(lists, method)) {
        pending.set(id, method);
        options?.requestSignal?.addEventListener('abort', () => pending.delete(id), { once: true });
      }
    } else if (message.method === 'notifications/cancelled') {
      pending.delete(message.params?.requestId as RequestId);
    }
    return send(message, options);
  };

  let receive: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => receive,
    set(listener: Transport['onmessage']) {
      receive =
        listener &&
        ((message, extra) => {
          tap?.('received', message);
          if ('method' in message) {
            if (message.method === 'notifications/progress') calls.onProgress(message.params ?? {});
            return listener(message, extra);
          }
          const { id } = message;
          const method = id === undefined ? undefined : pending.get(id);
          if (id === undefined || method === undefined) return listener(message, extra);
          pending.delete(id);
          if (!('result' in message)) return listener(message, extra);
          listener({ ...message, result: toShielded(method, message.result) }, extra);
        });
    },
  });
}

/** Returns what the SDK receives for a result. Results of other types, and malformed ones, concern the SDK. */
function toShielded(method: string, original: Result): Result {
  if (!isPlainObject(original)) return original;
  const { resultType } = original;
  const isTask = method === 'tools/call' && resultType === 'task';
  if (resultType !== undefined && resultType !== 'complete' && !isTask) return original;
  const { [method]: standIn } = standIns;
  if (standIn !== undefined) {
    const type = resultType !== undefined && { resultType: 'complete' };
    return { ...type, ...standIn, _meta: { [originalKey]: original } };
  }
  const { [method]: list } = lists;
  const entries = list && original[list.field];
  if (list === undefined || !Array.isArray(entries)) return original;
  const { field, key, isEntry } = list;
  return { ...original, [field]: entries.map(entry => toEntry(entry, key)).filter(isEntry) };
}

/** Removes fields without a value, which some servers send as null, and adds a missing name. */
function toEntry(entry: unknown, key: string): unknown {
  if (!isPlainObject(entry)) return entry;
  const fields = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
  return { name: fields[key], ...fields };
}
