import type { CoreCall } from '../../core/call.js';
import type { PartSink } from '../../core/source.js';
import type { ToolFacts, ToolTelemetry } from '../../core/telemetry.js';
import { objectOf } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import { toResultValue, withoutDetails } from '../../tool-calls/mcp-output.js';
import {
  effectiveAnnotations,
  type ToolDefinition,
  type ToolInvocation,
  type ToolOutput,
  type ToolProgress,
} from '../../tools/tool-source.js';
import { toModelMessages } from '../../versions/write-call.js';
import { HOST_REQUIRED, isFreeOfApproval } from '../approvals/approvals.js';
import { executeApprovedCall, executeCall, runEarly } from './call-execution.js';
import { type CallRunner, createCallRunner } from './call-runner.js';
import {
  isErrorOutput,
  type LoopCall,
  parseInput,
  sourceOf,
  toValidJson,
  withToolIdentity,
} from './calls.js';
import type { PendingCall } from '../approvals/host-approvals.js';
import type { Turn } from '../turn/turn.js';

export interface RoundCallsOptions {
  readonly round: number;
  /** The call that the model received in this round. */
  readonly request: CoreCall;
  readonly sink: PartSink;
  /** True if the round was read from a record, so that its calls may have been run. @default false */
  readonly isReplayed?: boolean | undefined;
  /** Calls that an earlier turn left for approval, by their ids. @default the calls are new */
  readonly pendingCalls?: ReadonlyMap<string, PendingCall>;
}

/** Creates the runner of one round's calls. It writes their results to the sink and reports them as events. */
export function createRoundCalls(
  turn: Turn,
  { round, request, sink, isReplayed = false, pendingCalls }: RoundCallsOptions,
): CallRunner {
  const { calls, limits, record, emit, warn, identity, hostApprovals, steps, telemetry } = turn;
  const { signal } = turn.lifetime;
  const mayCall = request.toolChoice?.type !== 'none';
  const messages = once(() => toModelMessages(request.prompt));
  // The host shows a request of an approval even if it shows no other calls, so it needs the result.
  const show: Turn['show'] = pendingCalls === undefined ? turn.show : (part, write) => write(part);
  const written = new Set<string>();
  /** Calls whose tools have started in this process. */
  const started = new Set<string>();
  return createCallRunner({
    ...calls.scheduling,
    isDurable: steps.isDurable,
    isOrdered: steps.isOrdered,
    signal,
    startEarly: calls.scheduling.startEarly && mayCall && !isReplayed,
    // Pending calls were counted in the turn that made them.
    admit: (call, tool) =>
      pendingCalls === undefined
        ? limits.admitCall(call, { tool, warn: message => warn(round, message) })
        : () => 'run',

    mayContinue: tool => calls.execution.onUnknownOutcome === 'ask' && !effectiveAnnotations(tool).idempotent,

    execute(call, tool, { index, signal: callSignal, onStart, ...slot }) {
      const { toolCallId, toolName, input } = call;
      const facts = { round, toolCallId, toolName, ...sourceOf(tool) };
      const label = toLabel(call, index);
      const common = {
        ...calls.execution,
        ...slot,
        ...toRunOptions(call, tool, { signal: callSignal }),
        steps,
        label,
        connect: turn.tools.connect,
        messages: messages(),
        onStart() {
          onStart();
          writeCall(call, tool);
          record.markToolRun();
          emit({ type: 'tool-start', ...facts, input });
        },
      };
      const pending = pendingCalls?.get(toolCallId);
      if (pending === undefined || hostApprovals === undefined) {
        const askHost = async (parsed: ToolInvocation): Promise<ToolOutput> =>
          hostApprovals?.ask(
            { ...withToolIdentity(call, tool), ...parsed },
            {
              tool,
              write: sink.write,
              keepId: async create => (await steps.step(`request ${label}`, create, { input: parsed })).value,
            },
          ) ?? HOST_REQUIRED;
        return executeCall(call, tool, { ...common, askHost });
      }
      return executeApprovedCall(
        { toolCallId, toolName, input: objectOf(pending.part.input) ?? {}, ...sourceOf(tool) },
        tool,
        {
          ...common,
          admit: () => hostApprovals.admit(pending, { tools: turn.tools, signal: callSignal }),
          askAgain: () => hostApprovals.askAgain(pending, { write: sink.write }),
        },
      );
    },

    prefetch(call, tool, { index, signal: callSignal }) {
      const { toolCallId, toolName, input } = call;
      // Only a read without any condition for its approval.
      if (!effectiveAnnotations(tool).readOnly || !isFreeOfApproval(tool, calls.execution)) return undefined;
      const parsed = parseInput(input, { toolName, schema: tool.inputSchema });
      if (!parsed.success) return undefined;
      const invocation = { toolCallId, toolName, input: parsed.input, ...sourceOf(tool) };
      return runEarly(invocation, {
        ...calls.execution,
        ...toRunOptions(call, tool, { signal: callSignal }),
        ...{ steps, messages: messages(), label: toLabel(call, index) },
      });
    },

    onOutcome(outcome) {
      const { call, output, duration } = outcome;
      const { toolCallId, toolName } = call;
      if (pendingCalls === undefined) limits.recordOutcome(outcome);
      if (hostApprovals?.isAsked(toolCallId)) return;
      if (!started.has(toolCallId)) {
        const notRun = outcome.isReplayed === true ? 'replayed' : 'refused';
        observe(call, outcome.tool, { notRun }).end({ output, isError: isErrorOutput(output) });
      }
      writeCall(call, outcome.tool);
      const isError = isErrorOutput(output);
      show(
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          result: toResultValue(output),
          ...(isError && { isError }),
          output: withoutDetails(output),
        },
        sink.write,
      );
      emit({
        ...{ type: 'tool-end', round, toolCallId, toolName, ...sourceOf(outcome.tool), duration, isError },
        ...(outcome.isReplayed === true && { isReplayed: true }),
      });
    },
  });

  /** Names a call in its turn. */
  function toLabel({ toolName }: LoopCall, index: number): string {
    return `${round}.${index} ${toolName}`;
  }

  /** Begins the observation of a call. */
  function observe(
    { toolCallId, toolName, input }: LoopCall,
    tool: ToolDefinition | undefined,
    { notRun }: Pick<ToolFacts, 'notRun'> = {},
  ): ToolTelemetry {
    if (notRun === undefined) started.add(toolCallId);
    const { turnId } = identity;
    const description = tool?.description;
    return telemetry.startTool({ toolCallId, toolName, input, description, turnId, round, notRun });
  }

  /** Returns the options of a tool's run. */
  function toRunOptions(
    call: LoopCall,
    tool: ToolDefinition,
    { signal: callSignal }: { signal: AbortSignal },
  ) {
    const { toolCallId, toolName } = call;
    const { server } = tool;
    const facts = { round, toolCallId, toolName, ...sourceOf(tool) };
    return {
      observe: () => observe(call, tool),
      callContext: { ...identity, round, toolCallId, ...(server !== undefined && { server }) },
      signal: callSignal,
      onProgress: (progress: ToolProgress) => emit({ type: 'tool-progress', ...facts, ...progress }),
    };
  }

  /** Writes a call before its result. Without host approvals it was written as it arrived. */
  function writeCall(call: LoopCall, tool: ToolDefinition | undefined): void {
    if (hostApprovals === undefined || written.has(call.toolCallId)) return;
    written.add(call.toolCallId);
    const input = toValidJson(call.input, { schema: tool?.inputSchema });
    show({ type: 'tool-call', ...withToolIdentity(call, tool), input, providerExecuted: true }, sink.write);
  }
}
