import { createParser } from 'eventsource-parser';
import type { ScriptedItem, StreamEvent } from 'kelivo-responses/testing';
import { readFinishReason, readUsage } from '../apps/app-record.js';
import { type Fields, isFields, listOf, objectOf, textOf } from '../apps/fields.js';

/** Returns the events of a stream, or undefined for a body that is not a stream of typed JSON events. */
export function readEvents(body: string): readonly StreamEvent[] | undefined {
  const events: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(parseJson(data)) });
  parser.feed(body);
  return events.length > 0 && events.every(isStreamEvent) ? events : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStreamEvent = (value: unknown): value is StreamEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** A response of a model, and the results of the tools that its provider has run. */
export interface RecordedResponse {
  readonly output: readonly ScriptedItem[];
  readonly usage: ReturnType<typeof toUsage>;
  readonly isTruncated: boolean;
  readonly results: readonly { readonly toolName: string; readonly result: string }[];
}

const BEGINS = /^(text|reasoning|tool-input)-start$|^tool-call$/;

/**
 * Reads what an application has recorded instead of the events of an endpoint: parts of the AI SDK, the result of a call that
 * was not streamed, or the messages of a span. A provider that runs tools has several responses in one call.
 *
 * @returns Undefined for the body of an endpoint.
 */
export function readRecordedParts(body: string): readonly RecordedResponse[] | undefined {
  const events = readEvents(body);
  const isStream = events?.some(({ type }) => type === 'finish' || type.endsWith('-delta'));
  const parts: readonly Fields[] | undefined = isStream ? events : readResult(parseJson(body));
  return parts && toResponses(parts);
}

/** Returns the result of a call, or the messages of a span, as the parts of a stream. */
function readResult(result: unknown): readonly Fields[] | undefined {
  const { content, finishReason, usage, text, toolCalls } = objectOf(result) ?? {};
  if (Array.isArray(content) && finishReason !== undefined)
    return [...content.filter(isFields), { type: 'finish', finishReason, usage }];
  const messages = listOf(result).filter(isFields);
  const isSpan = messages.length > 0 && messages.every(({ parts }) => Array.isArray(parts));
  const spanParts = messages.flatMap(({ parts }) => listOf(parts).filter(isFields));
  if (isSpan)
    return spanParts.map(({ type, ...part }) => ({ type: textOf(type).replace('_', '-'), ...part }));
  if (typeof text !== 'string' && !Array.isArray(toolCalls)) return undefined;
  const calls = listOf(toolCalls).filter(isFields);
  return [{ type: 'text', text: textOf(text) }, ...calls.map(call => ({ ...call, type: 'tool-call' }))];
}

function toResponses(parts: readonly Fields[]): readonly RecordedResponse[] {
  const open = (): { output: ScriptedItem[]; results: { toolName: string; result: string }[] } => ({
    output: [],
    results: [],
  });
  let current = open();
  const responses = [current];
  /** Calls by their ids, with the deltas of their arguments. */
  const calls = new Map<unknown, { toolName: unknown; input: string }>();
  const called = new Set<unknown>();
  const running = new Set<unknown>();
  let finish: Fields = {};
  for (const part of parts) {
    const type = textOf(part.type);
    if (BEGINS.test(type) && current.results.length > 0 && running.size === 0) {
      current = open();
      responses.push(current);
    }
    const id = part.toolCallId ?? part.id;
    const call = calls.get(id);
    if (type === 'finish') finish = part;
    else if (type === 'tool-input-start') calls.set(id, { toolName: part.toolName, input: '' });
    else if (type === 'tool-input-delta' && call !== undefined) call.input += textOf(part.delta);
    else if (type === 'tool-input-end' || type === 'tool-call') {
      if (called.has(id)) continue;
      called.add(id);
      running.add(id);
      current.output.push(toCall({ ...part, ...call, toolCallId: id }));
    } else if (type === 'tool-result' && part.preliminary !== true) {
      running.delete(id);
      const result = part.result ?? part.output;
      const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
      current.results.push({ toolName: textOf(part.toolName), result: text });
    } else addText(current.output, type, textOf(part.delta ?? part.text ?? part.content));
  }
  const isTruncated = readFinishReason(finish.finishReason) === 'length';
  return responses.map((response, index) => {
    const isLast = index === responses.length - 1;
    return { ...response, usage: isLast ? toUsage(finish.usage) : null, isTruncated: isLast && isTruncated };
  });
}

function toCall({ toolName, name, toolCallId, input, args, arguments: given }: Fields): ScriptedItem {
  const values = input ?? args ?? given ?? {};
  const text = typeof values === 'string' ? values : JSON.stringify(values);
  const callId = textOf(toolCallId);
  return { call: textOf(toolName ?? name), arguments: text, ...(callId !== '' && { callId }) };
}

/** Adds a text to the last item if that continues it. */
function addText(output: ScriptedItem[], type: string, text: string): void {
  const kind = /^(text|reasoning)(-delta)?$/.exec(type)?.[1];
  if (kind === undefined || text === '') return;
  const last = output.at(-1) as Fields | undefined;
  const known = last?.[kind];
  const item = { [kind]: typeof known === 'string' ? known + text : text } as ScriptedItem;
  output.splice(typeof known === 'string' ? -1 : output.length, 1, item);
}

function toUsage(usage: unknown) {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = readUsage(usage);
  if (inputTokens === undefined || outputTokens === undefined) return null;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: totalTokens ?? inputTokens + outputTokens,
  };
}
