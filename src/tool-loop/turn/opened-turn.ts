import { generateId } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import type { PartFacts, Tool } from '../../core/prompt.js';
import type { CoreModel } from '../../core/source.js';
import type { AbortSource } from '../../core/shared/abort.js';
import { effectiveAnnotations, type ToolDefinition, type ToolSource } from '../../tools/tool-source.js';
import { isStepTool, readStepTool } from '../../tools/step-tools.js';
import { type DeclaredStub, readToolStub } from '../../tools/tool-stubs.js';
import { type ApprovalSettings, toToolApproval } from '../approvals/approvals.js';
import {
  createHostApprovals,
  type HostApprovalOptions,
  type HostApprovals,
  type PendingCall,
} from '../approvals/host-approvals.js';
import type { CallOutcome, CallPolicy, ShowPart } from '../calls/calls.js';
import type { ModelFacts } from '../calls/host-calls.js';
import type { TurnOfCall } from '../calls/call.js';
import { readHistory, TurnIds } from '../context/history.js';
import { KelivoError } from '../../core/shared/errors.js';
import { loadOnce } from '../../core/shared/once.js';
import {
  createPlainSteps,
  type JournalOptions,
  openEngineSteps,
  openJournalSteps,
  scopeOf,
  type Steps,
  stepOf,
  type ToolLoopJournal,
  type TurnEnd,
  turnIdOf,
} from '../durable/steps.js';
import type { TurnFeature, ServerSupport } from '../features/feature.js';
import type { addFeatures } from './features.js';
import type { AnsweredRound } from './partial-turn.js';
import type { RepeatedTurns } from './repeated-turns.js';
import { TurnLifetime } from './lifetime.js';
import { createTurnReports, type EmitEvent, type ToolLoopEvent, type TurnRecord } from './turn-reports.js';
import { openTurnTools, type TurnTools } from './turn-tools.js';

/** A turn whose tools are listed and whose history is read, as everything that belongs to it sees it. */
export interface OpenedTurn extends TurnOfCall {
  readonly request: CoreCall;
  /** Calls of the prompt that the turn begins with, before its first round. */
  readonly pendingCalls: readonly PendingCall[];
  /** Warnings of the first listing. Later ones are events. */
  readonly warnings: readonly Warning[];
  readonly retries: Retries;
  /** True if the model itself finishes as `length` at the requested maximum. */
  readonly reportsLength: boolean;
  readonly tools: TurnTools;
  readonly ids: TurnIds;
  readonly features: readonly TurnFeature[];
  readonly record: TurnRecord;
  /** Ids of the calls that the model's own servers ran. */
  readonly hostedCalls: Set<string>;
  /** The model of the rounds that follow. */
  model: CoreModel;
  /** True if the model reads `TurnLink.response`. */
  readonly resumesResponses: boolean;
  /** The exchanges of an earlier attempt at the turn. */
  readonly done: readonly AnsweredRound[];
  /** The number of the newest request. 0 before the first one. */
  round: number;
  readonly lifetime: TurnLifetime;
  readonly emit: EmitEvent;
  /** Keeps what the failed turn has done, in case the host repeats it. */
  readonly onFailure: (done: readonly AnsweredRound[]) => void;
  /** The facts that features have added to the parts of the newest round. */
  facts: PartFacts | undefined;
  /** Releases timers, listeners and the records of the turn, which may have failed with an error. */
  close(error?: unknown): Promise<void>;
}

export interface Retries {
  /** Maximum number of retries of a follow-up request that fails before it responds. */
  readonly maxRetries: number;
  /** Maximum number of repetitions of a round whose response breaks. */
  readonly streamRetries: number;
  /** Delay before the first retry in milliseconds. */
  readonly initialDelay: number;
}

/** The decisions of the application for all turns of a loop. */
export interface LoopPolicy {
  readonly calls: CallPolicy;
  readonly approvals: Pick<ApprovalSettings, 'approve' | 'approvals'>;
  readonly hostApprovals: HostApprovalOptions | undefined;
  readonly features: Parameters<typeof addFeatures>[2];
  readonly showsCalls: boolean;
  readonly showsPreliminary: boolean;
  /** Limit of a turn in milliseconds. */
  readonly timeout: number | undefined;
  readonly retries: Retries;
  readonly journal: ToolLoopJournal | undefined;
  readonly onEvent: ((event: ToolLoopEvent) => void) | undefined;
}

/** The steps in which a host takes a turn. */
export interface TurnSteps {
  /** Goes before the features of the application. */
  readonly feature: TurnFeature;
  /** The exchanges of a failed attempt at the turn. @default those that the host itself repeats */
  readonly done?: readonly AnsweredRound[] | undefined;
  /** Called with what the turn has done if it fails. */
  onFailure(done: readonly AnsweredRound[]): void;
}

