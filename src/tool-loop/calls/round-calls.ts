import type { CoreCall } from '../../core/call.js';
import type { Part } from '../../core/part.js';
import type { CallTelemetry, ToolFacts, ToolTelemetry } from '../../core/telemetry.js';
import { objectOf } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import { toResultValue, withoutDetails } from '../../tool-calls/mcp-output.js';
import {
  effectiveAnnotations,
  type ToolCallContext,
  type ToolDefinition,
  type ToolInvocation,
  type ToolOutput,
  type ToolProgress,
} from '../../tools/tool-source.js';
import { toModelMessages } from '../../versions/write-call.js';
import { HOST_REQUIRED, isFreeOfApproval } from '../approvals/approvals.js';
import type { HostApprovals, PendingCall } from '../approvals/host-approvals.js';
import type { Steps } from '../durable/steps.js';
import { type CallSettings, executeApprovedCall, executeCall, runEarly } from './call-execution.js';
import { createCallRunner } from './call-runner.js';
import {
  type Admission,
  type CallEvent,
  type CallOutcome,
  type CallRunner,
  isErrorOutput,
  type LoopCall,
  parseInput,
  type Scheduling,
  type ShowPart,
  sourceOf,
  toValidJson,
  withToolIdentity,
} from './calls.js';

/** The part of a turn's plan that its calls use. */
export interface CallsPlan {
  readonly scheduling: Scheduling;
  readonly settings: CallSettings;
  readonly identity: Pick<ToolCallContext, 'turnId' | 'context'>;
}

/** The part of a turn's state that its calls use. */
export interface CallsState {
  readonly tools: {
    /** Returns the loop's tool of a name: the offered one, or one that had the name earlier. */
    get(name: string): ToolDefinition | undefined;
    /** Lists the tools if this process has not done so: a source may be unable to run a tool that it has not listed. */
    connect(): Promise<void>;
  };
  readonly limits: {
    /** Counts a call, in the order of the model. */
    admitCall(
      call: LoopCall,
      options: { tool: ToolDefinition | undefined; warn: (message: string) => void },
    ): Admission;
    /** Records the outcome of an admitted call as soon as it has finished. */
    recordOutcome(outcome: CallOutcome): void;
  };
  /** Calls that an earlier attempt at the turn has run, by their ids. */
  readonly finishedCalls: ReadonlyMap<string, CallOutcome>;
  /** Undefined if the host cannot be asked. */
  readonly hostApprovals: HostApprovals | undefined;
  readonly record: { didToolRun: boolean };
}

/** The connections of a turn to the outside that its calls use. */
export interface CallsOutside {
  readonly lifetime: { readonly signal: AbortSignal };
  readonly steps: Steps;
  /** Observes the turn. */
  readonly telemetry: CallTelemetry;
  readonly emit: (event: CallEvent) => void;
  /** Reports a warning after the stream has started: as an event, and at the end of the turn. */
  readonly warn: (round: number, message: string) => void;
  readonly show: ShowPart;
}

interface CallsOfTurn {
  readonly plan: CallsPlan;
  readonly state: CallsState;
  readonly outside: CallsOutside;
}

interface RoundOfCalls {
  readonly round: number;
  /** The call that the model received in this round. */
  readonly request: CoreCall;
  readonly write: (part: Part) => void;
  /** True if the round was read from a record, so that its calls may have been run. @default false */
  readonly isReplayed?: boolean | undefined;
  /** Number of calls that started in attempts at the round before. @default 0 */
  readonly callsBefore?: number;
  /** Calls that an earlier turn left for approval, by their ids. @default the calls are new */
  readonly pendingCalls?: ReadonlyMap<string, PendingCall>;
}

