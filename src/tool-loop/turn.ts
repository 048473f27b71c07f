import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
} from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { retry } from '../http/retry.js';
import {
  isBackgroundCall,
  isLaterHost,
  type RoundResponse,
  withRound,
  withRoundResponse,
  withTurnToken,
} from '../parts/call-marks.js';
import {
  createProviderToolParts,
  type ProviderToolParts,
  type ToolPartsMode,
} from '../parts/provider-executed-parts.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import { type CallTelemetry, callTelemetryOf, type RoundTelemetry } from '../shared/telemetry.js';
import type { ToolCallContext, ToolListing, ToolSource } from '../tools/tool-source.js';
import { type CallSettings, createCallSettings } from './call-settings.js';
import { type Compaction, createCompaction } from './compaction.js';
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
import { openRecordedRound, openSubmittedRound } from './recorded-round.js';
import type { OpenRound, Round } from './round.js';
import { openSteps, stepOf, type Steps, turnIdOf } from './steps.js';
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
   * the host. A request that compacts the conversation precedes the round with the same number.
   */
  openRound(
    options: LanguageModelV2CallOptions,
    number: number,
    request?: { readonly isCompacting?: boolean },
  ): Promise<Round>;
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
  readonly compaction: Compaction;
  readonly record: TurnRecord;
  readonly emit: EmitEvent;
  readonly warn: Warn;
  readonly steps: Steps;
  /** Observes the turn. */
  readonly telemetry: CallTelemetry | undefined;
  /** Releases timers, listeners and the records of the turn, which may have failed with an error. */
  close(error?: unknown): Promise<void>;
}

export interface TurnContext extends ModelFacts {
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** Identifies the model in records. */
  readonly model: Pick<LanguageModelV2, 'provider' | 'modelId'>;
  /** `generate` emits fewer tool parts: `generateText` of `ai@5` fails on calls of tools it does not know. */
  readonly mode: 'stream' | 'generate';
  /** True if the model reads the marks of `withRoundResponse`. @default false */
  readonly resumesResponses?: boolean | undefined;
  /** Returns the signal that ends the turn when the provider is closed. @default the provider has none */
  readonly closed?: () => AbortSignal;
}

/** Identifies a turn to callbacks. */
export type TurnIdentity = Pick<ToolCallContext, 'turnId' | 'context'>;

/** Returns the conversation of a turn, for its identity: the same turn id may come back with other messages. */
const conversationOf = (
  { prompt, providerOptions }: LanguageModelV2CallOptions,
  { provider, modelId }: TurnContext['model'],
) => [
  provider,
  modelId,
  prompt.map(({ role, content }) => [role, content]),
  providerOptions?.kelivo?.approvalResponses ?? [],
];

/** Returns true if the steps of a call may be recorded. */
export const isDurableCall = (
  { providerOptions }: LanguageModelV2CallOptions,
  { step, journal }: Pick<ToolLoopOptions, 'step' | 'journal'>,
): boolean =>
  (step ?? stepOf(providerOptions)) !== undefined ||
  (journal !== undefined && turnIdOf(providerOptions) !== undefined);

