import { toCustom } from '../../core/custom.js';
import type { Part, ToolCall } from '../../core/part.js';
import {
  asJson,
  idOf,
  isPlainObject,
  type JSONObject,
  objectOf,
  type PlainObject,
  stringOf,
} from '../../core/shared/json.js';
import { createUniqueIds, type UniqueIds } from '../../core/shared/unique-ids.js';

/**
 * The kinds of output items: three that are streamed, `hosted` for calls of hosted tools and their results, and `opaque`
 * for all other types.
 */
export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'hosted' | 'opaque';

/** The end of the response of an item. */
export interface ItemEnd {
  /** True if the response is incomplete, so that calls may be. @default false */
  readonly broken?: boolean;
  /** True if the response failed, so that later requests omit its text. @default false */
  readonly failed?: boolean;
}

/** An output item that is being converted to stream parts. */
export interface OutputItem {
  closed: boolean;
  /** Handles an `output_item.added` that arrives after a delta. */
  announce?(wire: PlainObject): void;
  /** Returns true if the streamed content can belong to a finished wire item. */
  isSameAs(wire: PlainObject): boolean;
  /** Compares a closed item with the terminal response. */
  confirm?(wire: PlainObject): void;
  /**
   * Writes the missing content and closes the parts of the item.
   *
   * @param wire the finished item, or undefined if the response ended without it.
   * @param end the end of the response, or undefined while it goes on. The item may then stay open.
   */
  finish(wire: PlainObject | undefined, end?: ItemEnd): void;
}

/** Facts about a response that its items find. */
export interface ItemReports {
  /** True after a complete call that the host must execute. */
  hasCalls: boolean;
  /** True after a truncated call: the response is then incomplete, even if the server reports it as completed. */
  hasPartialCalls: boolean;
  /** True if the model refuses to answer. */
  hasRefusal: boolean;
  /** Calls without a name, which nothing can run. The response is then incomplete. */
  readonly unnamedCalls: JSONObject[];
  /** Hosted MCP servers whose tools the API could not list. */
  readonly mcpErrors: JSONObject[];
  readonly logprobs: unknown[];
}

export interface PartWriter {
  readonly write: (part: Part) => void;
  readonly reports: ItemReports;
  /** The item of `response.output_item.added`; undefined if a delta came first. */
  readonly announced: PlainObject | undefined;
}

export interface OpaqueItemWriter extends PartWriter {
  /** Called with the finished item, as it was received. @default the item is not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

/**
 * Creates an item that no part can express. The next request has to contain it unchanged. It is written when it is
 * finished: an item that the response ended in cannot be sent back.
 */
export function createOpaqueItem(writer: OpaqueItemWriter): OutputItem {
  const type = idOf(writer.announced?.type);
  const item: OutputItem = {
    closed: false,

    isSameAs: wire => type === undefined || wire.type === type,

    finish(wire) {
      item.closed = true;
      if (wire === undefined) return;
      if (wire.type === 'mcp_list_tools') {
        // The official provider has no part for the list, either: the API lists the tools again.
        if (wire.error !== undefined && wire.error !== null) writer.reports.mcpErrors.push(toMcpError(wire));
        return;
      }
      writer.onServerItem?.(wire);
      writer.write(toCustom(wire));
    },
  };
  return item;
}

const toMcpError = (item: PlainObject): JSONObject => ({
  serverLabel: stringOf(item.server_label),
  error: asJson(item.error),
});

/* Ids and metadata of calls, for functions and for hosted tools. */

/** The ids of the tool calls in one response. */
export interface CallIds extends UniqueIds {
  /**
   * Records that a call is complete. Returns true if a call with the same id and contents was complete before: the
   * server announced it twice.
   */
  isRepetition(id: string, contents: string): boolean;
  /** Records a call whose result is another item. `serverId` is the id that the server gives in both items, if any. */
  awaitResult(call: AwaitedCall): void;
  /** Returns the id of the call that a result belongs to: the one with the same server id, or the oldest without a result. */
  takeAwaited(result: Omit<AwaitedCall, 'toolCallId'>): string | undefined;
}

interface AwaitedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly serverId: string | undefined;
}

export function createCallIds(): CallIds {
  const complete = new Set<string>();
  const awaited: AwaitedCall[] = [];
  return {
    ...createUniqueIds(),
    isRepetition(id, contents) {
      const key = JSON.stringify([id, contents]);
      if (complete.has(key)) return true;
      complete.add(key);
      return false;
    },
    awaitResult: call => void awaited.push(call),
    takeAwaited(result) {
      const at = awaited.findIndex(
        call => call.toolName === result.toolName && call.serverId === result.serverId,
      );
      return at < 0 ? undefined : awaited.splice(at, 1)[0]?.toolCallId;
    },
  };
}

/** Returns the fields of a call that the next request repeats, as the official provider for `ai@7` names them. */
export function toCallMetadata(item: PlainObject): JSONObject {
  const itemId = idOf(item.id);
  const ownNamespace = idOf(item.namespace);
  const callerId = objectOf(item.caller)?.caller_id;
  return {
    ...(itemId !== undefined && { itemId }),
    ...(typeof item.async === 'boolean' && { async: item.async }),
    ...(ownNamespace !== undefined && { namespace: ownNamespace }),
    ...(isPlainObject(item.caller) && {
      caller: callerId === undefined ? asJson(item.caller) : { type: 'program', callerId: asJson(callerId) },
    }),
  };
}

/** Returns the metadata of a call, of the namespace `openai`, and the agent that made it. */
export const toCallFacts = (
  openai: JSONObject,
  agent?: JSONObject,
): Pick<ToolCall, 'providerMetadata' | 'own'> => ({
  ...(Object.keys(openai).length > 0 && { providerMetadata: { openai } }),
  ...(agent !== undefined && { own: { agent } }),
});
