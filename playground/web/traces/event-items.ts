import type { WireEvent } from '../../shared/trace.js';

/** An output item with its events. It grows while they arrive. */
export interface EventItem {
  readonly key: string;
  /** Numbers of its events, from 1. */
  readonly numbers: number[];
  /** The deltas, joined. */
  text: string;
  /** The item as the newest event contains it. */
  value: Readonly<Record<string, unknown>>;
  isComplete: boolean;
}

/** An output item, or the number of an event that belongs to none. */
export type EventEntry = EventItem | number;

/** Returns a function that groups the events of one stream. It reads only those that were added since the last call. */
export function createItemGroups(): (events: readonly WireEvent[]) => readonly EventEntry[] {
  let entries: EventEntry[] = [];
  let items = new Map<string, EventItem>();
  let read = 0;
  let last: WireEvent | undefined;
  return events => {
    if (events[read - 1] !== last) [entries, items, read] = [[], new Map(), 0];
    for (const event of events.slice(read)) add(event, ++read);
    last = events[read - 1];
    return entries;
  };

  function add({ name, data }: WireEvent, number: number): void {
    const fields = toFields(data);
    // Applications send the parts of the AI SDK.
    const [, type, state] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(name) ?? [];
    const value = type === undefined ? toFields(fields.item) : { type, id: fields.id, name: fields.toolName };
    const key =
      type === undefined
        ? [fields.output_index, fields.item_id, value.id].find(id => id !== undefined)
        : `${type} ${String(fields.id)}`;
    if (key === undefined) return void entries.push(number);
    let item = items.get(String(key));
    if (item === undefined) {
      item = { key: String(key), numbers: [], text: '', value: {}, isComplete: false };
      items.set(item.key, item);
      entries.push(item);
    }
    item.numbers.push(number);
    if (fields.item !== undefined || state === 'start') item.value = value;
    if (name.endsWith('.output_item.done') || state === 'end') item.isComplete = true;
    const { delta, text, arguments: input } = fields;
    if (typeof delta === 'string') item.text += delta;
    // A server may send the text without deltas.
    else if (item.text === '') item.text = [text, input].find(part => typeof part === 'string') ?? '';
  }
}

const toFields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
