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
import type { IsHostedCall } from '../tool-calls/call-matching.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import { isStrictSchema } from '../tools/strict-schema.js';
import { isToolStub } from '../tools/tool-stubs.js';
import type { ToolCallContext, ToolDefinition, ToolSource } from '../tools/tool-source.js';
import { type CallSettings, createCallSettings } from './call-settings.js';
import { createEventEmitter, type EmitEvent, type Warn } from './events.js';
import { createHiddenCalls, type HiddenCalls, withHiddenCalls } from './hidden-calls.js';
import { withoutCalls } from './history.js';
import {
  createHostApprovals,
  type HostApprovals,
  type PendingCall,
  resolveApprovals,
} from './host-approvals.js';
import { createToolFinder, type FindTool, type HostTool } from './known-tools.js';
import type { ToolLoopOptions } from './options.js';
import type { OpenRound, Round } from './round.js';
import { turnIdOf } from './result-store.js';
import { createTimeLimit } from './time-limit.js';
import { createTurnIds, type TurnIds } from './turn-ids.js';
import { createTurnLimits, type ReachedLimit, type TurnLimits } from './turn-limits.js';
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
  /** Finds the tools that the loop and the host run. */
  readonly findTool: FindTool;
  /** Warnings of the tool sources. */
  readonly warnings: readonly LanguageModelV2CallWarning[];
  /** Execution settings for calls. */
  readonly calls: CallSettings;
  /** Tools that the loop runs, by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly hostApprovals: HostApprovals;
  /** Calls of the prompt that the turn begins with, before its first round. */
  readonly pendingCalls: readonly PendingCall[];
  /** The parts of the loop's calls that the host receives. */
  readonly toolParts: ProviderToolParts;
  /** Calls that the host does not keep. */
  readonly hiddenCalls: HiddenCalls;
  /** True if the host does not keep the calls of some tool, so that its own calls may have to carry them. */
  readonly hasHiddenTools: boolean;
  readonly ids: TurnIds;
  readonly limits: TurnLimits;
  readonly record: TurnRecord;
  readonly emit: EmitEvent;
  readonly warn: Warn;
}

export interface TurnContext {
  /** Recognizes calls of hosted tools of the model. */
  readonly isHostedTool: IsHostedCall;
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** `generate` emits fewer tool parts: `generateText` of `ai@5` fails on calls of tools it does not know. */
  readonly mode: 'stream' | 'generate';
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
  { source, settings, openRound, mode, isHostedTool }: TurnContext,
): Promise<Turn> {
  const {
    maxRounds = 20,
    maxToolCalls,
    maxRepeatedCalls = 5,
    timeouts,
    retry: retryOptions,
    onEvent,
  } = settings;
  const { abortSignal } = callOptions;
  abortSignal?.throwIfAborted();
  const identity = identifyTurn(callOptions);
  const emit = createEventEmitter(onEvent, identity);
  const record = createTurnRecord();
  const warn: Warn = (round, message) => {
    record.addWarning(message);
    emit({ type: 'warning', round, message });
  };
  const calls = createCallSettings(callOptions, { source, settings, warn });
  const lifetime = createLifetime(abortSignal, { milliseconds: timeouts?.total });
  const { signal } = lifetime;
  try {
    const listing = await untilAborted(source.listTools({ signal }), signal);
    const tools = new Map(listing.tools.map(tool => [tool.name, tool]));
    const hostTools = (callOptions.tools ?? []).filter(tool => !tools.has(tool.name));
    const hostApprovals = createHostApprovals(callOptions, settings);
    const history = { ...callOptions, prompt: withHiddenCalls(callOptions.prompt) };
    const { prompt, pending } = resolveApprovals(history, hostApprovals);
    const request = toFirstRequest({ ...callOptions, prompt }, { tools, hostTools, signal, isHostedTool });
    const modeOf = createToolPartsModes(callOptions, { mode, toolActivity: settings.toolActivity });
    return {
      request: withTurnToken(maxRounds <= 1 ? withoutCalls(request) : request),
      async openRound(options, number) {
        emit({ type: 'round-start', round: number });
        // A turn that begins with calls has opened its stream, so that the host cannot retry it.
        if (number === 1 && pending.length === 0) return openRound(options);
        const { maxRetries = 2, initialDelay = 1000 } = retryOptions ?? {};
        return retry(() => openRound(options), { maxRetries, initialDelay, signal });
      },
      lifetime,
      identity,
      findTool: createToolFinder({ loopTools: tools, hostTools, isHostedTool }),
      warnings: [...listing.warnings, ...shadowWarnings(callOptions, tools)].map(message => ({
        type: 'other',
        message,
      })),
      calls,
      tools,
      hostApprovals,
      pendingCalls: pending,
      toolParts: createProviderToolParts(modeOf),
      hiddenCalls: createHiddenCalls(modeOf),
      hasHiddenTools: [...tools.keys()].some(name => modeOf(name) !== 'full'),
      ids: createTurnIds(request.prompt),
      limits: createTurnLimits({ maxRounds, maxToolCalls, maxRepeatedCalls }),
      record,
      emit,
      warn,
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
  /** Returns `timeouts.total` if it has ended the turn. */
  reachedLimit(): ReachedLimit | undefined;
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
  const reason = `the limit of ${milliseconds} ms for the turn is reached (timeouts.total).`;
  let wasCancelled = false;
  return {
    signal: limit.signal,
    isAborted: () => wasCancelled || abortSignal?.aborted === true,
    reachedLimit: () => (limit.isOver ? { limit: 'total-timeout', reason } : undefined),
    abort(reason) {
      wasCancelled = true;
      limit.abort(reason);
    },
    close: limit.release,
  };
}

/** Adds the loop's tools and the calls that the host's history lacks. */
function toFirstRequest(
  callOptions: LanguageModelV2CallOptions,
  {
    tools: loopTools,
    hostTools,
    signal,
    isHostedTool,
  }: Pick<TurnContext, 'isHostedTool'> & {
    tools: ReadonlyMap<string, ToolDefinition>;
    hostTools: readonly HostTool[];
    signal: AbortSignal;
  },
): LanguageModelV2CallOptions {
  // A host declares the loop's tools as stubs; the model needs their real schemas.
  const tools = [...hostTools, ...[...loopTools.values()].map(toFunctionTool)];
  return {
    ...callOptions,
    abortSignal: signal,
    prompt: pairToolCalls(callOptions.prompt, {
      isFunctionTool: toolName => loopTools.has(toolName),
      isHostedTool,
      keepOrphans: isContinuation(callOptions),
    }),
    ...(tools.length > 0 && { tools }),
  };
}

/** Reports the host's own tools that a tool of the loop hides. */
function shadowWarnings(
  { tools = [] }: LanguageModelV2CallOptions,
  loopTools: ReadonlyMap<string, ToolDefinition>,
): string[] {
  return tools.flatMap(tool => {
    const hiding = loopTools.get(tool.name);
    if (hiding === undefined || (tool.type === 'function' && isToolStub(tool))) return [];
    const owner = hiding.server === undefined ? 'the tool loop' : `the MCP server "${hiding.server}"`;
    return [
      `The tool "${tool.name}" of the call is not used, because ${owner} has a tool of the same name, which runs instead. ` +
        'Rename one of them.',
    ];
  });
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
