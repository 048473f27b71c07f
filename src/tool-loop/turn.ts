import type { LanguageModelV2CallOptions, LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { retry } from '../http/retry.js';
import { isLaterHost, withRound, withTurnToken } from '../parts/call-marks.js';
import {
  createProviderToolParts,
  type ProviderToolParts,
  type ToolPartsMode,
} from '../parts/provider-executed-parts.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import type { ToolCallContext, ToolSource } from '../tools/tool-source.js';
import { type CallSettings, createCallSettings } from './call-settings.js';
import { createEventEmitter, type EmitEvent, type Warn } from './events.js';
import { createHiddenCalls, type HiddenCalls, withHiddenCalls } from './hidden-calls.js';
import { withoutCalls } from './history.js';
import { type ModelFacts, outputLimitOf } from './host-calls.js';
import {
  createHostApprovals,
  type HostApprovals,
  type PendingCall,
  resolveApprovals,
} from './host-approvals.js';
import type { ToolLoopOptions } from './options.js';
import type { OpenRound, Round } from './round.js';
import { turnIdOf } from './result-store.js';
import { createTurnIds, type TurnIds } from './turn-ids.js';
import { createLifetime, type TurnLifetime } from './turn-lifetime.js';
import { createTurnLimits, type TurnLimits } from './turn-limits.js';
import { createTurnRecord, type TurnRecord } from './turn-record.js';
import { openTurnTools, type TurnTools } from './turn-tools.js';

/** One turn of a conversation: everything that its rounds share. */
export interface Turn {
  /** Options of the first round. */
  readonly request: LanguageModelV2CallOptions;
  /**
   * Sends one round to the model. A follow-up round offers the tools of its time. It is retried here, the first one by
   * the host.
   */
  openRound(options: LanguageModelV2CallOptions, number: number): Promise<Round>;
  readonly lifetime: TurnLifetime;
  /** The maximum of output tokens that the loop checks in each round. */
  readonly outputLimit: { readonly maxOutputTokens: number | undefined };
  /** Identifies the turn to callbacks. */
  readonly identity: TurnIdentity;
  /** The tools that the loop and the host run. */
  readonly tools: TurnTools;
  /** Warnings of the first listing. Later ones are events. */
  readonly warnings: readonly LanguageModelV2CallWarning[];
  /** Execution settings for calls. */
  readonly calls: CallSettings;
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

export interface TurnContext extends ModelFacts {
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** `generate` emits fewer tool parts: `generateText` of `ai@5` fails on calls of tools it does not know. */
  readonly mode: 'stream' | 'generate';
  /** Returns the signal that ends the turn when the provider is closed. @default the provider has none */
  readonly closed?: () => AbortSignal;
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
  { source, settings, openRound, mode, isHostedTool, reportsLength = false, closed }: TurnContext,
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
    if (closed !== undefined) lifetime.endWith([closed()]);
    const warnings: LanguageModelV2CallWarning[] = [];
    let round = 0;
    const warnOfTools = (message: string): void => {
      if (round === 0) warnings.push({ type: 'other', message });
      else warn(round, message);
    };
    const hostApprovals = createHostApprovals(callOptions, settings);
    const history = { ...callOptions, prompt: withHiddenCalls(callOptions.prompt) };
    const tools = await openTurnTools({ ...history, source, lifetime, isHostedTool, warn: warnOfTools });
    const { prompt, pending, denied } = resolveApprovals(history, hostApprovals);
    await hostApprovals.recordDenials(denied, signal);
    const request = tools.applyTo({
      ...callOptions,
      abortSignal: signal,
      // Adds the calls that the host's history lacks.
      prompt: pairToolCalls(prompt, {
        isFunctionTool: name => tools.get(name) !== undefined,
        isHostedTool,
        keepOrphans: isContinuation(callOptions),
      }),
    });
    const modeOf = createToolPartsModes(callOptions, { mode, toolActivity: settings.toolActivity });
    // No tool runs with the tool choice `none`, so there is nothing to keep.
    const keptModeOf = callOptions.toolChoice?.type === 'none' ? () => 'full' as const : modeOf;
    return {
      request: withTurnToken(maxRounds <= 1 ? withoutCalls(request) : request),
      async openRound(options, number) {
        round = number;
        emit({ type: 'round-start', round });
        // A turn that begins with calls has opened its stream, so that the host cannot retry it.
        const toRequest = (request: LanguageModelV2CallOptions) =>
          withRound(request, { turnId: identity.turnId, round: number });
        if (number === 1 && pending.length === 0) return openRound(toRequest(options));
        await tools.refresh();
        const { maxRetries = 2, initialDelay = 1000 } = retryOptions ?? {};
        return retry(() => openRound(toRequest(tools.applyTo(options))), {
          maxRetries,
          initialDelay,
          signal,
        });
      },
      lifetime,
      outputLimit: outputLimitOf(callOptions, { reportsLength }),
      identity,
      tools,
      warnings,
      calls,
      hostApprovals,
      pendingCalls: pending,
      toolParts: createProviderToolParts(modeOf),
      hiddenCalls: createHiddenCalls(keptModeOf),
      get hasHiddenTools() {
        return [...tools.offered.keys()].some(name => keptModeOf(name) !== 'full');
      },
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

/** Decides how the calls of a tool appear in what the host receives. */
function createToolPartsModes(
  callOptions: LanguageModelV2CallOptions,
  { mode, toolActivity }: { mode: TurnContext['mode']; toolActivity: ToolLoopOptions['toolActivity'] },
): (toolName: string) => ToolPartsMode {
  if (toolActivity === 'none' || callOptions.toolChoice?.type === 'none') return () => 'none';
  if (isLaterHost(callOptions)) return () => 'full';
  const declared = new Set(callOptions.tools?.map(tool => tool.name));
  return toolName => (declared.has(toolName) ? 'full' : mode === 'stream' ? 'result' : 'none');
}
