import type { Part } from '../../core/part.js';
import {
  type CallTelemetry,
  NO_TOOL_TELEMETRY,
  type ToolFacts,
  type ToolTelemetry,
} from '../../core/telemetry.js';
import { createTimeLimit, onceAborted, untilAborted } from '../../core/shared/abort.js';
import { addLazy } from '../../core/shared/once.js';
import { messageOf } from '../../core/shared/errors.js';
import { isWholeJson, objectOf } from '../../core/shared/json.js';
import { toOutputFacts, toResultValue, withoutDetails } from '../../core/tool-calls/mcp-output.js';
import { type ParsedToolArguments, parseToolArguments } from '../../core/tool-calls/tool-arguments.js';
import type { KeptTask } from '../../tools/kept-task.js';
import { toCallForApproval } from '../../tools/approval.js';
import {
  effectiveAnnotations,
  type InputStep,
  isReadOnly,
  type ToolCallContext,
  type ToolCallOptions,
  type ToolDefinition,
  type ToolInvocation,
  type ToolOutput,
  type ToolProgress,
  type ToolSource,
  toTimeoutText,
  timeoutOf,
} from '../../tools/tool-source.js';
import {
  type ApprovalRequest,
  type ApprovalSettings,
  decideOnCall,
  findDenial,
  HOST_REQUIRED,
  isFreeOfApproval,
} from '../approvals/approvals.js';
import type { HostApprovals, PendingCall } from '../approvals/host-approvals.js';
import { type Steps, UNKNOWN_OUTCOME } from '../durable/steps.js';
import {
  type Admission,
  type Admit,
  type CallEvent,
  type CallOutcome,
  type CallPolicy,
  type ChangeOutput,
  type LoopCall,
  type Scheduling,
  type ShowPart,
  toolOriginOf,
  type CallVerdict,
  withToolIdentity,
} from './calls.js';
import { isErrorOutput, replaceOutput, toValidOutput } from './outputs.js';

/**
 * - `announced`: the model made the call, and it waits for its turn. It may have been read early.
 * - `admitted`: it goes on, and it is decided if it needs an approval.
 * - `asked`: a person decides on it.
 * - `issued`: it waits inside of its step, or for the end of calls that it repeats.
 * - `running`: its tool may run.
 * - `done`: it has its outcome, which is final.
 */
type CallState = 'announced' | 'admitted' | 'asked' | 'issued' | 'running' | 'done';

/** The members of a turn that a call uses. */
export interface TurnOfCall {
  readonly identity: Pick<ToolCallContext, 'turnId' | 'context'>;
  readonly lifetime: { readonly signal: AbortSignal };
  /** `providerOptions.kelivo.scope` of the call of the host. */
  readonly scope: string | undefined;
  readonly source: Pick<ToolSource, 'callTool'>;
  readonly callPolicy: CallPolicy;
  readonly features: readonly {
    readonly admit?: Admit | undefined;
    readonly output?: ChangeOutput | undefined;
  }[];
  readonly approvals: ApprovalSettings;
  /** Undefined if the host cannot be asked. */
  readonly hostApprovals: HostApprovals | undefined;
  readonly wrapsToolOutput: boolean | undefined;
  /** True if the host receives results that a later one replaces. */
  readonly showsPreliminary: boolean;
  readonly tools: {
    /** Returns the loop's tool of a name: the offered one, or one that had the name earlier. */
    get(name: string): ToolDefinition | undefined;
    /** Lists the tools if this process has not done so: a source may be unable to run a tool that it has not listed. */
    connect(): Promise<void>;
    /** Returns true for a tool of the loop itself. */
    isBuiltIn(tool: ToolDefinition): boolean;
  };
  /** Calls that an earlier attempt at the turn has run, by their ids. */
  readonly finishedCalls: ReadonlyMap<string, CallOutcome>;
  readonly record: { didToolRun: boolean };
  readonly steps: Steps;
  /** Observes the turn. */
  readonly telemetry: CallTelemetry;
  readonly emit: (event: CallEvent) => void;
  /** Reports a warning after the stream has started: as an event, and at the end of the turn. */
  readonly warn: (round: number, message: string) => void;
  readonly show: ShowPart;
}

