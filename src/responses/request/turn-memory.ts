import type { Message } from '../../core/prompt.js';
import { withoutOutputFields } from '../../core/custom.js';
import { idOf, type PlainObject, stringOf, toWellFormedJson } from '../../core/shared/json.js';
import type { HostedInputItem, InputItem } from '../wire.js';

/** State shared by the requests of a turn. Each request repeats the history of the previous one and extends it. */
export interface TurnMemory {
  readonly messages: ReturnType<typeof createConvertedMessages>;
  readonly received: ReceivedItems;
  /** Serializes the items of a request, as well-formed JSON. */
  readonly toInputJson: (items: readonly unknown[]) => string;
}

export const createTurnMemory = (): TurnMemory => ({
  messages: createConvertedMessages(),
  received: createReceivedItems(),
  toInputJson: createIncrementalJson(),
});

/**
 * Caches the items of a turn's messages. The next request repeats the messages as the same objects at the same indexes
 * and appends to them.
 */
export function createConvertedMessages() {
  const known: { message: Message; items: readonly InputItem[] }[] = [];
  return {
    at(index: number, message: Message): readonly InputItem[] | undefined {
      const converted = known[index];
      return converted?.message === message ? converted.items : undefined;
    },
    set(index: number, message: Message, items: readonly InputItem[]): void {
      known[index] = { message, items };
    },
  };
}

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

function createReceivedItems(): ReceivedItems {
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

/**
 * Serializes lists that each begin with the items of the previous one, as the same objects. Those items are not
 * serialized again. Other lists are serialized completely.
 *
 * @internal
 */
export function createIncrementalJson(): (items: readonly unknown[]) => string {
  let previous: readonly unknown[] = [];
  let json = '[]';
  return items => {
    const isGrown = previous.length > 0 && previous.every((item, index) => item === items[index]);
    const added = isGrown ? items.slice(previous.length) : items;
    if (!isGrown) json = toWellFormedJson(JSON.stringify(items));
    else if (added.length > 0)
      json = `${json.slice(0, -1)},${toWellFormedJson(JSON.stringify(added)).slice(1)}`;
    previous = [...items];
    return json;
  };
}
