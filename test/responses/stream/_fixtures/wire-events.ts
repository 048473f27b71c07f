import type { WireEvent } from '../../../_sse.js';

export interface WireItem extends Record<string, unknown> {
  readonly type: string;
}

/** An output item and the events that stream it, in OpenAI's format. */
export interface ItemScript {
  /** The item in `output_item.done` and in the terminal response. */
  readonly item: WireItem;
  /** The item in `output_item.added`. */
  readonly begun: WireItem;
  readonly deltas: readonly WireEvent[];
}

interface TextPart {
  readonly text: string;
  readonly annotations?: readonly Record<string, unknown>[];
}

/** A message with one or more content parts. */
export function message(
  parts: readonly (string | TextPart | { refusal: string })[],
  { id = 'msg_1', ...more }: { id?: string; [field: string]: unknown } = {},
): ItemScript {
  const content = parts.map(toContentPart);
  return {
    begun: { type: 'message', id, role: 'assistant', status: 'in_progress', content: [], ...more },
    item: { type: 'message', id, role: 'assistant', status: 'completed', content, ...more },
    deltas: content.flatMap((part, content_index) => toPartEvents(part, { item_id: id, content_index })),
  };
}

function toContentPart(part: string | TextPart | { refusal: string }) {
  if (typeof part !== 'string' && 'refusal' in part)
    return { type: 'refusal' as const, refusal: part.refusal };
  const { text, annotations = [] } = typeof part === 'string' ? { text: part } : part;
  return { type: 'output_text' as const, text, annotations, logprobs: [] };
}

function toPartEvents(part: ReturnType<typeof toContentPart>, place: Record<string, unknown>): WireEvent[] {
  const added = (empty: object) => ({ type: 'response.content_part.added', ...place, part: empty });
  const done = { type: 'response.content_part.done', ...place, part };
  if (part.type === 'refusal') {
    return [
      added({ ...part, refusal: '' }),
      ...toWords(part.refusal).map(delta => ({ type: 'response.refusal.delta', ...place, delta })),
      { type: 'response.refusal.done', ...place, refusal: part.refusal },
      done,
    ];
  }
  return [
    added({ ...part, text: '', annotations: [] }),
    ...toWords(part.text).map(delta => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
      obfuscation: 'x7Kq',
    })),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    done,
  ];
}

/** A reasoning item with a summary, the full text, or both. */
export function reasoning({
  id = 'rs_1',
  summary = [],
  text,
  encrypted,
}: {
  id?: string;
  summary?: readonly string[];
  text?: string;
  encrypted?: string;
}): ItemScript {
  const parts = summary.map(part => ({ type: 'summary_text', text: part }));
  return {
    // The encrypted content of `added` differs from that of `done` and cannot be replayed.
    begun: {
      type: 'reasoning',
      id,
      summary: [],
      ...(encrypted !== undefined && { encrypted_content: `begun-${encrypted}` }),
    },
    item: {
      type: 'reasoning',
      id,
      summary: parts,
      ...(text !== undefined && { content: [{ type: 'reasoning_text', text }] }),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    },
    deltas: [
      ...toReasoningTextEvents(text, { item_id: id, content_index: 0 }),
      ...parts.flatMap((part, summary_index) => toSummaryEvents(part, { item_id: id, summary_index })),
    ],
  };
}

function toReasoningTextEvents(text: string | undefined, place: Record<string, unknown>): WireEvent[] {
  if (text === undefined) return [];
  return [
    ...toWords(text).map(delta => ({ type: 'response.reasoning_text.delta', ...place, delta })),
    { type: 'response.reasoning_text.done', ...place, text },
  ];
}

function toSummaryEvents(part: { text: string }, place: Record<string, unknown>): WireEvent[] {
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...toWords(part.text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

/** A function call whose arguments are streamed. */
export function functionCall(
  name: string,
  args: string,
  { id = 'fc_1', callId = 'call_1' }: { id?: string; callId?: string } = {},
): ItemScript {
  const item = { type: 'function_call', id, call_id: callId, name };
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    item: { ...item, status: 'completed', arguments: args },
    deltas: [
      ...(args.match(/.{1,7}/gsu) ?? []).map(delta => ({
        type: 'response.function_call_arguments.delta',
        item_id: id,
        delta,
      })),
      { type: 'response.function_call_arguments.done', item_id: id, arguments: args },
    ],
  };
}

export const USAGE = {
  input_tokens: 75,
  input_tokens_details: { cached_tokens: 25 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 115,
};

/** The response object of the terminal event, which is also the body of a response without streaming. */
export const toResponse = (scripts: readonly ItemScript[], more: Record<string, unknown> = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_750_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'test-model-2025-06-15',
  output: scripts.map(({ item }) => item),
  usage: USAGE,
  ...more,
});

const begin = (): WireEvent[] =>
  ['response.created', 'response.in_progress'].map(type => ({
    type,
    response: { ...toResponse([]), status: 'in_progress', usage: null },
  }));

/** The events of one item at its output index. */
export const toItemEvents = ({ begun, item, deltas }: ItemScript, output_index: number): WireEvent[] => [
  { type: 'response.output_item.added', output_index, item: begun },
  ...deltas.map(delta => ({ ...delta, output_index })),
  { type: 'response.output_item.done', output_index, item },
];

/** A complete stream: one item after the other, then the terminal event. */
export function toStream(
  scripts: readonly ItemScript[],
  terminal: Record<string, unknown> = {},
): WireEvent[] {
  const response = toResponse(scripts, terminal);
  return toNumbered([
    ...begin(),
    ...scripts.flatMap(toItemEvents),
    { type: `response.${response.status}`, response },
  ]);
}

/** A complete stream with items that are open at the same time and interleaved events. */
export function toInterleavedStream(scripts: readonly ItemScript[]): WireEvent[] {
  const queues = scripts.map(toItemEvents);
  const middle: WireEvent[] = [];
  while (queues.some(queue => queue.length > 0)) {
    for (const queue of queues) middle.push(...queue.splice(0, 1));
  }
  return toNumbered([...begin(), ...middle, { type: 'response.completed', response: toResponse(scripts) }]);
}

const toNumbered = (events: readonly WireEvent[]): WireEvent[] =>
  events.map((event, sequence_number) => ({ ...event, sequence_number }));

const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];