/** The members of a round that a call uses. */
export interface RoundOfCall {
  readonly turn: TurnOfCall;
  readonly number: number;
  /** Ends the calls of the round. */
  readonly signal: AbortSignal;
  /** The messages that the model had received. */
  readonly messages: NonNullable<ToolCallOptions['messages']>;
  /** The calls that may start before the response ends. */
  readonly startEarly: Scheduling['startEarly'];
  readonly write: (part: Part) => void;
  readonly show: ShowPart;
  /** True if the round was read from a record, so that its calls may have been run. */
  readonly isReplayed: boolean;
  /** Waits inside of a step until the tool of the call may run. Returns the output of a call that must not run. */
  enter(call: Call): Promise<CallVerdict>;
  /** Passes the arguments of a call to its tool. */
  announceInput(toolCallId: string, tool: ToolDefinition, step: InputStep): void;
  /** The step of the call has been issued, so that the next one may be. */
  issued(call: Call): void;
}

/** The output of a call, and how it was found. */
type FoundOutput = Pick<CallOutcome, 'output' | 'isReplayed' | 'isInterrupted'> &
  Partial<Pick<CallOutcome, 'duration'>>;

/** The output of a tool, and the milliseconds that it ran. */
type ToolRun = Pick<CallOutcome, 'output' | 'duration'>;

/** The record of a call. */
type CallRecord = ToolRun | { readonly isUnknown: true };

/** The end of the output of a call that was stopped. */
const MAY_HAVE_EFFECT = 'It may or may not have taken effect.';

/**
 * A call of a tool that the loop runs: announced → admitted → (asked) → issued → running → done.
 *
 * The round decides when a call may go on. The call itself reads its arguments, asks for its approval, records its step, runs
 * its tool, and reports all of it. Every failure becomes an output that the model can read; only an abort rejects.
 */
export class Call {
  /** The call as the model made it. */
  readonly made: LoopCall;
  /** Undefined if no tool can run it. */
  readonly tool: ToolDefinition | undefined;
  /** Resolves with the outcome. */
  readonly ended: Promise<CallOutcome>;
  /** True if it must not run together with another exclusive call. */
  readonly isExclusive: boolean;
  /** True if it starts before the response ends, and nothing that follows can show that its arguments are truncated. */
  readonly mayPrecedeEnd: boolean;
  /** The tool runs before the round is recorded, and this is its result. */
  early: Promise<ToolRun> | undefined;

  readonly #round: RoundOfCall;
  readonly #admissions: Admission[] = [];
  /** Names the call in its turn: the round, the position in it and the tool. */
  readonly #label: string;
  /** A call that an earlier turn left for approval. */
  readonly #pending: PendingCall | undefined;
  #resolve: (outcome: CallOutcome) => void = () => {};
  #state: CallState = 'announced';
  #hasStarted = false;
  /** The decision of the features, which is made once. */
  #verdict: CallVerdict | 'wait' = 'wait';
  /** The time at which the tool started. */
  #startedAt: number | undefined;
  #outcome: CallOutcome | undefined;
  #arguments: ParsedToolArguments | undefined;
  /** True if the tool was approved as it is declared now. */
  #isApproved = false;
  #isObserved = false;
  #isWritten = false;

