import { generateId } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import type { CoreModel } from '../../core/source.js';
import type { ToolSource } from '../../tools/tool-source.js';
import { type DeclaredStub, readToolStub } from '../../tools/tool-stubs.js';
import type { HostApprovalOptions } from '../approvals/approval-ids.js';
import { toToolApproval } from '../approvals/approvals.js';
import { createHostApprovals, type PendingCall } from '../approvals/host-approvals.js';
import type { CallSettings } from '../calls/call-execution.js';
import type { Scheduling } from '../calls/call-schedule.js';
import type { ShowPart } from '../calls/calls.js';
import { type ModelFacts, outputLimitOf } from '../calls/host-calls.js';
import type { CallsOutside, CallsPlan, CallsState } from '../calls/round-calls.js';
import {
  type Compaction,
  createCompaction,
  createTurnIds,
  readHistory,
  type TurnIds,
  withoutCalls,
} from '../context/history.js';
import {
  createPlainSteps,
  openEngineSteps,
  openJournalSteps,
  type Steps,
  stepOf,
  type ToolLoopJournal,
  turnIdOf,
} from '../durable/steps.js';
import { createRoundOpener, type OpenRound, type Retries } from './rounds.js';
import {
  createLifetime,
  createTurnLimits,
  type TurnLifetime,
  type TurnLimitOptions,
  type TurnLimits,
} from './turn-limits.js';
import {
  createEventEmitter,
  createTurnRecord,
  type EmitEvent,
  type ToolLoopEvent,
  type TurnRecord,
} from './turn-reports.js';
import { openTurnTools, type TurnTools } from './turn-tools.js';

/** One turn of a conversation: its plan, its state, and its connections to the outside. */
export interface Turn {
  readonly plan: TurnPlan;
  readonly state: TurnState;
  readonly outside: TurnOutside;
  /** Releases timers, listeners and the records of the turn, which may have failed with an error. */
  close(error?: unknown): Promise<void>;
}

/** What the turn has to do. Nothing in it changes. */
export interface TurnPlan extends CallsPlan {
  /** The call of the first round. */
  readonly request: CoreCall;
  /** Calls of the prompt that the turn begins with, before its first round. */
  readonly pendingCalls: readonly PendingCall[];
  /** Warnings of the first listing. Later ones are events. */
  readonly warnings: readonly Warning[];
  readonly retries: Retries;
  /** The maximum of output tokens that the loop checks in each round. */
  readonly outputLimit: { readonly maxOutputTokens: number | undefined };
}

/** What has happened in the turn so far. */
export interface TurnState extends CallsState {
  readonly tools: TurnTools;
  readonly ids: TurnIds;
  readonly limits: TurnLimits;
  readonly compaction: Compaction;
  readonly record: TurnRecord;
  /** Ids of the calls that the model's own servers ran. */
  readonly hostedCalls: Set<string>;
}

/** The model, the application and the engine, as the turn reaches them. */
export interface TurnOutside extends CallsOutside {
  /**
   * Sends one round to the model. A follow-up round offers the tools of its time. It is retried here, the first one by
   * the host. A request that compacts the conversation precedes the round with the same number.
   */
  readonly openRound: OpenRound;
  readonly lifetime: TurnLifetime;
  readonly emit: EmitEvent;
}

/** The decisions of the application for all turns of a loop. */
export interface LoopPolicy {
  readonly limits: TurnLimitOptions;
  readonly scheduling: Scheduling;
  readonly calls: Pick<
    CallSettings,
    'timeout' | 'maxOutputChars' | 'onUnknownOutcome' | 'approve' | 'approvals'
  >;
  readonly hostApprovals: HostApprovalOptions | undefined;
  readonly compactThreshold: number | undefined;
  readonly showsCalls: boolean;
  /** Limit of a turn in milliseconds. */
  readonly timeout: number | undefined;
  readonly retries: Retries;
  readonly journal: ToolLoopJournal | undefined;
  readonly onEvent: ((event: ToolLoopEvent) => void) | undefined;
}

export interface TurnContext extends ModelFacts {
  readonly model: CoreModel;
  readonly source: ToolSource;
  readonly policy: LoopPolicy;
  /** True if the model reads `TurnLink.response`. @default false */
  readonly resumesResponses?: boolean | undefined;
  /** Returns the signal that ends the turn when the provider is closed. @default the provider has none */
  readonly closed?: (() => AbortSignal) | undefined;
}

/** Returns true if the steps of a call may be recorded. */
export const isDurableCall = (call: CoreCall, { journal }: Pick<LoopPolicy, 'journal'>): boolean =>
  stepOf(call) !== undefined || (journal !== undefined && turnIdOf(call) !== undefined);

