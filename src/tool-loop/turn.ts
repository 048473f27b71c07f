import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
} from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import {
  createProviderToolParts,
  type ProviderToolParts,
  type ToolPartsMode,
} from '../parts/provider-executed-parts.js';
import { withTurnToken } from '../parts/call-marks.js';
import { isV3Host } from '../parts/call-marks.js';
import { isContinuation } from '../tool-calls/call-pairing.js';
import { pairToolCalls } from '../tool-calls/call-pairing.js';
import { isStrictSchema } from '../tools/strict-schema.js';
import type { ToolDefinition, ToolSource } from '../tools/tool-source.js';
import type { CallMemory } from './call-memory.js';
import { type StoredResults, createStoredResults } from './result-store.js';
import type { Scheduling } from './call-runner.js';
import type { ExecuteCallOptions } from './call-execution.js';
import type { OpenRound, Round } from './round.js';
import type { ToolLoopOptions } from './options.js';
import { retry } from '../http/retry.js';
import { createTimeLimit } from './time-limit.js';
import type { ToolLoopEvent } from './events.js';
import { turnIdOf } from './result-store.js';
import { createTurnIds, type RoundIds } from './turn-ids.js';
import { createTurnRecord, type TurnRecord } from './turn-record.js';
import { createTurnLimits, type TurnLimits } from './turn-limits.js';
import { withHiddenCalls } from './call-memory.js';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** One turn of a conversation: what stays the same over its rounds. */
export interface Turn {
  /** The options of the first round. */
  readonly options: LanguageModelV2CallOptions;
  /** The loop's tools by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly warnings: readonly LanguageModelV2CallWarning[];
  readonly ids: { round(): RoundIds };
  readonly surface: ProviderToolParts;
  readonly limits: TurnLimits;
  readonly scheduling: Scheduling;
  /** How calls are seen through, as far as it is the same for all. */
  readonly policy: Pick<
    ExecuteCallOptions,
    'source' | 'timeout' | 'outputLimits' | 'approve' | 'approvals' | 'isV3Host'
  >;
  /** What earlier attempts at this turn have left of a round, where it is kept. */
  resultsOf(round: number): StoredResults | undefined;
  openFirst(): Promise<Round>;
  openFollowUp(options: LanguageModelV2CallOptions): Promise<Round>;
  emit(event: WithoutTime<ToolLoopEvent>): void;
  /** The conversation before the turn, as the host gave it. */
  readonly history: LanguageModelV2CallOptions['prompt'];
  /** Keeps what the host's history may leave out, for the turns to come. */
  readonly memory: CallMemory;
  readonly record: TurnRecord;
  /** Whether the host is shown nothing of the calls of a tool. */
  isHidden(toolName: string): boolean;
  /** Aborts when the turn is to end, with the reason. */
  readonly signal: AbortSignal;
  /** Whether the caller ended the turn; a time limit of ours is an error instead. */
  isAborted(): boolean;
  abort(reason: unknown): void;
  /** Lets go of timers and listeners. */
  close(): void;
}

export interface TurnContext {
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** `generate` shows fewer tool parts: `generateText` of `ai@5` fails on those of tools it does not know. */
  readonly mode: 'stream' | 'generate';
  readonly memory: CallMemory;
}