  constructor(
    round: RoundOfCall,
    made: LoopCall,
    {
      tool,
      index,
      isComplete = false,
      pending,
    }: {
      readonly tool: ToolDefinition | undefined;
      /** Position of the call in its round, from 1. */
      readonly index: number;
      /** True if its server has marked it as complete. */
      readonly isComplete?: boolean;
      readonly pending?: PendingCall | undefined;
    },
  ) {
    const { turn, startEarly } = round;
    const { execution } = turn.callPolicy;
    this.made = made;
    this.tool = tool;
    this.ended = new Promise(resolve => {
      this.#resolve = resolve;
    });
    this.#round = round;
    // Pending calls were counted in the turn that made them.
    for (const feature of pending === undefined ? turn.features : []) {
      const admission = feature.admit?.(this, round.number);
      if (admission !== undefined) this.#admissions.push(admission);
    }
    this.#label = `${round.number}.${index} ${made.toolName}`;
    this.#pending = pending;
    const annotations = tool && effectiveAnnotations(tool);
    // Its further steps would mix with those of other calls, in an order that depends on their durations.
    const mayContinue = turn.callPolicy.onUnknownOutcome === 'ask' && annotations?.idempotent === false;
    this.isExclusive =
      execution === 'sequential' ||
      (execution === 'auto' && !isReadOnly(tool ?? {})) ||
      (turn.steps.isOrdered && mayContinue);
    const mayStartEarly = startEarly === 'read-only' ? annotations?.readOnly === true : startEarly;
    // Incomplete or missing arguments may belong to a truncated response.
    this.mayPrecedeEnd = isComplete && mayStartEarly && isWholeJson(made.input);
  }

  /** The arguments as the schema of the tool expects them. They are read once. */
  get arguments(): ParsedToolArguments {
    this.#arguments ??= parseToolArguments(this.made.input, { schema: this.tool?.inputSchema });
    return this.#arguments;
  }

