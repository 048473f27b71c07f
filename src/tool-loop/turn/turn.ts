import { generateId } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Part, PartOf, Warning } from '../../core/part.js';
import type { CoreModel } from '../../core/source.js';
import type { CallTelemetry } from '../../core/telemetry.js';
import type { ToolCallContext, ToolSource } from '../../tools/tool-source.js';
import { type DeclaredStub, readToolStub } from '../../tools/tool-stubs.js';
import { toToolApproval } from '../approvals/approvals.js';
import type { ExecuteCallOptions } from '../calls/call-execution.js';
import type { Scheduling } from '../calls/call-runner.js';
import {
  type Compaction,
  createCompaction,
  createTurnIds,
  readHistory,
  type TurnIds,
  withoutCalls,
} from '../context/history.js';
import { createHostApprovals, type HostApprovals, type PendingCall } from '../approvals/host-approvals.js';
import { type ModelFacts, outputLimitOf } from '../calls/host-calls.js';
import type { ToolLoopOptions } from '../options.js';
import { createRoundOpener, type OpenRound } from './rounds.js';
import {
  openEngineSteps,
  openJournalSteps,
  type Steps,
  type ToolLoopStep,
  toStep,
  toTurnId,
} from '../durable/steps.js';
import { createLifetime, createTurnLimits, type TurnLifetime, type TurnLimits } from './turn-limits.js';
import {
  createEventEmitter,
  createTurnRecord,
  type EmitEvent,
  type TurnRecord,
  type Warn,
} from './turn-reports.js';
import { openTurnTools, type TurnTools } from './turn-tools.js';

/** One turn of a conversation: everything that its rounds share. */
export interface Turn {
  /** The call of the first round. */
  readonly request: CoreCall;
  /**
   * Sends one round to the model. A follow-up round offers the tools of its time. It is retried here, the first one by
   * the host. A request that compacts the conversation precedes the round with the same number.
   */
  readonly openRound: OpenRound;
  readonly lifetime: TurnLifetime;
  /** The maximum of output tokens that the loop checks in each round. */
  readonly outputLimit: { readonly maxOutputTokens: number | undefined };
  /** Identifies the turn to callbacks. */
  readonly identity: TurnIdentity;
  /** The tools that the loop and the host run. */
  readonly tools: TurnTools;
  /** Ids of the calls that the model's own servers ran. */
  readonly hostedCalls: Set<string>;
  /** Warnings of the first listing. Later ones are events. */
  readonly warnings: readonly Warning[];
  /** Execution settings for calls. */
  readonly calls: CallSettings;
  /** Undefined if the host cannot be asked. */
  readonly hostApprovals: HostApprovals | undefined;
  /** Calls of the prompt that the turn begins with, before its first round. */
  readonly pendingCalls: readonly PendingCall[];
  /** Writes a part of a call that the loop runs, hidden if the host must not show it. */
  readonly show: (part: LoopCallPart, write: (part: Part) => void) => void;
  readonly ids: TurnIds;
  readonly limits: TurnLimits;
  readonly compaction: Compaction;
  readonly record: TurnRecord;
  readonly emit: EmitEvent;
  readonly warn: Warn;
  readonly steps: Steps;
  /** Observes the turn. */
  readonly telemetry: CallTelemetry;
  /** Releases timers, listeners and the records of the turn, which may have failed with an error. */
  close(error?: unknown): Promise<void>;
}

export interface TurnContext extends ModelFacts {
  readonly model: CoreModel;
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  /** True if the model reads `TurnLink.response`. @default false */
  readonly resumesResponses?: boolean | undefined;
  /** Returns the signal that ends the turn when the provider is closed. @default the provider has none */
  readonly closed?: (() => AbortSignal) | undefined;
}

/** Identifies a turn to callbacks. */
export type TurnIdentity = Pick<ToolCallContext, 'turnId' | 'context'>;

