import type { PlainObject } from '../../shared/json.js';
import type { ErrorEventFault, ScriptedOutput } from '../protocol/scripts.js';
import {
  type EmulatedResponse,
  type FunctionCallItem,
  type MessageContent,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
  type StreamEvent,
  toWireItem,
} from '../protocol/wire.js';
import { type FailingFault, formatEvent, type ResponseFormat, toFailure } from './delivery.js';

/** Converts a response to the format of the Responses API. */
export function toResponsesFormat(
  response: EmulatedResponse,
  { events: rewrite = given => given }: Pick<ScriptedOutput, 'events'>,
): ResponseFormat {
  return {
    body: toWireResponse(response),
    frames: rewrite(toEvents(response)).map(formatEvent),
    // `response.created`, in background mode `response.queued`, and `response.in_progress`
    openingFrames: isBackground(response) ? 3 : 2,
    terminalFrames: 1,
    malformedFrame: 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n',
    failFrames: (fault, { after }) => toFailFrames(response, { fault, after }),
    failBody: fault =>
      fault.fault === 'failed' ? toWireResponse(toFailedResponse(response, fault)) : toErrorFields(fault),
  };
}

function toFailFrames(
  response: EmulatedResponse,
  { fault, after }: { fault: FailingFault; after: number },
): readonly string[] {
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
  const opening = toOpeningResponse(response);
  const queued = { ...opening, status: 'queued' };
  return numberEvents([
    ...(isBackground(response)
      ? [
          { type: 'response.created', response: queued },
          { type: 'response.queued', response: queued },
        ]
      : [{ type: 'response.created', response: opening }]),
    { type: 'response.in_progress', response: opening },
    ...response.output.flatMap((item, index) => toItemEvents(item).map(event => withIndex(event, index))),
    { type: `response.${response.status}`, response: toWireResponse(response) },
  ]);
}

const isBackground = ({ echo }: EmulatedResponse): boolean => echo.background === true;

/** Adds `sequence_number` to each event, directly after `type` as in the API. */
const numberEvents = (events: readonly StreamEvent[], { from = 0 } = {}): StreamEvent[] =>
  events.map(({ type, ...fields }, index) => ({ type, sequence_number: from + index, ...fields }));

const toOpeningResponse = (response: EmulatedResponse) => ({
  ...toWireResponse({ ...response, output: [], usage: null, incompleteReason: undefined, error: undefined }),
  status: 'in_progress',
  completed_at: null,
  usage: null,
});

const withIndex = ({ type, ...fields }: StreamEvent, outputIndex: number): StreamEvent => ({
  type,
  output_index: outputIndex,
  ...fields,
});

function toItemEvents(item: OutputItem): StreamEvent[] {
  const inner = toInnerEvents(item);
  return [
    { type: 'response.output_item.added', item: toWireItem(toOpeningItem(item)) },
    ...(item.type === 'raw'
      ? inner
      : inner.map(({ type, ...fields }) => ({ type, item_id: item.id, ...fields }))),
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

function toInnerEvents(item: OutputItem): StreamEvent[] {
  switch (item.type) {
    case 'message':
      return toMessageEvents(item);
    case 'function_call':
      return toCallEvents(item);
    case 'reasoning':
      return toReasoningEvents(item);
    case 'raw':
      return item.item.type === 'compaction'
        ? [{ type: 'response.compaction.compacting', item_id: item.item.id }]
        : [];
  }
}

const toMessageEvents = ({ content }: MessageItem): StreamEvent[] =>
  content.flatMap((part, index) =>
    toPartEvents(part).map(({ type, ...fields }) => ({ type, content_index: index, ...fields })),
  );

function toPartEvents(part: MessageContent): StreamEvent[] {
  if (part.type === 'refusal') {
    return [
      { type: 'response.content_part.added', part: { ...part, refusal: '' } },
      ...toWords(part.refusal).map(delta => ({ type: 'response.refusal.delta', delta })),
      { type: 'response.refusal.done', refusal: part.refusal },
      { type: 'response.content_part.done', part },
    ];
  }
  return [
    { type: 'response.content_part.added', part: { ...part, text: '' } },
    ...toWords(part.text).map(delta => ({ type: 'response.output_text.delta', delta, logprobs: [] })),
    { type: 'response.output_text.done', text: part.text, logprobs: [] },
    { type: 'response.content_part.done', part },
  ];
}

const toReasoningEvents = ({ summary, content = [] }: ReasoningItem): StreamEvent[] => [
  ...content.flatMap((part, index) =>
    [
      ...toWords(part.text).map(delta => ({ type: 'response.reasoning_text.delta', delta })),
      { type: 'response.reasoning_text.done', text: part.text },
    ].map(({ type, ...fields }) => ({ type, content_index: index, ...fields })),
  ),
  ...toSummaryEvents(summary),
];

const toSummaryEvents = (summary: ReasoningItem['summary']): StreamEvent[] =>
  summary.flatMap((part, index) => {
    const events: StreamEvent[] = [
      { type: 'response.reasoning_summary_part.added', part: { ...part, text: '' } },
      ...toWords(part.text).map(delta => ({ type: 'response.reasoning_summary_text.delta', delta })),
      { type: 'response.reasoning_summary_text.done', text: part.text },
      { type: 'response.reasoning_summary_part.done', part },
    ];
    return events.map(({ type, ...fields }) => ({ type, summary_index: index, ...fields }));
  });

const toCallEvents = (call: FunctionCallItem): StreamEvent[] => [
  ...toChunks(call.arguments).map(delta => ({ type: 'response.function_call_arguments.delta', delta })),
  { type: 'response.function_call_arguments.done', arguments: call.arguments },
];

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
    ...(usage && { usage }),
  };
}

/** Splits text before each word. The joined chunks equal the text. */
export const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Splits arguments into chunks the size of tokens, regardless of words and quotes. */
export const toChunks = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];