export interface TurnContext extends ModelFacts {
  readonly model: CoreModel;
  readonly source: ToolSource;
  readonly policy: LoopPolicy;
  readonly repeatedTurns: RepeatedTurns;
  /** The server's support of a tool search. @default none */
  readonly searchSupport?: ServerSupport | undefined;
  /** True if the model reads `TurnLink.response`. @default false */
  readonly resumesResponses?: boolean | undefined;
  /** @default the turn is one step of the host */
  readonly hostSteps?: TurnSteps | undefined;
  /** Returns the signal that ends the turn when the provider is closed. @default the provider has none */
  readonly closed?: (() => AbortSource) | undefined;
}

/** Returns true if the steps of a call may be recorded. */
export const isDurableCall = (call: CoreCall, policy: Pick<LoopPolicy, 'journal'>): boolean =>
  stepOf(call) !== undefined || (policy.journal !== undefined && turnIdOf(call) !== undefined);

const loadFeatures = loadOnce(() => import('./features.js'));

/** Prepares a turn: lists the tools and normalizes the history. */
export async function openTurn(
  call: CoreCall,
  {
    model,
    source,
    policy,
    repeatedTurns,
    searchSupport,
    reportsLength = false,
    resumesResponses = false,
    closed,
    hostSteps,
  }: TurnContext,
): Promise<OpenedTurn> {
  const { abortSignal, telemetry } = call;
  abortSignal?.throwIfAborted();
  const scope = scopeOf(call);
  const generatedId = generateId();
  const { identity, emit, record, warn, startRequest } = createTurnReports(
    turnIdOf(call) ?? generatedId,
    call,
    policy.onEvent,
  );
  const lifetime = new TurnLifetime(abortSignal, policy.timeout);
  const { signal } = lifetime;
  let openedSteps: Steps | undefined;
  let opened: OpenedTurn | undefined;
  const features: TurnFeature[] = hostSteps === undefined ? [] : [hostSteps.feature];
  // A journal replays the turn itself.
  const isDurable = isDurableCall(call, policy);
  const isKnown = isDurable || hostSteps?.done !== undefined;
  const attempt = isKnown ? undefined : await repeatedTurns.begin(call);
  const refusal = isDurable ? repeatedTurns.closedBefore(call) : attempt?.refusal;
  let hostApprovals: HostApprovals | undefined;
  const closedBy = (): unknown => {
    const { reason } = signal;
    return KelivoError.isInstance(reason) && reason.code === 'closed' ? reason : undefined;
  };
  const close = async (error?: unknown): Promise<void> => {
    for (const feature of features) feature.end?.(signal.aborted ? 'aborted' : 'error');
    telemetry.endTurn({ error, isAborted: signal.aborted });
    const isAborted = lifetime.isAborted();
    lifetime.close();
    attempt?.end(error === undefined || isAborted ? record.finishReason : 'error', closedBy());
    if (isDurable && closedBy() !== undefined) repeatedTurns.closeDurable(call, closedBy());
    await openedSteps?.close(toTurnEnd(record, { error, isAborted, isWaiting: hostApprovals?.isWaiting }));
  };
  try {
    if (refusal !== undefined) throw refusal;
    if (closed !== undefined) lifetime.endWith([closed()]);
    const steps = await openSteps(call, generatedId, policy.journal, { signal, warn: text => warn(0, text) });
    openedSteps = steps;
    // A workflow engine keeps the generated id of the first attempt.
    identity.turnId = steps.turnId;
    telemetry.startTurn({ turnId: steps.turnId });
    lifetime.endWith(steps.ends);
    if (steps.isDurable) record.turnId = steps.turnId;
    const toolOf = (name: string): ToolDefinition | undefined => tools.get(name);
    const { addFeatures } = await loadFeatures();
    const builtIn = addFeatures(
      features,
      {
        call,
        scope,
        signal,
        model,
        searchSupport,
        steps,
        identity,
        record,
        toolOf,
        emit,
        warn,
        startRequest,
        retries: policy.retries,
      },
      policy.features,
    );
    const warnings: Warning[] = [];
    const warnOfTools = (message: string): unknown =>
      opened === undefined || opened.round === 0
        ? warnings.push({ type: 'other', message })
        : warn(opened.round, message);
    hostApprovals = asksHost(call, policy)
      ? createHostApprovals(policy.hostApprovals, { context: call.own.context, scope })
      : undefined;
    const tools = await openTurnTools(call, {
      source,
      steps,
      lifetime,
      features,
      warn: warnOfTools,
      builtIn,
    });
    const { prompt, pending, denied } = readHistory(call, {
      isFunctionTool: name => tools.get(name) !== undefined,
      asksHost: hostApprovals !== undefined,
    });
    await hostApprovals?.recordDenials(denied, signal);
    const request = tools.applyTo({ ...call, abortSignal: signal, prompt });
    const hostedCalls = new Set(call.turn?.hostedCalls);
    const done = hostSteps?.done ?? attempt?.done ?? [];
    opened = {
      model,
      resumesResponses,
      done,
      round: 0,
      request,
      pendingCalls: pending,
      warnings,
      retries: policy.retries,
      reportsLength,
      source: tools,
      callPolicy: policy.calls,
      approvals: toApprovalSettings(call, policy),
      wrapsToolOutput: call.host.wrapsToolOutput,
      // Results of steps come together, with the next step.
      showsPreliminary:
        policy.showsPreliminary && call.isStream && call.host.acceptsLaterResults && hostSteps === undefined,
      identity,
      scope,
      tools,
      hostApprovals,
      hostedCalls,
      finishedCalls: toFinishedCalls(done),
      ids: new TurnIds(request.prompt),
      features,
      facts: undefined,
      record,
      lifetime,
      steps,
      telemetry,
      emit,
      warn,
      onFailure(done) {
        attempt?.fail(done, closedBy());
        hostSteps?.onFailure(done);
      },
      show: createShow(call, policy),
      close,
    };
    return opened;
  } catch (error) {
    await close(error);
    throw error;
  }
}

