import { toCustom } from '../../core/custom.js';
import type { Part } from '../../core/part.js';
import { asJson, idOf, type JSONObject, type PlainObject, stringOf } from '../../shared/json.js';

/**
 * The kinds of output items: three that are streamed, `hosted` for calls of hosted tools and their results, and `opaque`
 * for all other types.
 */
export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'hosted' | 'opaque';

/** An output item that is being converted to stream parts. */
export interface OutputItem {
  closed: boolean;
  /** Handles an `output_item.added` that arrives after a delta. */
  announce?(wire: PlainObject): void;
  /** Returns true if the streamed content can belong to a finished wire item. */
  isSameAs(wire: PlainObject): boolean;
  /**
   * Writes the missing content and closes the parts of the item.
   *
   * @param wire the finished item, or undefined if the response ended without it.
   */
  finish(wire: PlainObject | undefined, options?: { broken?: boolean }): void;
}

export interface PartWriter {
  readonly write: (part: Part) => void;
  /** The item of `response.output_item.added`; undefined if a delta came first. */
  readonly announced: PlainObject | undefined;
}

export interface OpaqueItemWriter extends PartWriter {
  /** Called for a hosted MCP server whose tools the API could not list. */
  readonly onMcpError: (error: JSONObject) => void;
  /** Called with the finished item, as it was received. @default the item is not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

/**
 * Creates an item that no part can express. The next request has to contain it unchanged. It is written when it is
 * finished: an item that the response ended in cannot be sent back.
 */
export function createOpaqueItem({
  write,
  announced,
  onMcpError,
  onServerItem,
}: OpaqueItemWriter): OutputItem {
  const type = idOf(announced?.type);
  const item: OutputItem = {
    closed: false,

    isSameAs: wire => type === undefined || wire.type === type,

    finish(wire) {
      item.closed = true;
      if (wire === undefined) return;
      if (wire.type === 'mcp_list_tools') {
        // The official provider has no part for the list, either: the API lists the tools again.
        if (wire.error !== undefined && wire.error !== null) onMcpError(toMcpError(wire));
        return;
      }
      onServerItem?.(wire);
      write(toCustom(wire));
    },
  };
  return item;
}

const toMcpError = ({ server_label: serverLabel, error }: PlainObject): JSONObject => ({
  serverLabel: stringOf(serverLabel),
  error: asJson(error),
});
