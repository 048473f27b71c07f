import type { JSONSchema7 } from '@ai-sdk/provider';
import type { Part, PartOf } from '../../core/part.js';
import type { OutputContent, PartFacts, ProviderMetadata } from '../../core/prompt.js';
import { parseToolArguments, readToolArguments } from '../../tool-calls/tool-arguments.js';
import type { ToolDefinition, ToolOutput, ToolProgress } from '../../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | undefined;
}

/** A finished call with its output. */
export interface CallOutcome {
  readonly call: LoopCall;
  /** Undefined if no tool has the name that the model called. */
  readonly tool: ToolDefinition | undefined;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that did not start. */
  readonly duration: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
  /** True if the tool was stopped, so that its effect is unknown. @default false */
  readonly isInterrupted?: boolean;
}

/** A finished tool. */
export interface ToolRun {
  readonly output: ToolOutput;
  /** Milliseconds that a tool ran that was started early. */
  readonly duration?: number;
}

/** The call of an event, and the tool by its server and original name. */
interface CallFacts extends Pick<ToolDefinition, 'server' | 'originalName'> {
  readonly round: number;
  readonly toolCallId: string;
  readonly toolName: string;
}

export type CallEvent =
  /** A tool starts. Calls that are refused, unreadable or already recorded do not start. */
  | ({ type: 'tool-start'; input: string } & CallFacts)
  /** A running tool reports progress, as MCP servers do. */
  | ({ type: 'tool-progress' } & CallFacts & ToolProgress)
  | ({
      type: 'tool-end';
      /** Milliseconds between the tool's start and its end; 0 for a call that did not start. */
      duration: number;
      isError: boolean;
      /** True if the output was read from a record, so that the tool did not start. @default false */
      isReplayed?: boolean;
    } & CallFacts);

/** A part of a call that the loop runs. */
type LoopCallPart =
  PartOf<`tool-input-${'start' | 'delta' | 'end'}`> | PartOf<'tool-call'> | PartOf<'tool-result'>;

/** Writes a part of a call that the loop runs, hidden if the host must not show it. */
export type ShowPart = (part: LoopCallPart, write: (part: Part) => void) => void;

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json' || output.mcp?.isError === true;

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/** Parses the arguments of a call. Arguments that cannot be read or repaired produce an error message for the model. */
export function parseInput(
  text: string,
  { toolName, schema }: { toolName: string; schema?: JSONSchema7 },
): ParsedInput {
  const parsed = readToolArguments(text, { schema });
  return parsed.success
    ? { success: true, input: parsed.input }
    : { success: false, message: `Invalid arguments for tool "${toolName}": ${parsed.reason}.` };
}

/**
 * Returns the arguments of a call as a JSON object, or `{}` if they cannot be read. `ai@5` treats a call with invalid
 * JSON as a call of the host and starts an additional step.
 */
export function toValidJson(input: string, { schema }: { schema?: JSONSchema7 } = {}): string {
  const parsed = parseToolArguments(input, { schema });
  return parsed.success ? parsed.json : '{}';
}

/** Returns the server and the original name of a tool, for events and callbacks. */
export const sourceOf = ({ server, originalName }: Partial<ToolDefinition> = {}): Pick<
  ToolDefinition,
  'server' | 'originalName'
> => ({
  ...(server !== undefined && { server }),
  ...(originalName !== undefined && { originalName }),
});

/**
 * Adds the server and the original name of a tool to the facts of its call. In a later process, the name alone could
 * refer to another server's tool.
 */
export function withToolIdentity<Call extends Pick<LoopCall, 'own'>>(
  call: Call,
  tool: ToolDefinition | undefined,
): Call {
  if (tool?.server === undefined) return call;
  return {
    ...call,
    own: { ...call.own, tool: { server: tool.server, name: tool.originalName ?? tool.name } },
  };
}

/** Maximum size in bytes of an image or another media part of an output. A larger one is replaced by a text. */
const MAX_MEDIA_BYTES = 20_000_000;

interface OutputLimit {
  /** Maximum length of the texts of an output. */
  readonly maxChars: number;
}

/**
 * Truncates an output that is too long. Truncated JSON becomes text. Returns the same object if nothing is too long.
 * Text that was truncated for the model does not reach the host in another form either.
 */
export function limitOutput(output: ToolOutput, limit: OutputLimit): ToolOutput {
  const limited = limitValue(output, limit);
  const { mcp } = output;
  if (limited === output || mcp === undefined) return limited;
  const { content: _content, structuredContent: _structured, ...kept } = mcp;
  return { ...limited, mcp: kept };
}

function limitValue(output: ToolOutput, limit: OutputLimit): ToolOutput {
  if (output.type === 'content') {
    const value = limitContent(output.value, limit);
    const isSame = value.every((part, index) => part === output.value[index]);
    return isSame && value.length === output.value.length ? output : { type: 'content', value };
  }
  const isText = output.type === 'text' || output.type === 'error-text';
  const text = isText ? output.value : JSON.stringify(output.value);
  if (text.length <= limit.maxChars) return output;
  const type = output.type === 'text' || output.type === 'json' ? 'text' : 'error-text';
  return { type, value: truncateText(text, limit) };
}

/** All texts share one limit: the text that exceeds it is truncated, and later ones are omitted. */
function limitContent(content: readonly OutputContent[], { maxChars }: OutputLimit): OutputContent[] {
  let room = maxChars;
  let omitted = 0;
  const limited = content.flatMap((part): OutputContent[] => {
    const text = textOf(part);
    if (text === undefined) return [limitMedia(part)];
    if (room <= 0) {
      omitted++;
      return [];
    }
    const shown = truncateText(text, { maxChars: room });
    room -= text.length;
    return shown === text ? [part] : [{ type: 'text', text: shown }];
  });
  if (omitted > 0) limited.push({ type: 'text', text: `[… ${omitted} more texts omitted …]` });
  return limited;
}