/** Creates the runner of one round's calls. It writes their results and reports them as events. */
export function createRoundCalls(
  { plan, state, outside }: CallsOfTurn,
  { round, request, write, isReplayed = false, callsBefore = 0, pendingCalls }: RoundOfCalls,
): CallRunner {
  const { scheduling, settings, identity } = plan;
  const { tools, limits, hostApprovals, record } = state;
  const { steps } = outside;
  const messages = once(() => toModelMessages(request.prompt));
  const reports = createReports({
    round,
    turnId: identity.turnId,
    outside,
    // The host shows a request of an approval even if it shows no other calls, so it needs the result.
    show: pendingCalls === undefined ? outside.show : part => write(part),
    write,
    // Without host approvals a call was written as it arrived.
    writesCalls: hostApprovals !== undefined,
  });
  return createCallRunner({
    execution: scheduling.execution,
    startEarly: request.toolChoice?.type !== 'none' && !isReplayed && scheduling.startEarly,
    callsBefore,
    isDurable: steps.isDurable,
    isOrdered: steps.isOrdered,
    signal: outside.lifetime.signal,
    // Pending calls were counted in the turn that made them.
    admit: (call, tool) =>
      pendingCalls === undefined
        ? limits.admitCall(call, { tool, warn: message => outside.warn(round, message) })
        : () => 'run',

    mayContinue: tool => settings.onUnknownOutcome === 'ask' && !effectiveAnnotations(tool).idempotent,

    async execute(call, tool, { index, ...slot }) {
      const { toolCallId, toolName, input } = call;
      const finished = state.finishedCalls.get(toolCallId);
      if (finished?.call.input === input) {
        record.didToolRun = true;
        return { output: finished.output, duration: finished.duration, isReplayed: true };
      }
      const options = {
        ...toRunOptions(call, tool, { index, signal: slot.signal }),
        ...slot,
        connect: tools.connect,
        onStart() {
          slot.onStart();
          reports.start(call, tool);
          record.didToolRun = true;
        },
      };
      const pending = pendingCalls?.get(toolCallId);
      if (pending === undefined || hostApprovals === undefined)
        return executeCall(call, tool, {
          ...options,
          askHost: parsed => askHost(call, tool, { parsed, label: options.label }),
        });
      return executeApprovedCall(
        { toolCallId, toolName, input: objectOf(pending.part.input) ?? {}, ...sourceOf(tool) },
        tool,
        {
          ...options,
          admit: () => hostApprovals.admit(pending, { tools, signal: slot.signal }),
          askAgain: () => hostApprovals.askAgain(pending, { write }),
        },
      );
    },

    prefetch(call, tool, slot) {
      const { toolCallId, toolName, input } = call;
      // Only a read without any condition for its approval.
      if (!effectiveAnnotations(tool).readOnly || !isFreeOfApproval(tool, settings)) return undefined;
      const parsed = parseInput(input, { toolName, schema: tool.inputSchema });
      if (!parsed.success) return undefined;
      const invocation = { toolCallId, toolName, input: parsed.input, ...sourceOf(tool) };
      return runEarly(invocation, toRunOptions(call, tool, slot));
    },

    onOutcome(outcome) {
      if (pendingCalls === undefined) limits.recordOutcome(outcome);
      if (!hostApprovals?.isAsked(outcome.call.toolCallId)) reports.end(outcome);
    },
  });

  async function askHost(
    call: LoopCall,
    tool: ToolDefinition,
    { parsed, label }: { parsed: ToolInvocation; label: string },
  ): Promise<ToolOutput> {
    if (hostApprovals === undefined) return HOST_REQUIRED;
    return hostApprovals.ask(
      { ...withToolIdentity(call, tool), ...parsed },
      {
        tool,
        write,
        keepId: async create => (await steps.step(`request ${label}`, create, { input: parsed })).value,
      },
    );
  }

  function toRunOptions(
    call: LoopCall,
    tool: ToolDefinition,
    slot: { readonly index: number; readonly signal: AbortSignal },
  ) {
    const { toolCallId, toolName } = call;
    const { server } = tool;
    return {
      ...settings,
      timeout: timeoutOf(toolName, tool, settings),
      steps,
      label: `${round}.${slot.index} ${toolName}`,
      signal: slot.signal,
      messages: messages(),
      callContext: { ...identity, round, toolCallId, ...(server !== undefined && { server }) },
      observe: () => reports.observe(call, tool),
      onWarning: (message: string) => outside.warn(round, message),
      onProgress: (progress: ToolProgress) => reports.progress(call, { tool, progress }),
    };
  }
}

/** Returns the time that a call may take: of the application for this tool, of the tool, or of the application for all. */
function timeoutOf(toolName: string, tool: ToolDefinition, { timeouts }: CallSettings): number | undefined {
  const own = timeouts.tools ?? {};
  return Object.hasOwn(own, toolName) ? own[toolName] : (tool.timeout ?? timeouts.tool);
}

interface ReportsOptions {
  readonly round: number;
  readonly turnId: string;
  readonly outside: Pick<CallsOutside, 'telemetry' | 'emit'>;
  readonly show: ShowPart;
  readonly write: (part: Part) => void;
  /** Writes each call before its result. */
  readonly writesCalls: boolean;
}

/** Writes the calls and results of a round, and reports them as events and to the telemetry. */
function createReports({ round, turnId, outside, show, write, writesCalls }: ReportsOptions) {
  const { telemetry, emit } = outside;
  const written = new Set<string>();
  /** Calls that are observed, because their tools have started in this process. */
  const observed = new Set<string>();

  const toFacts = ({ toolCallId, toolName }: LoopCall, tool: ToolDefinition | undefined) => ({
    round,
    toolCallId,
    toolName,
    ...sourceOf(tool),
  });

  function observe(
    { toolCallId, toolName, input }: LoopCall,
    tool: ToolDefinition | undefined,
    notRun?: ToolFacts['notRun'],
  ): ToolTelemetry {
    if (notRun === undefined) observed.add(toolCallId);
    const description = tool?.description;
    return telemetry.startTool({ toolCallId, toolName, input, description, turnId, round, notRun });
  }

  function writeCall(call: LoopCall, tool: ToolDefinition | undefined): void {
    if (!writesCalls || written.has(call.toolCallId)) return;
    written.add(call.toolCallId);
    const input = toValidJson(call.input, { schema: tool?.inputSchema });
    show({ type: 'tool-call', ...withToolIdentity(call, tool), input, providerExecuted: true }, write);
  }

  return {
    observe,
    start(call: LoopCall, tool: ToolDefinition): void {
      writeCall(call, tool);
      emit({ type: 'tool-start', ...toFacts(call, tool), input: call.input });
    },
    progress(call: LoopCall, { tool, progress }: { tool: ToolDefinition; progress: ToolProgress }): void {
      emit({ type: 'tool-progress', ...toFacts(call, tool), ...progress });
    },
    end({ call, tool, output, duration, isReplayed = false }: CallOutcome): void {
      const { toolCallId, toolName } = call;
      const isError = isErrorOutput(output);
      if (!observed.has(toolCallId))
        observe(call, tool, isReplayed ? 'replayed' : 'refused').end({ output, isError });
      writeCall(call, tool);
      const result = { toolCallId, toolName, result: toResultValue(output), ...(isError && { isError }) };
      show({ type: 'tool-result', ...result, output: withoutDetails(output) }, write);
      emit({
        type: 'tool-end',
        ...toFacts(call, tool),
        duration,
        isError,
        ...(isReplayed && { isReplayed }),
      });
    },
  };
}
