import type { PlainObject } from '../../core/shared/json.js';
import type { ErrorEventFault, ScriptedOutput } from '../protocol/scripts.js';
import {
  type EmulatedResponse,
  type MessageContent,
  type OutputItem,
  type ReasoningItem,
  type StreamEvent,
  type StreamedItem,
  toWireItem,
} from '../protocol/wire.js';
import { type FailingFault, formatEvent, type ResponseFormat, toFailure } from './delivery.js';

/**
 * Converts a response to the format of the Responses API.
 *
 * @param obfuscates Adds text without a meaning to deltas, so that their lengths do not tell what they contain.
 */
export function toResponsesFormat(
  response: EmulatedResponse,
  rewrite: ScriptedOutput['events'] = given => given,
  obfuscates = false,
): ResponseFormat {
  const events = toEvents(response);
  return {
    body: toWireResponse(response),
    frames: rewrite(obfuscates ? events.map(withObfuscation) : events).map(formatEvent),
    // `response.created`, in background mode `response.queued`, and `response.in_progress`
    openingFrames: isBackground(response) ? 3 : 2,
    terminalFrames: 1,
    malformedFrame: 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n',
    failFrames: (fault, options) => toFailFrames(response, fault, options.after),
    failBody: fault =>
      fault.fault === 'failed' ? toWireResponse(toFailedResponse(response, fault)) : toErrorFields(fault),
  };
}

function toFailFrames(response: EmulatedResponse, fault: FailingFault, after: number): readonly string[] {
  const failed = { type: 'response.failed', response: toWireResponse(toFailedResponse(response, fault)) };
  const format = (...events: StreamEvent[]) => numberEvents(events, { from: after }).map(formatEvent);
  if (fault.fault === 'failed') return format(failed);
  if (fault.shape === 'bare') return [`data: ${JSON.stringify(toErrorFields(fault))}\n\n`];
  const error: StreamEvent = { type: 'error', ...toErrorFields(fault) };
  return fault.thenFailed === true ? format(error, failed) : format(error);
}

function toErrorFields(fault: ErrorEventFault): Record<string, unknown> {
  const { code, message } = toFailure(fault);
  if (fault.shape === 'flat') return { code, message, param: null };
  return { error: { type: code ?? 'server_error', code, message, param: null } };
}

function toFailedResponse(response: EmulatedResponse, fault: FailingFault): EmulatedResponse {
  const { code, message } = toFailure(fault);
  return {
    ...response,
    status: 'failed',
    output: [],
    usage: null,
    error: { code: code ?? 'server_error', message },
  };
}

/** Returns all events of a streamed response, from `response.created` to the terminal event. */
function toEvents(response: EmulatedResponse): StreamEvent[] {
  const opening = {
    ...toWireResponse({
      ...response,
      output: [],
      usage: null,
      incompleteReason: undefined,
      error: undefined,
    }),
    status: 'in_progress',
    completed_at: null,
    usage: null,
  };
  const queued = { ...opening, status: 'queued' };
  return numberEvents([
    ...(isBackground(response)
      ? [
          { type: 'response.created', response: queued },
          { type: 'response.queued', response: queued },
        ]
      : [{ type: 'response.created', response: opening }]),
    { type: 'response.in_progress', response: opening },
    ...response.output.flatMap((item, index) => addFields(toItemEvents(item), { output_index: index })),
    { type: `response.${response.status}`, response: toWireResponse(response) },
  ]);
}

/** Fills a delta up to a length that others share. */
const withObfuscation = (event: StreamEvent): StreamEvent =>
  typeof event.delta === 'string'
    ? { ...event, obfuscation: OBFUSCATION.slice(event.delta.length % OBFUSCATION.length) }
    : event;

// Random in the API. Here the same request gets the same events.
const OBFUSCATION = 'WODcq0wkHt5FMFJ4';

const isBackground = (response: EmulatedResponse): boolean => response.echo.background === true;

const numberEvents = (events: readonly StreamEvent[], { from = 0 } = {}): StreamEvent[] =>
  events.flatMap((event, index) => addFields([event], { sequence_number: from + index }));