  /** True if it has gone on. Its tool may have run. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Undefined until it has ended. */
  get outcome(): CallOutcome | undefined {
    return this.#outcome;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Decides if the call may run, once that does not depend on other calls any more. */
  decide(): CallVerdict | 'wait' {
    if (this.#verdict !== 'wait') return this.#verdict;
    this.#verdict = 'run';
    for (const admission of this.#admissions) {
      if (this.#verdict === 'run') this.#verdict = admission.decide();
    }
    return this.#verdict;
  }

  /** Takes back that the call was counted. It has failed, and its response is repeated. */
  drop(): void {
    for (const admission of this.#admissions) admission.drop();
  }

  /** Runs a read that nothing can forbid before its round is recorded. A call that has to wait is not changed. */
  readEarly(): void {
    const { tool, arguments: read } = this;
    const { turn } = this.#round;
    if (tool === undefined || !effectiveAnnotations(tool).readOnly || !isFreeOfApproval(tool, turn.approvals))
      return;
    if (!read.success) return;
    const call = this.#toInvocation();
    this.#round.announceInput(call.toolCallId, tool, { type: 'available', input: call.input });
    const startedAt = performance.now();
    this.early = this.#runTool(call, tool, startedAt);
    this.early.catch(() => {});
  }

  /** Runs the call to its end. */
  async run(): Promise<void> {
    this.go('admitted');
    this.#hasStarted = true;
    const { signal, turn } = this.#round;
    try {
      const result = await this.#findResult();
      // A repeat counts for the limits of the turn, even if it was recorded.
      if (turn.steps.isOrdered && this.#verdict === 'wait') await this.#round.enter(this);
      this.finish(result);
    } catch (error) {
      // After an abort, the call was abandoned, or nobody waits for it.
      if (!signal.aborted) this.fail(messageOf(error));
    }
  }

  /** Goes on, unless the call has its outcome: an abandoned call may still be busy. */
  go(state: CallState): void {
    if (this.#state !== 'done') this.#state = state;
  }

  /** Ends the call. Only the first outcome counts. */
  finish({ duration, ...result }: FoundOutput): void {
    if (this.#state === 'done') return;
    this.#state = 'done';
    const { made: call, tool } = this;
    const outcome = { call, tool, duration: duration ?? this.#elapsed(), ...result };
    this.#outcome = outcome;
    // Resolves before it is reported, which could throw and leave the round waiting.
    this.#resolve(outcome);
    if (!this.#round.turn.hostApprovals?.isAsked(call.toolCallId)) this.#reportEnd(outcome);
    // Features keep the calls of a turn to its end.
    this.#arguments = undefined;
  }

  /** Ends the call with an error that the model reads. */
  fail(text: string): void {
    this.finish(failed(text));
  }

  /** Ends the call without waiting for its tool. */
  abandon(text: string): void {
    const isInterrupted = this.#startedAt !== undefined;
    this.finish({
      ...failed(isInterrupted ? `${text} ${MAY_HAVE_EFFECT}` : text),
      ...(isInterrupted && { isInterrupted }),
    });
  }

  /** Returns the outcome of a call whose tool has run. One that still runs is interrupted. */
  ran(): CallOutcome | undefined {
    const hasRun = this.#startedAt !== undefined;
    if (this.#outcome !== undefined) return hasRun || this.#outcome.isReplayed ? this.#outcome : undefined;
    if (!hasRun) return undefined;
    const { made: call, tool } = this;
    const { output } = failed(`This call was interrupted. ${MAY_HAVE_EFFECT}`);
    return { call, tool, output, duration: this.#elapsed(), isInterrupted: true };
  }

  async #findResult(): Promise<FoundOutput> {
    const { made, tool } = this;
    const { turn, signal } = this.#round;
    const { toolCallId, toolName, input } = made;
    const finished = turn.finishedCalls.get(toolCallId);
    if (finished?.call.input === input) {
      turn.record.didToolRun = true;
      return { output: finished.output, duration: finished.duration, isReplayed: true };
    }
    signal.throwIfAborted();
    if (tool === undefined) return failed(`There is no tool ${JSON.stringify(toolName)}.`);
    if (this.#pending !== undefined && turn.hostApprovals !== undefined)
      return this.#runApproved(tool, this.#pending, turn.hostApprovals);
    const read = this.arguments;
    if (!read.success) return failed(`Invalid arguments for tool "${toolName}": ${read.reason}.`);
    const call = this.#toInvocation();
    // The tool of a call that was read early has been told its arguments.
    if (this.early === undefined)
      this.#round.announceInput(toolCallId, tool, { type: 'available', input: call.input });
    // A recorded call is not decided again: the policy may have changed since it ran.
    const recorded = this.#round.isReplayed ? await this.#findRecord(tool) : undefined;
    return recorded ?? (await this.#ask(call, tool, 1)) ?? this.#issue(call, tool);
  }

  /** Returns the output that an earlier attempt at the turn has recorded. An engine returns its records in their order only. */
  async #findRecord(tool: ToolDefinition): Promise<FoundOutput | undefined> {
    const { steps } = this.#round.turn;
    if (steps.isOrdered) return undefined;
    const { value } = await steps.step<CallRecord | undefined>(`call ${this.#label}`, async () => undefined, {
      input: this.#identity(tool),
      isKept: () => false,
    });
    return value !== undefined && 'output' in value ? { ...value, isReplayed: true } : undefined;
  }

  /**
   * Decides if the call needs an approval, and asks for it.
   *
   * @param attempt After a crash, a person decides on a call that may have had its effect.
   * @returns undefined if the call may run.
   */
  async #ask(call: ToolInvocation, tool: ToolDefinition, attempt: number): Promise<FoundOutput | undefined> {
    const { turn, signal } = this.#round;
    if (turn.tools.isBuiltIn(tool)) return undefined;
    const isUnknown = attempt > 1;
    const verdict = await decideOnCall(
      Object.assign(this.#toApprovalRequest(call, tool), isUnknown && { unknownOutcome: true }),
      { ...turn.approvals, callContext: this.#context() },
      run => {
        this.#isApproved = true;
        this.go('asked');
        return turn.steps.decide(`approval ${toAttempt(this.#label, attempt)}`, run, {
          input: this.#identity(tool),
        });
      },
      signal,
      isUnknown,
    );
    if (verdict === 'run') return undefined;
    if (verdict !== 'ask-host') return failed(verdict.refusal);
    this.go('asked');
    return { output: await this.#askHost(call, tool) };
  }

  /** Requests an approval of the host. Returns the output that the call has until then. */
  async #askHost(call: ToolInvocation, tool: ToolDefinition): Promise<ToolOutput> {
    const { turn, write } = this.#round;
    if (turn.hostApprovals === undefined) return HOST_REQUIRED;
    const keepId = async (create: () => Promise<string>): Promise<string> =>
      (await turn.steps.step(`request ${this.#label}`, create, { input: { ...call, input: this.#input } }))
        .value;
    return turn.hostApprovals.ask({ ...withToolIdentity(this.made, tool), ...call }, { tool, write, keepId });
  }

  /** Runs a call of an earlier turn with the approved arguments, if it was approved, and unless it ran before. */
  async #runApproved(
    tool: ToolDefinition,
    pending: PendingCall,
    hostApprovals: HostApprovals,
  ): Promise<FoundOutput> {
    const { turn, signal, write } = this.#round;
    const call = this.#toInvocation();
    const denial = await findDenial(this.#toApprovalRequest(call, tool), { ...turn.approvals, signal });
    if (denial !== undefined) return failed(denial);
    // A claim succeeds once, so a later attempt needs its record.
    const { value: admission } = await turn.steps.step(
      `approval ${this.#label}`,
      () => hostApprovals.admit(pending, { tools: turn.tools, signal }),
      {
        input: this.#identity(tool),
        // The answer of a stranger does not count for others.
        isKept: check => check.type !== 'refused',
      },
    );
    if (admission.type === 'asked') hostApprovals.askAgain(pending, { write });
    if ('output' in admission) return { output: admission.output };
    if (admission.type === 'repeated')
      return failed(
        'No output: this approval was already answered, and the call was not repeated. Its outcome is unknown here.',
      );
    this.#isApproved = true;
    return this.#issue(call, tool);
  }

  /**
   * Issues the step of a call that may run. The start of a tool that must not be repeated is recorded before it. If an
   * earlier attempt recorded the start but no output, the tool may or may not have had its effect.
   *
   * @param attempt Counts the attempts that a person has decided on.
   */
  async #issue(call: ToolInvocation, tool: ToolDefinition, attempt = 1): Promise<FoundOutput> {
    const { turn } = this.#round;
    const { steps } = turn;
    const { onUnknownOutcome } = turn.callPolicy;
    const input = this.#identity(tool);
    const isRepeatable = effectiveAnnotations(tool).idempotent;
    const facts = {
      input,
      ...(steps.isDurable && {
        idempotencyKey: await steps.idempotencyKeyOf(this.#label, { input: this.#input }),
      }),
    };
    const mayRepeat = isRepeatable || onUnknownOutcome === 'run';
    const name = toAttempt(this.#label, attempt);
    const isNew = isRepeatable || !steps.isDurable || (await steps.start(`start ${name}`, facts));
    this.go('issued');
    const running = steps.step<CallRecord>(
      `call ${name}`,
      async () => {
        const task =
          tool.server === undefined
            ? undefined
            : await steps.keepTask?.(name, { input, isNew: isNew && !isRepeatable });
        if (!isNew && !mayRepeat && task?.known === undefined) return { isUnknown: true };
        const run = await this.#runInStep(call, tool, task);
        if (task?.isLost !== true) return run;
        return mayRepeat ? this.#runInStep(call, tool, { ...task, known: undefined }) : { isUnknown: true };
      },
      facts,
    );
    this.#round.issued(this);
    const { value, isReplayed } = await running;
    if ('output' in value) return { ...value, isReplayed };
    // A person who approved it in another turn is not asked again.
    if (onUnknownOutcome !== 'ask' || this.#pending !== undefined) return failed(UNKNOWN_OUTCOME);
    const answer = await this.#ask(call, tool, attempt + 1);
    return answer ?? this.#issue(call, tool, attempt + 1);
  }

  async #runInStep(call: ToolInvocation, tool: ToolDefinition, task?: KeptTask): Promise<ToolRun> {
    const { turn, signal } = this.#round;
    const verdict = await this.#round.enter(this);
    if (verdict !== 'run') return { output: verdict, duration: 0 };
    // A call that was abandoned in the meantime has not started.
    signal.throwIfAborted();
    const startedAt = performance.now();
    if (this.#startedAt === undefined) {
      this.write();
      turn.emit({ type: 'tool-start', ...this.#facts(), input: this.made.input });
    }
    this.#startedAt = startedAt;
    turn.record.didToolRun = true;
    // Waiting for nothing would delay the start of the tool.
    if (turn.steps.isDurable && this.early === undefined) await turn.tools.connect();
    const { output: returned, duration } = await (this.early ?? this.#runTool(call, tool, startedAt, task));
    let output = returned;
    for (const feature of turn.tools.isBuiltIn(tool) ? [] : turn.features) {
      const changed = await feature.output?.(output, { tool, round: this.#round.number, signal });
      if (changed !== undefined) output = replaceOutput(output, changed);
    }
    return { output, duration };
  }

  /** Runs the tool. Only an abort rejects, at once, even if the tool ignores its signal. */
  async #runTool(
    call: ToolInvocation,
    tool: ToolDefinition,
    startedAt: number,
    task?: KeptTask,
  ): Promise<ToolRun> {
    const round = this.#round;
    const { turn, signal } = round;
    const { wrapsToolOutput, steps } = turn;
    const { toolName } = this.made;
    const key = steps.idempotencyKeyOf(this.#label, { input: this.#input });
    const idempotencyKey = typeof key === 'string' ? key : await key;
    signal.throwIfAborted();
    const timeout = timeoutOf(toolName, tool, turn.callPolicy.timeouts);
    const message = toTimeoutText(toolName, timeout);
    const limit = createTimeLimit(signal, { milliseconds: timeout, message });
    const observed = this.#observe();
    // A tool may ignore its signal.
    const release = onceAborted(limit.signal, () =>
      observed.end({ error: limit.signal.reason, isAborted: true }),
    );
    let isDone = false;
    try {
      const run = (): Promise<ToolOutput> =>
        turn.source.callTool(
          call,
          addLazy(
            {
              callContext: this.#context(),
              scope: turn.scope,
              idempotencyKey,
              onWarning: text => turn.warn(round.number, text),
              ...(this.#isApproved && { approved: tool }),
              ...(task && { task }),
              ...(wrapsToolOutput !== undefined && { wrapsToolOutput }),
              signal: limit.signal,
              // An MCP server observes its requests itself if nothing observes the call.
              ...(observed !== NO_TOOL_TELEMETRY && { telemetry: observed }),
              onProgress: progress => {
                // A tool may report progress after it was stopped.
                if (isDone || limit.signal.aborted) return;
                // A generator could yield forever.
                if (progress.result === undefined) limit.restart();
                this.#reportProgress(progress);
              },
            },
            'messages',
            () => round.messages,
          ),
        );
      const output = toValidOutput(await untilAborted(observed.run(run), limit.signal), toolName);
      observed.end({ output, isError: isErrorOutput(output) });
      return { output, duration: performance.now() - startedAt };
    } catch (error) {
      observed.end({ error });
      if (signal.aborted) throw signal.reason;
      return {
        ...failed(limit.isOver ? message : messageOf(error)),
        duration: performance.now() - startedAt,
      };
    } finally {
      isDone = true;
      release();
      limit.release();
    }
  }

  /** The arguments of the call, which nothing changes. A call of an earlier turn has those that were approved. */
  get #input(): ToolInvocation['input'] {
    const { turn } = this.#round;
    if (this.#pending !== undefined && turn.hostApprovals !== undefined)
      return objectOf(this.#pending.part.input) ?? {};
    return this.arguments.success ? this.arguments.input : {};
  }

  /** Identifies the call by its contents. */
  #identity(tool: ToolDefinition) {
    return [tool.server ?? null, tool.originalName ?? this.made.toolName, this.#input];
  }

  /**
   * Returns the call as its tool, policies and hooks receive it. They may change the arguments, for each other as in the loop
   * of a host, but not those that find the record of the call after a crash.
   */
  #toInvocation(): ToolInvocation {
    const { toolCallId, toolName } = this.made;
    return { toolCallId, toolName, input: structuredClone(this.#input), ...toolOriginOf(this.tool) };
  }

  #toApprovalRequest(call: ToolInvocation, tool: ToolDefinition): ApprovalRequest {
    const round = this.#round;
    const { turnId, context } = round.turn.identity;
    const request = toCallForApproval(call, tool, {
      context,
      get messages() {
        return round.messages;
      },
    });
    return Object.assign(request, { turnId, round: round.number });
  }

  #context(): ToolCallContext {
    const { turn, number: round } = this.#round;
    const server = this.tool?.server;
    const { toolCallId } = this.made;
    return { ...turn.identity, round, toolCallId, ...(server !== undefined && { server }) };
  }

  /** Milliseconds since the tool started. */
  #elapsed(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }

  // Reports to the host, the application and the observer.

  #observe(notRun?: ToolFacts['notRun']): ToolTelemetry {
    const { turn, number: round } = this.#round;
    const { toolCallId, toolName, input } = this.made;
    if (notRun === undefined) this.#isObserved = true;
    const { turnId } = turn.identity;
    const description = this.tool?.description;
    return turn.telemetry.startTool({ toolCallId, toolName, input, description, turnId, round, notRun });
  }

  #reportProgress(progress: ToolProgress): void {
    const { turn, show, write } = this.#round;
    const { toolCallId, toolName } = this.made;
    if (progress.result !== undefined && turn.showsPreliminary) {
      this.write();
      const part = { type: 'tool-result' as const, toolCallId, toolName, result: progress.result ?? '' };
      show({ ...part, preliminary: true }, write);
    }
    turn.emit({ type: 'tool-progress', ...this.#facts(), ...progress });
  }

  #reportEnd({ output, duration, isReplayed = false }: CallOutcome): void {
    const { toolCallId, toolName } = this.made;
    const { turn, show, write } = this.#round;
    const isError = isErrorOutput(output);
    if (!this.#isObserved) this.#observe(isReplayed ? 'replayed' : 'refused').end({ output, isError });
    this.write();
    const result = { toolCallId, toolName, result: toResultValue(output), ...(isError && { isError }) };
    show({ type: 'tool-result', ...result, output: withoutDetails(output), ...toOutputFacts(output) }, write);
    const replayed = isReplayed && { isReplayed };
    turn.emit({ type: 'tool-end', ...this.#facts(), duration, isError, ...replayed });
  }

  /** Writes the call for the host, once. `ai@5` would take a call with invalid JSON for one of the host. */
  write(): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const { made, tool, arguments: read } = this;
    const { show, write } = this.#round;
    const input = read.success ? read.json : '{}';
    show({ type: 'tool-call', ...withToolIdentity(made, tool), input, providerExecuted: true }, write);
  }

  #facts() {
    const { toolCallId, toolName } = this.made;
    return { round: this.#round.number, toolCallId, toolName, ...toolOriginOf(this.tool) };
  }
}

const failed = (value: string): Pick<CallOutcome, 'output'> => ({ output: { type: 'error-text', value } });

const toAttempt = (label: string, attempt: number): string =>
  attempt === 1 ? label : `${label} (attempt ${attempt})`;
