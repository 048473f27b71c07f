import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { TraceEvent, TraceFact, Usage } from '../../shared/trace-event.js';
import { type Fields, isFields, listOf, numberOf, objectOf, textOf } from './fields.js';

/** Limits of a trace: events, and characters of their contents. Contents beyond them are not recorded. */
const MAX_EVENTS = 50_000;
const MAX_SIZE = 64_000_000;

/** The events of a turn, with times after its start. After the end of the turn, nothing is added. */
export function createTraceRecord(beganAt: number) {
  const events: TraceEvent[] = [];
  const trace = { events, hasEnded: false, lastAt: beganAt, size: 0, record };
  return trace;

  function record(fact: TraceFact, at: number): void {
    const { type } = fact;
    const isFull = events.length > MAX_EVENTS + (type === 'wire' ? 0 : 100);
    // A turn without its end would be stored as failed.
    if (trace.hasEnded || (isFull && type !== 'turn-end')) return;
    trace.lastAt = Math.max(trace.lastAt, at);
    trace.hasEnded = type === 'turn-end';
    const wasFull = trace.size > MAX_SIZE;
    const hasContent = type === 'wire' || type === 'request' || type === 'body';
    if (hasContent && !wasFull) trace.size += JSON.stringify(fact).length;
    if (!hasContent || trace.size <= MAX_SIZE) add(fact, at);
    else if (!wasFull)
      add({ type: 'warning', message: 'The trace is full: later contents are not recorded.' }, at);
  }

  function add(fact: TraceFact, at: number): void {
    events.push({ ...fact, at: Math.max(0, at - beganAt) } as TraceEvent);
  }
}

type MessagePart = PlaygroundMessage['parts'][number];

/** The parts of a response, written while it arrives. */
export function createMessageParts() {
  const parts: MessagePart[] = [];
  return {
    /** Returns the parts so far. A response without any has an empty text. */
    list: (): MessagePart[] => (parts.length > 0 ? parts : [{ type: 'text', text: '' }]),
    addText(type: 'text' | 'reasoning', delta: string): void {
      const last = parts.at(-1);
      if (last?.type === type) parts[parts.length - 1] = { ...last, text: last.text + delta };
      else parts.push({ type, text: delta });
    },
    addTool(toolCallId: string, { toolName, input }: { toolName: string; input: string }): void {
      const state = 'input-available';
      parts.push({ type: 'dynamic-tool', toolCallId, toolName, state, input: parseJson(input) });
    },
    endTool(toolCallId: string, { isError, output }: Fields): void {
      const index = parts.findIndex(part => part.type === 'dynamic-tool' && part.toolCallId === toolCallId);
      const part = parts[index];
      if (part?.type !== 'dynamic-tool') return;
      const { toolName, input } = part;
      const known = { type: 'dynamic-tool' as const, toolCallId, toolName, input };
      parts[index] =
        isError === true
          ? { ...known, state: 'output-error', errorText: toText(output) }
          : { ...known, state: 'output-available', output: output ?? null };
    },
  };
}

/* Readers of what the versions of the model interface send. */

/** Returns the text of the last message of the user. */
export function readQuestion(prompt: unknown): string {
  if (typeof prompt === 'string') return prompt;
  const last = listOf(prompt)
    .filter(isFields)
    .findLast(({ role }) => role === 'user');
  if (typeof last?.content === 'string') return last.content;
  return listOf(last?.content)
    .map(part => textOf(objectOf(part)?.text))
    .filter(Boolean)
    .join('\n');
}

/** The token counts of all versions of the model interface. */
export function readUsage(usage: unknown): Usage {
  const { inputTokens, outputTokens, ...flat } = objectOf(usage) ?? {};
  const input = objectOf(inputTokens);
  const output = objectOf(outputTokens);
  const counts = {
    inputTokens: numberOf(input?.total ?? inputTokens),
    outputTokens: numberOf(output?.total ?? outputTokens),
    totalTokens: numberOf(flat.totalTokens),
    reasoningTokens: numberOf(output?.reasoning ?? flat.reasoningTokens),
    cachedInputTokens: numberOf(input?.cacheRead ?? flat.cachedInputTokens),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

export const readFinishReason = (reason: unknown): string =>
  textOf(objectOf(reason)?.unified ?? reason) || 'unknown';

export const readHeaders = (headers: unknown): [string, string][] =>
  Object.entries(objectOf(headers) ?? {}).map(([name, value]) => [name, String(value)]);

export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
