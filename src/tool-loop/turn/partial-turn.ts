import { convertUint8ArrayToBase64 } from '@ai-sdk/provider-utils';
import type { Host } from '../../core/call.js';
import type { Content, Finish, ToolCall, Usage } from '../../core/part.js';
import { type RoundUsage, toRoundUsage } from '../../core/finish.js';
import type { AssistantPart, FileData, Prompt, ToolResultOutput, ToolResultPart } from '../../core/prompt.js';
import { isPlainObject, type JSONObject, objectOf } from '../../core/shared/json.js';
import { readToolArguments } from '../../core/tool-calls/tool-arguments.js';
import { type CallOutcome, withToolIdentity } from '../calls/calls.js';
import { isErrorOutput } from '../calls/outputs.js';
import { toAssistantPart, toResultPart } from '../context/history.js';

/*
 * What a turn has done that failed or was aborted, so that nothing of it is lost: the application continues with it.
 */

/** What a turn has done that did not finish, as JSON. */
export interface PartialTurn {
  readonly turnId: string;
  /** The finished rounds, as in `providerMetadata.kelivo.rounds`. */
  readonly rounds: readonly JSONObject[];
  /** The calls that ran, in the order of the model. */
  readonly calls: readonly PartialTurnCall[];
  /** The tokens of all requests so far, as far as the server reported them. */
  readonly usage: RoundUsage;
  /** The messages to continue with: `[...messages, ...turn.messages]`. They have the form of the host's `ai`. */
  readonly messages: readonly JSONObject[];
}

/** A call of a turn that did not finish. */
export interface PartialTurnCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JSONObject;
  /** The output that the model received, or receives next. */
  readonly output: JSONObject;
  readonly isError: boolean;
  /** True if the tool was stopped, so that it may or may not have taken effect. @default false */
  readonly isInterrupted?: boolean;
}

/** A response of the model with the outcomes of its calls. */
export interface AnsweredRound {
  readonly content: readonly Content[];
  readonly outcomes: readonly CallOutcome[];
  readonly responseId?: string | undefined;
  /** The end of the response. @default a failed response without usage */
  readonly finish?: Finish;
}

/** Returns calls without the facts of their response, whose ids may be unknown to the server because it failed. */
export const toCallContent = (outcomes: readonly CallOutcome[]): ToolCall[] =>
  outcomes.map(({ call: { toolCallId, toolName, input } }) => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input,
  }));

export function toPartialTurn(
  turn: {
    readonly exchanges: readonly AnsweredRound[];
    readonly usage: Usage;
  } & Pick<PartialTurn, 'turnId' | 'rounds'> &
    Pick<Host, 'writeMessages'>,
): PartialTurn {
  const calls = turn.exchanges.flatMap(exchange => exchange.outcomes.map(toCall));
  return {
    turnId: turn.turnId,
    rounds: [...turn.rounds],
    calls,
    usage: toRoundUsage(turn.usage),
    messages: turn.writeMessages(toPrompt(turn.exchanges)),
  };
}

function toCall(outcome: CallOutcome): PartialTurnCall {
  const { call, output, isInterrupted = false } = outcome;
  const { toolCallId, toolName } = call;
  const parsed = readToolArguments(call.input);
  return {
    toolCallId,
    toolName,
    input: (parsed.success ? parsed.input : {}) as JSONObject,
    output: toJsonOutput(toResultPart(outcome).output) as unknown as JSONObject,
    isError: isErrorOutput(output),
    ...(isInterrupted && { isInterrupted }),
  };
}

