import type { JSONObject } from '@ai-sdk/provider';
import { withOpaqueItem } from '../../parts/opaque-items.js';
import { asJson, idOf, stringOf, type PlainObject } from '../../shared/json.js';
import type { OutputItem, PartWriter } from './output-item.js';

/** An item that no part can express. The next request has to contain it unchanged. */
export interface OpaqueItem extends OutputItem {
  readonly kind: 'opaque';
}

export interface OpaqueItemWriter extends PartWriter {
  /** Called for a hosted MCP server whose tools the API could not list. */
  readonly onMcpError: (error: JSONObject) => void;
  /** Called with the finished item, as it was received. @default the item is not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

/** Writes the item when it is finished. An item that the response ended in is not written: it cannot be sent back. */
export function createOpaqueItem(
  id: string,
  { write, announced, onMcpError, onServerItem }: OpaqueItemWriter,
): OpaqueItem {
  const type = idOf(announced?.type);
  const item: OpaqueItem = {
    kind: 'opaque',
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
      writeOpaqueItem(id, wire, write);
    },
  };
  return item;
}

/** Writes the empty reasoning block that carries an item. */
export function writeOpaqueItem(id: string, wire: PlainObject, write: PartWriter['write']): void {
  const providerMetadata = withOpaqueItem(wire);
  write({ type: 'reasoning-start', id, providerMetadata });
  write({ type: 'reasoning-end', id, providerMetadata });
}

const toMcpError = ({ server_label: serverLabel, error }: PlainObject): JSONObject => ({
  serverLabel: stringOf(serverLabel),
  error: asJson(error),
});
