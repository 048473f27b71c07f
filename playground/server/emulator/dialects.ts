import type { StreamEvent } from 'kelivo-responses/testing';

/** How another server tells the same answer. */
export interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly events: (events: readonly StreamEvent[]) => readonly StreamEvent[];
}

/** Seen at these servers; each row is one thing that they do differently from the API they imitate. */
export const dialects: readonly Dialect[] = [
  {
    name: 'vllm',
    title: 'vLLM',
    description: 'Items are not announced before their deltas, and the content index grows with every delta.',
    events: events =>
      events
        .filter(event => event.type !== 'response.output_item.added' || isCall(event.item))
        .map((event, content_index) =>
          event.type.endsWith('text.delta') ? { ...event, content_index } : event,
        ),
  },
  {
    name: 'llama.cpp',
    title: 'llama.cpp',
    description: 'No indexes, and every item ends at the very end.',
    events: events => {
      const bare = events
        .filter(({ type }) => !/arguments\.done|in_progress/.test(type))
        .map(event => without(event, 'output_index', 'content_index', 'sequence_number'));
      return [
        ...bare.filter(event => !isItemDone(event)).slice(0, -1),
        ...bare.filter(isItemDone),
        ...bare.slice(-1),
      ];
    },
  },
  {
    name: 'ollama',
    title: 'Ollama',
    description: 'Every item has the output index 0, and messages are never done.',
    events: events =>
      events
        .filter(event => !isItemDone(event) || isCall(event.item))
        .map(event => ('output_index' in event ? { ...event, output_index: 0 } : event)),
  },
  {
    name: 'no-deltas',
    title: 'No deltas',
    description: 'Arguments and texts come whole, with the end of their item.',
    events: events => events.filter(({ type }) => !type.endsWith('.delta')),
  },
  {
    name: 'terminal-only',
    title: 'Terminal event only',
    description: 'Nothing is streamed; the whole answer stands in response.completed.',
    events: events => [...events.slice(0, 1), ...events.slice(-1)],
  },
];

const without = (event: StreamEvent, ...fields: readonly string[]): StreamEvent => ({
  ...Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name))),
  type: event.type,
});

const isItemDone = ({ type }: StreamEvent): boolean => type === 'response.output_item.done';

const isCall = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && 'type' in item && item.type === 'function_call';