/** Adds fields to events, directly after `type` as in the API. */
const addFields = (events: readonly StreamEvent[], added: PlainObject): StreamEvent[] =>
  events.map(({ type, ...fields }) => ({ type, ...added, ...fields }));

function toItemEvents(item: OutputItem): StreamEvent[] {
  return [
    { type: 'response.output_item.added', item: toWireItem(toOpeningItem(item)) },
    ...toInnerEvents(item),
    { type: 'response.output_item.done', item: toWireItem(item) },
  ];
}

function toOpeningItem(item: OutputItem): OutputItem {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'reasoning': {
      const { encrypted_content: content, ...rest } = item;
      // OpenAI sends a different value here than in the final item. Only the final value is valid.
      return {
        ...rest,
        summary: [],
        ...(rest.content && { content: [] }),
        ...(content && { encrypted_content: content.slice(0, 64) }),
      };
    }
    case 'raw':
      return 'status' in item.item ? { ...item, item: { ...item.item, status: 'in_progress' } } : item;
  }
}

/** Returns the events between the beginning and the end of an item. */
function toInnerEvents(item: OutputItem): StreamEvent[] {
  if (item.type === 'raw') {
    const isCompaction = item.item.type === 'compaction';
    return isCompaction ? [{ type: 'response.compaction.compacting', item_id: item.item.id }] : [];
  }
  return addFields(toDeltaEvents(item), { item_id: item.id });
}

function toDeltaEvents(item: StreamedItem): StreamEvent[] {
  switch (item.type) {
    case 'message':
      return item.content.flatMap((part, index) => addFields(toPartEvents(part), { content_index: index }));
    case 'function_call':
      return [
        ...toChunks(item.arguments).map(delta => ({
          type: 'response.function_call_arguments.delta',
          delta,
        })),
        { type: 'response.function_call_arguments.done', arguments: item.arguments },
      ];
    case 'reasoning':
      return toReasoningEvents(item);
  }
}

function toPartEvents(part: MessageContent): StreamEvent[] {
  const [field, name, more] =
    part.type === 'refusal'
      ? (['refusal', 'response.refusal', {}] as const)
      : (['text', 'response.output_text', { logprobs: [] }] as const);
  const text = part.type === 'refusal' ? part.refusal : part.text;
  return [
    { type: 'response.content_part.added', part: { ...part, [field]: '' } },
    ...toWords(text).map(delta => ({ type: `${name}.delta`, delta, ...more })),
    { type: `${name}.done`, [field]: text, ...more },
    { type: 'response.content_part.done', part },
  ];
}

function toReasoningEvents(item: ReasoningItem): StreamEvent[] {
  const texts = (item.content ?? []).flatMap(({ text }, index) => {
    const deltas = toWords(text).map(delta => ({ type: 'response.reasoning_text.delta', delta }));
    return addFields([...deltas, { type: 'response.reasoning_text.done', text }], { content_index: index });
  });
  const parts = item.summary.flatMap((part, index) => {
    const events: StreamEvent[] = [
      { type: 'response.reasoning_summary_part.added', part: { ...part, text: '' } },
      ...toWords(part.text).map(delta => ({ type: 'response.reasoning_summary_text.delta', delta })),
      { type: 'response.reasoning_summary_text.done', text: part.text },
      { type: 'response.reasoning_summary_part.done', part },
    ];
    return addFields(events, { summary_index: index });
  });
  return [...texts, ...parts];
}

/** Converts a response to JSON, for a response body and for the terminal event. */
function toWireResponse(response: EmulatedResponse): PlainObject {
  const { id, createdAt, status, output, usage, incompleteReason, error, echo } = response;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status,
    completed_at: status === 'completed' ? createdAt : null,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    output: output.map(toWireItem),
    ...echo,
    ...((usage !== null || status === 'failed') && { usage }),
  };
}

/** Splits text before each word. The joined chunks equal the text. @internal */
export const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Splits arguments into chunks the size of tokens, regardless of words and quotes. @internal */
export const toChunks = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];