/** Prepares a turn: lists the tools and puts the history into the form that every model takes. */
export async function openTurn(
  callOptions: LanguageModelV2CallOptions,
  { source, settings, openRound, mode, memory }: TurnContext,
): Promise<Turn> {
  const {
    maxRounds = 20,
    execution = 'auto',
    maxParallel = 8,
    startEarly = true,
    toolActivity = 'auto',
  } = settings;
  const { maxToolOutputChars = 100_000, maxToolMediaBytes = 20_000_000, approve, approvals } = settings;
  const { timeouts = {}, retry: retryOptions = {}, resultStore, onEvent } = settings;
  const { abortSignal } = callOptions;
  abortSignal?.throwIfAborted();
  const startedAt = performance.now();
  const turnId = turnIdOf(callOptions.providerOptions);
  let wasCancelled = false;
  const limit = createTimeLimit(abortSignal, {
    milliseconds: timeouts.total,
    message: `The turn exceeded its limit of ${timeouts.total} ms (timeouts.total).`,
  });
  const { signal } = limit;
  const emit: Turn['emit'] = event => {
    if (onEvent === undefined) return;
    try {
      onEvent({ ...event, at: performance.now() - startedAt } as ToolLoopEvent);
    } catch {
      // An observer must not be able to break what it observes.
    }
  };

  try {
    const listing = await untilAborted(source.listTools({ signal }), signal);
    const tools = new Map(listing.tools.map(tool => [tool.name, tool]));
    const declared = new Set(callOptions.tools?.map(tool => tool.name));
    const visibilityOf = (toolName: string): ToolPartsMode => {
      if (toolActivity === 'none' || callOptions.toolChoice?.type === 'none') return 'none';
      if (declared.has(toolName) || isV3Host(callOptions)) return 'full';
      return mode === 'stream' ? 'result' : 'none';
    };
    const options: LanguageModelV2CallOptions = {
      ...callOptions,
      abortSignal: signal,
      prompt: pairToolCalls(await withHiddenCalls(callOptions.prompt, memory), {
        argumentsOf: memory.recallInput,
        isFunctionTool: toolName => tools.has(toolName),
        keepOrphans: isContinuation(callOptions),
      }),
      // A host's declaration of our tool is a stub; the model must see the real schema.
      tools: [
        ...(callOptions.tools ?? []).filter(tool => !tools.has(tool.name)),
        ...listing.tools.map(toFunctionTool),
      ],
    };
    if (options.tools?.length === 0) delete options.tools;

    const first = withTurnToken(maxRounds <= 1 ? { ...options, toolChoice: { type: 'none' } } : options);

    return {
      options: first,
      tools,
      warnings: listing.warnings.map(message => ({ type: 'other', message })),
      ids: createTurnIds(options.prompt),
      surface: createProviderToolParts(visibilityOf),
      limits: createTurnLimits({ maxRounds, maxToolCalls: settings.maxToolCalls }),
      scheduling: { execution, maxParallel, startEarly, signal },
      policy: {
        source,
        timeout: timeouts.tool,
        outputLimits: { maxChars: maxToolOutputChars, maxMediaBytes: maxToolMediaBytes },
        approve,
        approvals,
        isV3Host: isV3Host(callOptions),
      },
      resultsOf(round) {
        if (resultStore === undefined || turnId === undefined) return undefined;
        const warn = (message: string): void => emit({ type: 'warning', round, message });
        const position = callOptions.prompt.length;
        return createStoredResults({ store: resultStore, turnId, position, round, signal, warn });
      },
      openFirst() {
        emit({ type: 'round-start', round: 1 });
        return openRound(first);
      },
      openFollowUp: next =>
        retry(() => openRound(next), {
          maxRetries: retryOptions.maxRetries ?? 2,
          initialDelay: retryOptions.initialDelay ?? 1000,
          signal,
        }),
      emit,
      history: callOptions.prompt,
      memory,
      record: createTurnRecord(),
      isHidden: toolName => visibilityOf(toolName) === 'none',
      signal,
      isAborted: () => wasCancelled || abortSignal?.aborted === true,
      abort(reason) {
        wasCancelled = true;
        limit.abort(reason);
      },
      close: limit.release,
    };
  } catch (error) {
    limit.release();
    throw error;
  }
}

const toFunctionTool = ({ name, description, inputSchema }: ToolDefinition): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  // A host may ask for strict schemas; it has no say in those of our tools. `ai@6` knows the field, V2 does not.
  ...(!isStrictSchema(inputSchema) && { strict: false }),
});
