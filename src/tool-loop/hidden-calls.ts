import type {
  JSONValue,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
  SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { ToolPartsMode } from '../parts/provider-executed-parts.js';
import { asJson, isNonEmptyArray, objectOf } from '../shared/json.js';
import type { ToolOutput } from '../tools/tool-source.js';
import { isValidOutput } from './call-execution.js';
import { type CallOutcome, withToolIdentity } from './calls.js';
import { toCallPart } from './history.js';

/*
 * A host that does not know a tool keeps the results of its calls without the arguments, or nothing at all. The next request
 * needs both, or the model would repeat the calls. So they are written into `providerMetadata.kelivo.hiddenCalls` of parts
 * that every host keeps, and restored from the history of the next request, in any process.
 */

/** A call that the host does not keep, as JSON. */
interface HiddenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
  /** Missing if the host keeps the result. */
  readonly output?: ToolOutput;
  /** Number of calls of the turn before it of which the host keeps nothing. Missing if the host keeps the result. */
  readonly index?: number;
}

/** The hidden calls that a part carries, and its position among them. */
interface HiddenCallsMark {
  /** Number of calls of the turn, of which the host keeps nothing, that precede the part. */
  readonly before: number;
  /** Calls that the part carries. They need not be next to it. */
  readonly calls: readonly HiddenCall[];
}

/** Parts with metadata that hosts keep. The text of a carrier must not be empty: `ai@5` drops empty texts. */
type MarkablePart = Extract<LanguageModelV2StreamPart, { type: 'text-end' | 'reasoning-end' | 'tool-call' }>;

/** Collects the calls of one turn that the host does not keep, and writes them into parts that it keeps. */
export interface HiddenCalls {
  /** Number of calls so far of which the host keeps nothing. */
  readonly count: number;
  /** Counts a call when it arrives. */
  announce(toolName: string): void;
  /** Adds finished calls, in the order in which they arrived. */
  add(outcomes: readonly CallOutcome[]): void;
  /** Returns the part with a mark of the calls that precede it. A carrier also gets the calls added since the last one. */
  mark<Part extends MarkablePart>(part: Part, options?: { before?: number; isCarrier?: boolean }): Part;
  /** Returns an empty reasoning block for the calls that found no carrier: hosts keep one. */
  lastCarrier(): LanguageModelV2StreamPart[];
}

export function createHiddenCalls(modeOf: (toolName: string) => ToolPartsMode): HiddenCalls {
  let count = 0;
  let added = 0;
  let waiting: HiddenCall[] = [];

  const takeWaiting = (): HiddenCall[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };

  return {
    get count() {
      return count;
    },
    announce(toolName) {
      if (modeOf(toolName) === 'none') count++;
    },
    add(outcomes) {
      for (const { call, tool, output } of outcomes) {
        const mode = modeOf(call.toolName);
        if (mode === 'full') continue;
        waiting.push({ ...withToolIdentity(call, tool), ...(mode === 'none' && { output, index: added++ }) });
      }
    },
    mark: (part, { before = count, isCarrier = false } = {}) =>
      withMark(part, { before, calls: isCarrier ? takeWaiting() : [] }),
    lastCarrier() {
      if (waiting.length === 0) return [];
      const id = 'hidden-calls';
      const end = withMark({ type: 'reasoning-end', id }, { before: count, calls: takeWaiting() });
      return [{ ...end, type: 'reasoning-start' }, end];
    },
  };
}

function withMark<Part extends MarkablePart>(part: Part, { before, calls }: HiddenCallsMark): Part {
  if (before === 0 && calls.length === 0) return part;
  const { providerMetadata } = part;
  const hiddenCalls: Record<string, JSONValue> = {
    ...(before > 0 && { before }),
    ...(calls.length > 0 && { calls: asJson(calls) }),
  };
  return {
    ...part,
    providerMetadata: { ...providerMetadata, kelivo: { ...providerMetadata?.kelivo, hiddenCalls } },
  };
}

type AssistantMessage = Extract<LanguageModelV2Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/**
 * Returns the history with the calls that the host did not keep, at the places where the model made them, and without the
 * metadata that carried them. Calls that the history already contains are not repeated.
 */