/** Options of a call, which throw for invalid values. */
const turnIdOf = ({ own: { turnId } }: CoreCall): string | undefined =>
  turnId === undefined || turnId === null ? undefined : toTurnId(turnId);
const stepOf = ({ own: { step } }: CoreCall): ToolLoopStep | undefined =>
  step === undefined || step === null ? undefined : toStep(step);

/** Returns true if the steps of a call may be recorded. */
export const isDurableCall = (
  call: CoreCall,
  { step, journal }: Pick<ToolLoopOptions, 'step' | 'journal'>,
): boolean => (step ?? stepOf(call)) !== undefined || (journal !== undefined && turnIdOf(call) !== undefined);

/** Prepares a turn: lists the tools and normalizes the history. */
export async function openTurn(
  call: CoreCall,
  { model, source, settings, reportsLength = false, resumesResponses = false, closed }: TurnContext,
): Promise<Turn> {
  const { maxRounds = 20, maxToolCalls, maxRepeatedCalls = 5, timeouts, onEvent } = settings;
  const { abortSignal, telemetry } = call;
  abortSignal?.throwIfAborted();
  const turnId = turnIdOf(call);
  const { context } = call.own;
  const generatedId = generateId();
  const identity: TurnIdentity & { turnId: string } = {
    turnId: turnId ?? generatedId,
    ...(context !== undefined && context !== null && { context }),
  };
  const emit = createEventEmitter(onEvent, identity);
  const record = createTurnRecord({ onFinish: outcome => telemetry.endTurn(outcome) });
  const warn: Warn = (round, message) => {
    record.addWarning(message);
    emit({ type: 'warning', round, message });
  };
  const calls = createCallSettings(call, { source, settings });
  const lifetime = createLifetime(abortSignal, { milliseconds: timeouts?.total });
  const { signal } = lifetime;
  let opened: Steps | undefined;
  const close = async (error?: unknown): Promise<void> => {
    telemetry.endTurn({ error, isAborted: lifetime.signal.aborted });
    lifetime.close();
    await opened?.close();
  };
  try {
    if (closed !== undefined) lifetime.endWith([closed()]);
    const steps = await openSteps(call, { model, settings, turnId, generatedId, signal, warn });
    opened = steps;
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
    const hostApprovals = asksHost(call, settings) ? createHostApprovals(settings.hostApprovals) : undefined;
    const tools = await openTurnTools(call, { source, steps, lifetime, warn: warnOfTools });
    const { prompt, pending, denied } = readHistory(call, {
      isFunctionTool: name => tools.get(name) !== undefined,
      asksHost: hostApprovals !== undefined,
    });
    await hostApprovals?.recordDenials(denied, signal);
    const request = tools.applyTo({ ...call, abortSignal: signal, prompt });
    const hostedCalls = new Set(call.turn?.hostedCalls);
    const openNext = createRoundOpener({
      ...{ model, resumesResponses, retries: settings.retry, lifetime, steps, tools, hostedCalls },
      // A turn that begins with calls has opened its stream, so that the host cannot retry it.
      isOpen: pending.length > 0,
    });
    return {
      request: maxRounds <= 1 ? withoutCalls(request) : request,
      async openRound(options, number, link) {
        round = number;
        emit({ type: 'round-start', round });
        return openNext(options, number, link);
      },
      lifetime,
      outputLimit: outputLimitOf(call, { reportsLength }),
      identity,
      tools,
      hostedCalls,
      warnings,
      calls,
      hostApprovals,
      pendingCalls: pending,
      show: createShow(call, settings),
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

/** Returns true if the host can be asked. Hosts reject all tool parts if the tool choice is `none`. */
const asksHost = ({ host, toolChoice }: CoreCall, { approve }: Pick<ToolLoopOptions, 'approve'>): boolean =>
  approve === 'host' && host.asksForApproval && toolChoice?.type !== 'none';

interface OpenStepsOptions extends Pick<TurnContext, 'model'> {
  readonly settings: Pick<ToolLoopOptions, 'step' | 'journal'>;
  /** `providerOptions.kelivo.turnId`. */
  readonly turnId: string | undefined;
  readonly generatedId: string;
  readonly signal: AbortSignal;
  readonly warn: Warn;
}

/** Opens the steps of a turn. A journal needs a turn id of the application. */
async function openSteps(
  call: CoreCall,
  { model, settings, turnId, generatedId, signal, warn }: OpenStepsOptions,
): Promise<Steps> {
  const { journal } = settings;
  const step = stepOf(call) ?? settings.step;
  if (step !== undefined) return openEngineSteps(step, { call, model, turnId, generatedId });
  if (journal !== undefined && turnId !== undefined)
    return openJournalSteps(journal, { call, model, turnId, signal, warn });
  return {
    turnId: turnId ?? generatedId,
    isDurable: false,
    isOrdered: false,
    ends: [],
    step: async (_name, run) => ({ value: await run(), isReplayed: false }),
    start: async () => true,
    decide: async (_name, run) => run(),
    // Nothing is repeated under the key of another attempt, because the arguments may differ.
    idempotencyKeyOf: name => `${generatedId} ${name}`,
    close: async () => {},
  };
}

/** A part of a call that the loop runs. */
export type LoopCallPart =
  PartOf<`tool-input-${'start' | 'delta' | 'end'}`> | PartOf<'tool-call'> | PartOf<'tool-result'>;

/** Decides how the calls of the loop appear in what the host receives. It rejects all of them if the tool choice is `none`. */
function createShow(
  { toolChoice }: CoreCall,
  { toolActivity }: Pick<ToolLoopOptions, 'toolActivity'>,
): Turn['show'] {
  if (toolChoice?.type === 'none') return () => {};
  const ofLoop = toolActivity === 'none' ? 'hidden' : 'shown';
  return (part, write) => {
    const isPlain = part.type === 'tool-input-delta' || part.type === 'tool-input-end';
    write(isPlain ? part : { ...part, ofLoop });
  };
}

/** Execution settings for the calls of a turn. */
interface CallSettings {
  readonly scheduling: Pick<Scheduling, 'execution' | 'maxParallel' | 'startEarly'>;
  readonly execution: Pick<
    ExecuteCallOptions,
    | 'source'
    | 'timeout'
    | 'outputLimits'
    | 'onUnknownOutcome'
    | 'approve'
    | 'approvals'
    | 'toolApproval'
    | 'stubs'
    | 'wrapsToolOutput'
  >;
}

function createCallSettings(
  call: CoreCall,
  { source, settings }: { source: ToolSource; settings: Omit<ToolLoopOptions, 'tools'> },
): CallSettings {
  const { execution = 'auto', maxParallel = 8, startEarly = true, approve, approvals } = settings;
  const { maxToolOutputChars = 100_000, maxToolMediaBytes = 20_000_000, timeouts } = settings;
  const { onUnknownOutcome = 'refuse' } = settings;
  const { toolApproval: givenApproval } = call.own;
  const toolApproval =
    givenApproval === undefined || givenApproval === null ? undefined : toToolApproval(givenApproval);
  const stubs = stubsOf(call);
  return {
    scheduling: { execution, maxParallel, startEarly },
    execution: {
      source,
      timeout: timeouts?.tool,
      outputLimits: { maxChars: maxToolOutputChars, maxMediaBytes: maxToolMediaBytes },
      approve,
      approvals,
      onUnknownOutcome,
      toolApproval,
      stubs,
      wrapsToolOutput: call.host.wrapsToolOutput,
    },
  };
}

/** Returns the host's declarations of tools that the provider runs, by identity. */
function stubsOf({ tools = [] }: CoreCall): ReadonlyMap<string, DeclaredStub> {
  const stubs = new Map<string, DeclaredStub>();
  for (const tool of tools) {
    const stub = tool.type === 'function' ? readToolStub(tool) : undefined;
    if (stub !== undefined) stubs.set(stub.identity, stub);
  }
  return stubs;
}