/** Writes exchanges as hosts keep those of a provider: one message of the model, with the outputs after their calls. */
function toPrompt(exchanges: readonly AnsweredRound[]): Prompt {
  const answered: ToolResultPart[] = [];
  const content = exchanges.flatMap((exchange): AssistantPart[] => {
    const outcomes = new Map(exchange.outcomes.map(outcome => [outcome.call.toolCallId, outcome]));
    const results = exchange.outcomes.map(outcome => {
      const part = toResultPart(outcome);
      return { ...part, output: toJsonOutput(part.output) };
    });
    // Calls of an earlier turn, which the messages before contain.
    if (exchange.content.length === 0) {
      answered.push(...results);
      return [];
    }
    const parts = exchange.content.flatMap(toAssistantPart).map((part): AssistantPart => {
      if (part.type === 'file') return { ...part, data: toJsonData(part.data) };
      const outcome = part.type === 'tool-call' ? outcomes.get(part.toolCallId) : undefined;
      return part.type === 'tool-call' && outcome !== undefined
        ? { ...withToolIdentity(part, outcome.tool), providerExecuted: true }
        : part;
    });
    return [...parts, ...results];
  });
  return [
    ...(answered.length > 0 ? [{ role: 'tool' as const, content: answered }] : []),
    ...(content.length > 0 ? [{ role: 'assistant' as const, content }] : []),
  ];
}

/** Writes the bytes of files as base64. */
const toJsonOutput = (output: ToolResultOutput): ToolResultOutput =>
  output.type === 'content'
    ? {
        ...output,
        value: output.value.map(part =>
          part.type === 'file' ? { ...part, data: toJsonData(part.data) } : part,
        ),
      }
    : output;

const toJsonData = (data: FileData): FileData =>
  data.type === 'data' && data.data instanceof Uint8Array
    ? { type: 'data', data: convertUint8ArrayToBase64(data.data) }
    : data;

/**
 * Returns what a turn has done that failed or was aborted: of the error that `generateText` rejects with or `onError` of
 * `streamText` receives, also inside of a `RetryError` or as a `cause`; of the `providerMetadata` of `streamText`; or of the
 * event `turn-end`, the only source after an abort. Undefined if the turn has done nothing, or for anything else.
 */
export function partialTurnOf(failure: unknown): PartialTurn | undefined {
  return findTurn(failure, new Set());
}

function findTurn(value: unknown, seen: Set<unknown>): PartialTurn | undefined {
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
  seen.add(value);
  const { turn, kelivo, cause, lastError, errors } = value as Readonly<Record<string, unknown>>;
  const found = turn ?? objectOf(kelivo)?.partialTurn;
  if (isPartialTurn(found)) return found;
  const others = [cause, lastError, ...(Array.isArray(errors) ? errors.toReversed() : [])];
  for (const other of others) {
    const inner = findTurn(other, seen);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const isPartialTurn = (value: unknown): value is PartialTurn =>
  isPlainObject(value) && typeof value.turnId === 'string' && Array.isArray(value.messages);

/**
 * Returns the messages that continue a turn that failed or was aborted, so that no finished call runs again. A call that
 * was interrupted has an output that says so.
 *
 * @param messages The messages of the call that failed, without system messages that the next call receives in another way.
 * @param failure The error, the metadata or the event. See `partialTurnOf`.
 *
 * @example
 * ```ts
 * const next = await generateText({ model, messages: continueTurn(messages, error) });
 * ```
 */
export const continueTurn = <Message>(messages: readonly Message[], failure: unknown): Message[] => [
  ...messages,
  ...((partialTurnOf(failure)?.messages ?? []) as readonly Message[]),
];

/** Adds a turn to its error. An error that several turns share is replaced by a copy, so that each has its own turn. */
export function withPartialTurn(error: unknown, turn: PartialTurn): unknown {
  if (!(error instanceof Error)) return error;
  const own = Object.hasOwn(error, 'turn') || !Object.isExtensible(error) ? copyError(error) : error;
  // Loggers print the fields of errors, and a turn contains prompts and outputs.
  return Object.defineProperty(own, 'turn', { value: turn, enumerable: false, configurable: true });
}

/** Returns an error of the same class with changed fields. */
export function copyError(error: Error, fields: Readonly<Record<string, unknown>> = {}): Error {
  const copy =
    error instanceof DOMException
      ? new DOMException(error.message, error.name)
      : (Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error) as object) as Error);
  const changes = Object.entries({ cause: error, ...fields }).map(([name, value]) => [
    name,
    { value, writable: true, configurable: true, enumerable: name !== 'cause' },
  ]);
  const { turn: _, ...descriptors } = Object.getOwnPropertyDescriptors(error) as PropertyDescriptorMap;
  return Object.defineProperties(copy, { ...descriptors, ...Object.fromEntries(changes) });
}