export function withHiddenCalls(prompt: LanguageModelV2Prompt): LanguageModelV2Prompt {
  if (!prompt.some(isMarked)) return prompt;
  const known = callIdsOf(prompt);
  return prompt.flatMap((message): LanguageModelV2Prompt => {
    if (!isMarked(message)) return [message];
    // Hosts copy the metadata of a call to its result.
    if (message.role === 'tool') return [{ ...message, content: message.content.map(withoutMark) }];
    if (message.role !== 'assistant') return [message];
    const content = restore(message.content, known);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

const isMarked = ({ content }: LanguageModelV2Message): boolean =>
  typeof content !== 'string' && content.some(part => markedIn(part.providerOptions) !== undefined);

const markedIn = (options: SharedV2ProviderOptions | undefined) => objectOf(options?.kelivo?.hiddenCalls);

/** Inserts the calls that the parts of one message carry. */
function restore(content: readonly AssistantPart[], known: Set<string>): AssistantPart[] {
  const inserted = new Map<number, AssistantPart[]>();
  const withoutCall = new Map<string, HiddenCall>();
  const marks = content.map(readMark);
  for (const [position, { calls }] of marks.entries()) {
    for (const call of calls) {
      // The history has the call, or another part carries it too.
      if (known.has(call.toolCallId)) continue;
      known.add(call.toolCallId);
      const { toolCallId, toolName, output, index } = call;
      const hasResult = content.some(part => part.type === 'tool-result' && part.toolCallId === toolCallId);
      if (output === undefined || index === undefined || hasResult) {
        withoutCall.set(toolCallId, call);
        continue;
      }
      const at = positionOf(index, { content, marks, carrier: position });
      const parts = inserted.get(at) ?? [];
      parts.push(toProviderCall(call), { type: 'tool-result', toolCallId, toolName, output });
      inserted.set(at, parts);
    }
  }

  const restored = content.flatMap((part, position): AssistantPart[] => {
    const before = inserted.get(position) ?? [];
    const call = part.type === 'tool-result' ? withoutCall.get(part.toolCallId) : undefined;
    if (isOnlyCarrier(part)) return before;
    return [...before, ...(call === undefined ? [] : [toProviderCall(call)]), withoutMark(part)];
  });
  return [...restored, ...(inserted.get(content.length) ?? [])];
}

/** Returns the position before the part of the message that followed a call. Results and files have no mark. */
function positionOf(
  index: number,
  {
    content,
    marks,
    carrier,
  }: { content: readonly AssistantPart[]; marks: readonly HiddenCallsMark[]; carrier: number },
): number {
  const isAfterCall = (at: number): boolean => (marks[at]?.before ?? 0) > index;
  let position = carrier;
  if (!isAfterCall(carrier)) {
    // Calls of the host that the model made before it, in the same round.
    do position++;
    while (content[position]?.type === 'tool-call' && !isAfterCall(position));
    return position;
  }
  for (let at = carrier - 1; at >= 0; at--) {
    const type = content[at]?.type;
    if (type === 'tool-result' || type === 'file') continue;
    if (!isAfterCall(at)) break;
    position = at;
  }
  return position;
}

const toProviderCall = (call: HiddenCall): AssistantPart => toCallPart({ ...call, providerExecuted: true });

/** Returns true for a reasoning part that exists only to carry calls. */
const isOnlyCarrier = (part: AssistantPart): boolean =>
  part.type === 'reasoning' &&
  part.text === '' &&
  markedIn(part.providerOptions) !== undefined &&
  withoutMark(part).providerOptions === undefined;

function withoutMark<Part extends { providerOptions?: SharedV2ProviderOptions }>(part: Part): Part {
  if (markedIn(part.providerOptions) === undefined) return part;
  const { kelivo: { hiddenCalls: _, ...kelivo } = {}, ...others } = part.providerOptions ?? {};
  const providerOptions = { ...others, ...(Object.keys(kelivo).length > 0 && { kelivo }) };
  return { ...part, providerOptions: Object.keys(providerOptions).length > 0 ? providerOptions : undefined };
}

/** Reads the mark of a part. The history may have been changed by others, so malformed calls are ignored. */
function readMark({ providerOptions }: AssistantPart): HiddenCallsMark {
  const { before, calls } = markedIn(providerOptions) ?? {};
  return {
    before: typeof before === 'number' ? before : 0,
    calls: isNonEmptyArray(calls) ? calls.flatMap(readCall) : [],
  };
}

function readCall(value: unknown): HiddenCall[] {
  callSchema ??= createCallSchema();
  const { data } = callSchema.safeParse(value);
  return data === undefined ? [] : [data];
}

/** Created on first use. */
let callSchema: z.ZodType<HiddenCall> | undefined;

const createCallSchema = (): z.ZodType<HiddenCall> =>
  z.object({
    toolCallId: z.string().min(1),
    toolName: z.string().min(1),
    input: z.string(),
    providerMetadata: z.record(z.string(), z.record(z.string(), z.json())).optional(),
    output: z.custom<ToolOutput>(isValidOutput).optional(),
    index: z.int().min(0).optional(),
  });

function callIdsOf(prompt: LanguageModelV2Prompt): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) if (part.type === 'tool-call') ids.add(part.toolCallId);
  }
  return ids;
}