/** Prepares a turn: lists the tools and normalizes the history. */
export async function openTurn(
  callOptions: LanguageModelV2CallOptions,
  {
    source,
    settings,
    openRound,
    model,
    mode,
    reportsLength = false,
    resumesResponses = false,
    closed,
  }: TurnContext,
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
  const turnId = turnIdOf(callOptions.providerOptions);
  const context: unknown = callOptions.providerOptions?.kelivo?.context;
  const generatedId = generateId();
  const identity: TurnIdentity & { turnId: string } = {
    turnId: turnId ?? generatedId,
    ...(context !== undefined && context !== null && { context }),
  };
  const emit = createEventEmitter(onEvent, identity);
  const telemetry = callTelemetryOf(callOptions);
  const record = createTurnRecord({ onFinish: outcome => telemetry?.endTurn(outcome) });
  const warn: Warn = (round, message) => {
    record.addWarning(message);
    emit({ type: 'warning', round, message });
  };
  const calls = createCallSettings(callOptions, { source, settings });
  const lifetime = createLifetime(abortSignal, { milliseconds: timeouts?.total });
  const { signal } = lifetime;
  let opened: Steps | undefined;
  const close = async (error?: unknown): Promise<void> => {
    telemetry?.endTurn({ error, isAborted: lifetime.signal.aborted });
    lifetime.close();
    await opened?.close();
  };
  try {
    if (closed !== undefined) lifetime.endWith([closed()]);
    const { steps, ...recorded } = await openSteps(generatedId, {
      ...{ conversation: conversationOf(callOptions, model), turnId, signal, warn },
      step: stepOf(callOptions.providerOptions) ?? settings.step,
      journal: settings.journal,
    });
    opened = steps;
    identity.turnId = recorded.turnId;
    telemetry?.startTurn({ turnId: recorded.turnId });
    lifetime.endWith(steps.ends);
    if (steps.isDurable) record.setTurnId(recorded.turnId);
    const warnings: LanguageModelV2CallWarning[] = [];
    let round = 0;
    const warnOfTools = (message: string): void => {
      if (round === 0) warnings.push({ type: 'other', message });
      else warn(round, message);
    };
    const hostApprovals = createHostApprovals(callOptions, settings);
    const history = { ...callOptions, prompt: withHiddenCalls(callOptions.prompt) };
    const tools = await openTurnTools({
      ...history,
      source,
      steps,
      lifetime,
      warn: warnOfTools,
    });
    const { prompt, pending, denied } = resolveApprovals(history, hostApprovals);
    await hostApprovals.recordDenials(denied, signal);
    const request = tools.applyTo({
      ...callOptions,
      abortSignal: signal,
      // Adds the calls that the host's history lacks.
      prompt: pairToolCalls(prompt, {
        isFunctionTool: name => tools.get(name) !== undefined,
        keepOrphans: isContinuation(callOptions),
      }),
    });
    const modeOf = createToolPartsModes(callOptions, { mode, toolActivity: settings.toolActivity });
    // No tool runs with the tool choice `none`, so there is nothing to keep.
    const keptModeOf = callOptions.toolChoice?.type === 'none' ? () => 'full' as const : modeOf;
    return {
      request: withTurnToken(maxRounds <= 1 ? withoutCalls(request) : request),
      async openRound(options, number, { isCompacting = false } = {}) {
        round = number;
        emit({ type: 'round-start', round });
        // A turn that begins with calls has opened its stream, so that the host cannot retry it.
        const toRequest = (request: LanguageModelV2CallOptions) =>
          withRound(request, { turnId: identity.turnId, round: number });
        const isFirst = number === 1 && pending.length === 0;
        let listing: ToolListing | undefined;
        const open = async (response?: RoundResponse): Promise<Round> => {
          // The tools of a response that exists are those with which it was created.
          if (!isFirst && (response === undefined || response === 'submit')) listing = await tools.refresh();
          const send = () =>
            openRound(withRoundResponse(toRequest(isFirst ? options : tools.applyTo(options)), response));
          // A host retries the first request, but not inside of a step of a workflow.
          if ((isFirst && !steps.isOrdered) || typeof response === 'object') return send();
          const { maxRetries = 2, initialDelay = 1000 } = retryOptions ?? {};
          return retry(send, { maxRetries, initialDelay, signal });
        };
        if (!steps.isDurable) return open();
        const name = `${isCompacting ? 'compaction' : 'round'} ${number}`;
        const recording = {
          ...{ steps, lifetime, name, onListing: tools.restore, listing: () => listing },
          input: [conversationOf(options, model), options.toolChoice ?? null],
          onReplay: (parts: Parameters<RoundTelemetry['add']>[0]) => {
            const { provider, modelId } = model;
            const facts = { provider, modelId, options: toRequest(options), isStream: mode === 'stream' };
            const observed = telemetry?.startRound({ ...facts, isReplayed: true });
            observed?.add(parts);
            observed?.end();
          },
        };
        return resumesResponses && isBackgroundCall(options)
          ? openSubmittedRound(open, recording)
          : openRecordedRound(open, recording);
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
      compaction: createCompaction(settings.compactThreshold, warn),
      record,
      emit,
      warn,
      steps,
      telemetry,
      close,
    };
  } catch (error) {
    await close(error);
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