/** Returns the calls that do not run again. An interrupted call does if its tool may be repeated. */
const toFinishedCalls = (done: readonly AnsweredRound[]): ReadonlyMap<string, CallOutcome> =>
  new Map(
    done
      .flatMap(exchange => exchange.outcomes)
      .filter(
        outcome => !outcome.isInterrupted || !outcome.tool || !effectiveAnnotations(outcome.tool).idempotent,
      )
      .map(outcome => [outcome.call.toolCallId, outcome]),
  );

/** Returns how a turn has ended, for its entry in the journal. */
function toTurnEnd(
  { finishReason, hostCalls }: TurnRecord,
  options: { error: unknown; isAborted: boolean; isWaiting: boolean | undefined },
): TurnEnd {
  if (finishReason === undefined)
    return { state: options.isAborted || options.error === undefined ? 'open' : 'failed' };
  if (finishReason === 'error') return { state: 'failed' };
  if (finishReason !== 'tool-calls') return { state: 'finished' };
  return { state: options.isWaiting ? 'waiting' : 'open', calls: hostCalls };
}

/** Returns true if the host can be asked. Hosts reject all tool parts if the tool choice is `none`. */
const asksHost = (call: CoreCall, policy: LoopPolicy): boolean =>
  policy.approvals.approve === 'host' && call.host.asksForApproval && call.toolChoice?.type !== 'none';

/** Opens the steps of a turn. A journal needs a turn id of the application. */
async function openSteps(
  call: CoreCall,
  generatedId: string,
  journal: ToolLoopJournal | undefined,
  options: JournalOptions,
): Promise<Steps> {
  const step = stepOf(call);
  if (step !== undefined) return openEngineSteps(step, { call, generatedId });
  const turnId = turnIdOf(call);
  if (journal === undefined || turnId === undefined) return createPlainSteps({ call, generatedId });
  return openJournalSteps(journal, { call, turnId, ...options });
}

/** Decides how the calls of the loop appear in what the host receives. It rejects all of them if the tool choice is `none`. */
function createShow(call: CoreCall, policy: LoopPolicy): ShowPart {
  if (call.toolChoice?.type === 'none') return () => {};
  const ofLoop = policy.showsCalls ? 'shown' : 'hidden';
  return (part, write) => {
    const isPlain = part.type === 'tool-input-delta' || part.type === 'tool-input-end';
    write(isPlain ? part : { ...part, ofLoop });
  };
}

/** Joins the policy with what the host declares about the loop's tools. */
function toApprovalSettings(
  { tools = [], own: { toolApproval } }: CoreCall,
  policy: Pick<LoopPolicy, 'approvals'>,
): ApprovalSettings {
  return {
    ...policy.approvals,
    toolApproval:
      toolApproval === undefined || toolApproval === null ? undefined : toToolApproval(toolApproval),
    stubs: stubsOf(tools),
  };
}

/** Returns the host's declarations of tools that the provider runs. */
export function stubsOf(tools: readonly Tool[]): Map<string, DeclaredStub> {
  const stubs = new Map<string, DeclaredStub>();
  for (const tool of tools) {
    const ofSteps = isStepTool(tool) ? readStepTool(tool) : undefined;
    const stub = tool.type === 'function' ? readToolStub(tool) : ofSteps;
    if (stub !== undefined) stubs.set(stub.identity, stub);
  }
  return stubs;
}
