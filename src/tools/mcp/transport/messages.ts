import {
  type Client,
  isSpecType,
  type JSONRPCMessage,
  type Request,
  type RequestId,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { createRedactor, redactErrorJson } from '../../../core/redaction/redaction.js';
import { isPlainObject, objectOf, type PlainObject } from '../../../core/shared/json.js';
import { inform } from '../../../core/shared/inform.js';
import type { McpMessage } from '../config/callbacks.js';
import type { McpServerConfig } from '../config/config.js';
import { secretsOf } from '../auth/secrets.js';
import { isWithinBounds } from './untrusted-input.js';

/** Observes the messages of one connection. Never throws. */
export type MessageTap = (direction: McpMessage['direction'], message: JSONRPCMessage) => void;

/** Deeper or larger messages are not copied. */
const shownBounds = { maxDepth: 500, maxSize: 4 * 1024 * 1024 };

/** Creates the observer that passes messages to the host. */
export function createMessageTap(
  onMessage: ((message: McpMessage) => void) | undefined,
  { server, config }: { server: string; config: McpServerConfig },
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
 * Lets a tap observe all messages of a transport, and shields results that contain tools, content or lists from the
 * SDK's validation. Call it before the client connects.
 */
export function interceptMessages(transport: Transport, { tap }: { tap?: MessageTap } = {}): void {
  /** Methods of the requests whose results are shielded. */
  const pending = new Map<RequestId, string>();
  const send = transport.send.bind(transport);

  transport.send = (message, options) => {
    tap?.('sent', message);
    if (!('method' in message)) return send(message, options);
    if (
      'id' in message &&
      (Object.hasOwn(standIns, message.method) || Object.hasOwn(lists, message.method))
    ) {
      const { id } = message;
      pending.set(id, message.method);
      options?.requestSignal?.addEventListener('abort', () => pending.delete(id), { once: true });
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
          listener(shield(message), extra);
        });
    },
  });

  function shield<T extends JSONRPCMessage>(message: T): T {
    if ('method' in message || !('id' in message) || message.id === undefined) return message;
    const method = pending.get(message.id);
    pending.delete(message.id);
    if (method === undefined || !('result' in message) || !isShielded(method, message.result)) return message;
    return { ...message, result: toShielded(method, message.result) };
  }
}

/** Returns true for a final result and for the handle of a task. Other types, and malformed results, concern the SDK. */
const isShielded = (method: string, result: unknown): result is PlainObject =>
  isPlainObject(result) &&
  [undefined, 'complete', method === 'tools/call' && 'task'].some(type => type === result.resultType);

function toShielded(method: string, original: PlainObject): PlainObject {
  const { [method]: standIn } = standIns;
  const { [method]: list } = lists;
  if (standIn !== undefined) return toStandIn(original, standIn);
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

function toStandIn(original: PlainObject, standIn: PlainObject): PlainObject {
  const type = original.resultType !== undefined && { resultType: 'complete' };
  return { ...type, ...standIn, _meta: { [originalKey]: original } };
}