function textOf(part: OutputContent): string | undefined {
  if (part.type === 'text') return part.text;
  return part.type === 'file' && part.data.type === 'text' ? part.data.text : undefined;
}

function limitMedia(part: OutputContent): OutputContent {
  if (part.type !== 'file' || part.data.type !== 'data') return part;
  const { data } = part.data;
  const bytes = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : data.byteLength;
  if (bytes <= MAX_MEDIA_BYTES) return part;
  return {
    type: 'text',
    text: `[${part.mediaType} of ${bytes} bytes omitted: the limit is ${MAX_MEDIA_BYTES} bytes]`,
  };
}

/** Truncates a text in the middle, with a mark that contains the number of omitted characters. @internal */
export function truncateText(text: string, { maxChars }: OutputLimit): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(maxChars - toMark(text.length).length, 0);
  const headEnd = Math.ceil(room / 2);
  const tailStart = text.length - Math.floor(room / 2);
  // Servers reject half a surrogate pair with status 400.
  const head = text.slice(0, isInsidePair(text, headEnd) ? headEnd - 1 : headEnd);
  const tail = text.slice(isInsidePair(text, tailStart) ? tailStart + 1 : tailStart);
  return head + toMark(text.length - head.length - tail.length) + tail;
}

const toMark = (count: number): string => `\n[… ${count} characters omitted …]\n`;

const isInsidePair = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(index - 1, 0), index + 1));

/*
 * Connects the schedule of a round's calls with the code that runs and observes them.
 */

/** When the calls of a turn start. */
export interface Scheduling {
  readonly execution: 'auto' | 'parallel' | 'sequential';
  /** The calls that may start before their response ends. */
  readonly startEarly: 'read-only' | boolean;
}

/** Returns `run`, `wait` while it depends on running calls, or the output of a call that must not run. */
export type Admission = () => Verdict | 'wait';

export type Verdict = 'run' | ToolOutput;

/** Connects a call with the schedule of its round. */
export interface CallSlot {
  /** Position of the call in its round, from 1. */
  readonly index: number;
  readonly signal: AbortSignal;
  /** The call was started early, and this is its result. */
  readonly early: Promise<ToolRun> | undefined;
  /** Called when the tool starts. */
  readonly onStart: () => void;
  /** Called when the step of the call has been issued, so that the next one may be. */
  readonly onIssued: () => void;
  /** Waits inside of the step until the tool may run. Returns the output of a call that must not run. */
  readonly enter: () => Promise<Verdict>;
}

/** The output of a call, and how it was found. */
export interface CallResult {
  readonly output: ToolOutput;
  /** Milliseconds that the tool ran in the attempt that ran it. @default measured */
  readonly duration?: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
  /** True if the tool was stopped, so that its effect is unknown. @default false */
  readonly isInterrupted?: boolean;
}

export interface CallRunnerOptions extends Scheduling {
  readonly signal: AbortSignal;
  /** True if no call may start before its round is recorded, except calls that `prefetch` accepts. */
  readonly isDurable: boolean;
  /** True if calls have to start in the same order in every attempt, whenever the calls before them end. */
  readonly isOrdered: boolean;
  /** Runs a call to its end. Rejects only on abort. */
  readonly execute: (call: LoopCall, tool: ToolDefinition, slot: CallSlot) => Promise<CallResult>;
  /**
   * Starts a call that has no effects before its round is recorded. Called in durable turns only.
   *
   * @returns undefined for a call that has to wait.
   */
  readonly prefetch: (
    call: LoopCall,
    tool: ToolDefinition,
    options: Pick<CallSlot, 'index' | 'signal'>,
  ) => Promise<ToolRun> | undefined;
  /** Returns true for a tool whose calls may need further steps after the first. */
  readonly mayContinue: (tool: ToolDefinition) => boolean;
  /** Called for each call as it arrives. The result is called until it decides on the call. */
  readonly admit: (call: LoopCall, tool: ToolDefinition | undefined) => Admission;
  /** Number of calls of the round in attempts before, so that each position is used once. @default 0 */
  readonly callsBefore?: number;
  /** Called for each outcome as it arrives, in any order. */
  readonly onOutcome: (outcome: CallOutcome) => void;
}

/** Runs the calls of one round. */
export interface CallRunner {
  readonly size: number;
  /** Adds a call. One that is complete may run before the response ends. */
  add(call: LoopCall, tool: ToolDefinition, options: { readonly isComplete: boolean }): void;
  /** Adds a call that no tool can run. The model receives the reason. */
  refuse(call: LoopCall, reason: string): void;
  /** Fails the calls whose arguments need repair, with this error text. */
  refuseRepairs(text: string): void;
  /** Starts the waiting calls and returns all outcomes, in the order of the calls. Rejects on abort. */
  waitForAll(): Promise<CallOutcome[]>;
  /** True if a call has started. Its tool may have had its effect. */
  readonly hasStarted: boolean;
  /**
   * Ends the calls of a response that is repeated: those that have not started fail with this error text. Returns the
   * outcomes of the others when they have ended, and the calls that never run. Rejects on abort.
   */
  keepStarted(text: string): Promise<{ readonly outcomes: CallOutcome[]; readonly dropped: LoopCall[] }>;
  /** Aborts running calls and starts no others. Calls without an outcome fail with this error text. */
  abandon(text: string): void;
  /** Returns the outcomes of the calls whose tools have run. One that still runs was interrupted. */
  ran(): CallOutcome[];
}