/** Prepares a turn: lists the tools and normalizes the history. */
export async function openTurn(
  call: CoreCall,
  { model, source, policy, reportsLength = false, resumesResponses = false, closed }: TurnContext,
): Promise<Turn> {
  const { abortSignal, telemetry, own } = call;
  abortSignal?.throwIfAborted();
  const generatedId = generateId();
  const { context } = own;
  const identity = {
    turnId: turnIdOf(call) ?? generatedId,
    ...(context !== undefined && context !== null && { context }),
  };
  const emit = createEventEmitter(policy.onEvent, identity);
  const record = createTurnRecord(outcome => telemetry.endTurn(outcome));
  const warn = (round: number, message: string): void => {
    record.addWarning(message);
    emit({ type: 'warning', round, message });
  };
  const settings = createCallSettings(call, { source, policy });
  const lifetime = createLifetime(abortSignal, policy.timeout);
  const { signal } = lifetime;
  let opened: Steps | undefined;
  const close = async (error?: unknown): Promise<void> => {
    telemetry.endTurn({ error, isAborted: signal.aborted });
    lifetime.close();
    await opened?.close();
  };
  try {
    if (closed !== undefined) lifetime.endWith([closed()]);
    const onJournalFailure = (message: string): void => warn(0, message);
    const steps = await openSteps(call, { model, policy, generatedId, signal, warn: onJournalFailure });
    opened = steps;
    // A workflow engine keeps the generated id of the first attempt.
    identity.turnId = steps.turnId;
    telemetry.startTurn({ turnId: steps.turnId });
    lifetime.endWith(steps.ends);
    if (steps.isDurable) record.setTurnId(steps.turnId);
    const warnings: Warning[] = [];
    let round = 0;
    const warnOfTools = (message: string): void => {
      if (round === 0) warnings.push({ type: 'other', message });
      else warn(round, message);
    };
    const hostApprovals = asksHost(call, policy) ? createHostApprovals(policy.hostApprovals) : undefined;
    const tools = await openTurnTools(call, { source, steps, lifetime, warn: warnOfTools });
    const { prompt, pending, denied } = readHistory(call, {
      isFunctionTool: name => tools.get(name) !== undefined,
      asksHost: hostApprovals !== undefined,
    });
    await hostApprovals?.recordDenials(denied, signal);
    const request = tools.applyTo({ ...call, abortSignal: signal, prompt });
    const hostedCalls = new Set(call.turn?.hostedCalls);
    const openNext = createRoundOpener({
      model,
      resumesResponses,
      retries: policy.retries,
      lifetime,
      steps,
      tools,
      hostedCalls,
      // A turn that begins with calls has opened its stream, so that the host cannot retry it.
      isOpen: pending.length > 0,
    });
    return {
      plan: {
        request: policy.limits.maxRounds <= 1 ? withoutCalls(request) : request,
        pendingCalls: pending,
        warnings,
        retries: policy.retries,
        outputLimit: outputLimitOf(call, { reportsLength }),
        scheduling: policy.scheduling,
        settings,
        identity,
      },
      state: {
        tools,
        hostApprovals,
        hostedCalls,
        ids: createTurnIds(request.prompt),
        limits: createTurnLimits(policy.limits),
        compaction: createCompaction(policy.compactThreshold, warn),
        record,
      },
      outside: {
        async openRound(options, number, link) {
          round = number;
          if (link?.attempt === undefined) emit({ type: 'round-start', round });
          return openNext(options, number, link);
        },
        lifetime,
        steps,
        telemetry,
        emit,
        warn,
        show: createShow(call, policy),
      },
      close,
    };
  } catch (error) {
    await close(error);
    throw error;
  }
}

/** Returns true if the host can be asked. Hosts reject all tool parts if the tool choice is `none`. */
const asksHost = ({ host, toolChoice }: CoreCall, { calls }: LoopPolicy): boolean =>
  calls.approve === 'host' && host.asksForApproval && toolChoice?.type !== 'none';

interface OpenStepsOptions extends Pick<TurnContext, 'model' | 'policy'> {
  readonly generatedId: string;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** Opens the steps of a turn. A journal needs a turn id of the application. */
async function openSteps(
  call: CoreCall,
  { model, policy: { journal }, generatedId, signal, warn }: OpenStepsOptions,
): Promise<Steps> {
  const step = stepOf(call);
  if (step !== undefined) return openEngineSteps(step, { call, model, generatedId });
  const turnId = turnIdOf(call);
  if (journal === undefined || turnId === undefined) return createPlainSteps({ call, generatedId });
  return openJournalSteps(journal, { call, model, turnId, signal, warn });
}

/** Decides how the calls of the loop appear in what the host receives. It rejects all of them if the tool choice is `none`. */
function createShow({ toolChoice }: CoreCall, { showsCalls }: LoopPolicy): ShowPart {
  if (toolChoice?.type === 'none') return () => {};
  const ofLoop = showsCalls ? 'shown' : 'hidden';
  return (part, write) => {
    const isPlain = part.type === 'tool-input-delta' || part.type === 'tool-input-end';
    write(isPlain ? part : { ...part, ofLoop });
  };
}

function createCallSettings(
  { tools = [], own: { toolApproval }, host }: CoreCall,
  { source, policy }: Pick<TurnContext, 'source' | 'policy'>,
): CallSettings {
  /** The host's declarations of tools that the provider runs. */
  const stubs = new Map<string, DeclaredStub>();
  for (const tool of tools) {
    const stub = tool.type === 'function' ? readToolStub(tool) : undefined;
    if (stub !== undefined) stubs.set(stub.identity, stub);
  }
  return {
    ...policy.calls,
    source,
    toolApproval:
      toolApproval === undefined || toolApproval === null ? undefined : toToolApproval(toolApproval),
    stubs,
    wrapsToolOutput: host.wrapsToolOutput,
  };
}
