import { withoutOutputFields } from '../../parts/opaque-items.js';
import { idOf, type PlainObject, stringOf } from '../../shared/json.js';
import type { HostedInputItem } from '../wire.js';

/**
 * Output items of a turn that are neither messages, reasoning nor function calls. Their parts do not contain all of
 * their fields, so the next request of the turn sends them back as they were received.
 */
export interface ReceivedItems {
  /** Adds a finished item. */
  add(item: PlainObject): void;
  has(id: string): boolean;
  /** Returns the items with an id or call id, in the order in which they arrived. */
  of(id: string): readonly HostedInputItem[];
}

export function createReceivedItems(): ReceivedItems {
  const items = new Map<string, HostedInputItem>();
  return {
    add(item) {
      const id = idOf(item.id);
      if (id === undefined) return;
      items.set(id, { ...withoutOutputFields(item), type: stringOf(item.type) });
    },
    has: id => items.has(id),
    of: id =>
      [...items.values()].filter(item => item.id === id || ('call_id' in item && item.call_id === id)),
  };
}
