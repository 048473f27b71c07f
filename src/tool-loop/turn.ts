import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
} from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { retry } from '../http/retry.js';
import { isV3Host, withTurnToken } from '../parts/call-marks.js';
import {
  createProviderToolParts,
  type ProviderToolParts,
  type ToolPartsMode,
} from '../parts/provider-executed-parts.js';
import { untilAborted } from '../shared/abort.js';
import { isContinuation, pairToolCalls, type PairToolCallsOptions } from '../tool-calls/call-pairing.js';
import { isStrictSchema } from '../tools/strict-schema.js';
import type { ToolCallContext, ToolDefinition, ToolSource } from '../tools/tool-source.js';
import { type CallMemory, createHiddenCalls, type HiddenCalls, withHiddenCalls } from './call-memory.js';
import { type CallSettings, createCallSettings } from './call-settings.js';
import { createEventEmitter, type EmitEvent } from './events.js';
import { withoutCalls } from './history.js';
import type { ToolLoopOptions } from './options.js';
import type { OpenRound, Round } from './round.js';
import { turnIdOf } from './result-store.js';
import { createTimeLimit } from './time-limit.js';
import { createTurnIds, type TurnIds } from './turn-ids.js';
import { createTurnLimits, type TurnLimits } from './turn-limits.js';
import { createTurnRecord, type TurnRecord } from './turn-record.js';

/** One turn of a conversation: everything that its rounds share. */
export interface Turn {
  /** Options of the first round. */
  readonly request: LanguageModelV2CallOptions;
  /** Sends one round to the model. Follow-up rounds are retried here, the first one by the host. */
  openRound(options: LanguageModelV2CallOptions, number: number): Promise<Round>;
  readonly lifetime: TurnLifetime;
  /** Identifies the turn to callbacks. */
  readonly identity: TurnIdentity;
  /** Tools that the loop runs, by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Warnings of the tool sources. */
  readonly warnings: readonly LanguageModelV2CallWarning[];
  /** Execution settings for calls. */
  readonly calls: CallSettings;
  /** The parts of the loop's calls that the host receives. */
  readonly toolParts: ProviderToolParts;
  /** Calls that the host does not see. */
  readonly hiddenCalls: HiddenCalls;
  /** Arguments of earlier calls, for histories that lack them. */
  readonly memory: CallMemory;
  readonly ids: TurnIds;
  readonly limits: TurnLimits;
  readonly record: TurnRecord;
  readonly emit: EmitEvent;
}

export interface TurnContext extends Pick<PairToolCallsOptions, 'isHostedTool'> {
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** `generate` emits fewer tool parts: `generateText` of `ai@5` fails on calls of tools it does not know. */
  readonly mode: 'stream' | 'generate';
  readonly memory: CallMemory;
}

/** Identifies a turn to callbacks. */
export type TurnIdentity = Pick<ToolCallContext, 'turnId' | 'context'>;

function identifyTurn({ providerOptions }: LanguageModelV2CallOptions): TurnIdentity {
  const context: unknown = providerOptions?.kelivo?.context;
  return {
    turnId: turnIdOf(providerOptions) ?? generateId(),
    ...(context !== undefined && context !== null && { context }),
  };
}

/** Prepares a turn: lists the tools and normalizes the history. */
export async function openTurn(
  callOptions: LanguageModelV2CallOptions,
  { source, settings, openRound, mode, memory, isHostedTool }: TurnContext,
): Promise<Turn> {
  const { maxRounds = 20, maxToolCalls, timeouts, retry: retryOptions, onEvent } = settings;
  const { prompt, abortSignal } = callOptions;
  abortSignal?.throwIfAborted();
  const identity = identifyTurn(callOptions);
  const emit = createEventEmitter(onEvent, identity);
  const calls = createCallSettings(callOptions, { source, settings, emit });
  const lifetime = createLifetime(abortSignal, { milliseconds: timeouts?.total });
  const { signal } = lifetime;
  try {
    const listing = await untilAborted(source.listTools({ signal }), signal);
    const tools = new Map(listing.tools.map(tool => [tool.name, tool]));
    const request = await toFirstRequest(callOptions, { tools, memory, signal, isHostedTool });
    const modeOf = createToolPartsModes(callOptions, { mode, toolActivity: settings.toolActivity });
    return {
      request: withTurnToken(maxRounds <= 1 ? withoutCalls(request) : request),
      async openRound(options, number) {
        emit({ type: 'round-start', round: number });
        if (number === 1) return openRound(options);
        const { maxRetries = 2, initialDelay = 1000 } = retryOptions ?? {};
        return retry(() => openRound(options), { maxRetries, initialDelay, signal });
      },
      lifetime,
      identity,
      tools,
      warnings: listing.warnings.map(message => ({ type: 'other', message })),
      calls,
      toolParts: createProviderToolParts(modeOf),
      hiddenCalls: createHiddenCalls(memory, { prompt, isHidden: toolName => modeOf(toolName) === 'none' }),
      memory,
      ids: createTurnIds(request.prompt),
      limits: createTurnLimits({ maxRounds, maxToolCalls }),
      record: createTurnRecord(),
      emit,
    };
  } catch (error) {
    lifetime.close();
    throw error;
  }
}

/** The time in which a turn runs. */
export interface TurnLifetime {
  /** Aborts when the turn has to end, with the reason. */
  readonly signal: AbortSignal;
  /** Returns true if the caller ended the turn. A time limit of the loop is an error instead. */
  isAborted(): boolean;
  abort(reason: unknown): void;
  /** Releases timers and listeners. */
  close(): void;
}

function createLifetime(
  abortSignal: AbortSignal | undefined,
  { milliseconds }: { milliseconds: number | undefined },
): TurnLifetime {
  const message = `The turn exceeded its limit of ${milliseconds} ms (timeouts.total).`;
  const limit = createTimeLimit(abortSignal, { milliseconds, message });
  let wasCancelled = false;
  return {
    signal: limit.signal,
    isAborted: () => wasCancelled || abortSignal?.aborted === true,
    abort(reason) {
      wasCancelled = true;
      limit.abort(reason);
    },
    close: limit.release,
  };
}

/** Adds the loop's tools and the calls that the host's history lacks. */
async function toFirstRequest(
  { tools: hostTools = [], ...callOptions }: LanguageModelV2CallOptions,
  {
    tools: loopTools,
    memory,
    signal,
    isHostedTool,
  }: Pick<TurnContext, 'memory' | 'isHostedTool'> & {
    tools: ReadonlyMap<string, ToolDefinition>;
    signal: AbortSignal;
  },
): Promise<LanguageModelV2CallOptions> {
  const tools = [
    // A host declares the loop's tools as stubs; the model needs their real schemas.
    ...hostTools.filter(tool => !loopTools.has(tool.name)),
    ...[...loopTools.values()].map(toFunctionTool),
  ];
  return {
    ...callOptions,
    abortSignal: signal,
    prompt: pairToolCalls(await withHiddenCalls(callOptions.prompt, memory), {
      argumentsOf: memory.recallInput,
      isFunctionTool: toolName => loopTools.has(toolName),
      isHostedTool,
      keepOrphans: isContinuation(callOptions),
    }),
    ...(tools.length > 0 && { tools }),
  };
}

const toFunctionTool = ({ name, description, inputSchema }: ToolDefinition): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  // A host's request for strict schemas does not apply to the loop's tools. `ai@6` knows the field, V2 does not.
  ...(!isStrictSchema(inputSchema) && { strict: false }),
});

/** Decides how the calls of a tool appear in what the host receives. */
function createToolPartsModes(
  callOptions: LanguageModelV2CallOptions,
  { mode, toolActivity }: { mode: TurnContext['mode']; toolActivity: ToolLoopOptions['toolActivity'] },
): (toolName: string) => ToolPartsMode {
  if (toolActivity === 'none' || callOptions.toolChoice?.type === 'none') return () => 'none';
  if (isV3Host(callOptions)) return () => 'full';
  const declared = new Set(callOptions.tools?.map(tool => tool.name));
  return toolName => (declared.has(toolName) ? 'full' : mode === 'stream' ? 'result' : 'none');
}
