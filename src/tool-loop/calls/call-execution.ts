import { isToolOutput, toCoreOutput } from '../../core/prompt.js';
import { NO_TOOL_TELEMETRY, type ToolTelemetry } from '../../core/telemetry.js';
import { messageOf } from '../../shared/errors.js';
import { createTimeLimit, onceAborted, untilAborted } from '../../shared/abort.js';
import { objectOf } from '../../shared/json.js';
import {
  effectiveAnnotations,
  type ToolCallContext,
  type ToolCallOptions,
  type ToolDefinition,
  type ToolInvocation,
  type ToolOutput,
  type ToolProgress,
  type ToolSource,
  toTimeoutText,
} from '../../tools/tool-source.js';
import { toCallForApproval } from '../../tools/approval.js';
import {
  type ApprovalRequest,
  type ApprovalSettings,
  decideOnCall,
  findDenial,
} from '../approvals/approvals.js';
import type { ApprovalCheck } from '../approvals/host-approvals.js';
import { type Steps, UNKNOWN_OUTCOME } from '../durable/steps.js';
import {
  type CallResult,
  type CallSlot,
  isErrorOutput,
  limitOutput,
  type LoopCall,
  parseInput,
  sourceOf,
  type ToolRun,
} from './calls.js';

/** The answer to a call whose effect is unknown. */
export type UnknownOutcomePolicy = 'refuse' | 'ask' | 'run';

/** Settings for all calls of a turn. */
export interface CallSettings extends ApprovalSettings, Pick<ToolCallOptions, 'wrapsToolOutput'> {
  readonly source: Pick<ToolSource, 'callTool'>;
  /** Time that a tool may take without reporting progress, in milliseconds, for all tools and by name. */
  readonly timeouts: { readonly tool?: number; readonly tools?: Readonly<Record<string, number>> };
  readonly maxOutputChars: number;
  readonly onUnknownOutcome: UnknownOutcomePolicy;
}

/** Options for running the tool of one call. */
interface RunOptions extends Pick<CallSettings, 'source' | 'wrapsToolOutput'>, Pick<CallSlot, 'signal'> {
  /** Time that the tool may take without reporting progress, in milliseconds. */
  readonly timeout: number | undefined;
  readonly steps: Steps;
  /** Names the call in its turn: the round, the position in it and the tool. */
  readonly label: string;
  readonly callContext: ToolCallContext;
  /** The tool whose call was approved. @default the call needed no approval */
  readonly approved?: ToolDefinition;
  readonly messages: NonNullable<ToolCallOptions['messages']>;
  /** Begins the observation of the call as it runs. */
  readonly observe: () => ToolTelemetry;
  readonly onProgress: (progress: ToolProgress) => void;
  readonly onWarning: (message: string) => void;
}

interface CallOptions extends RunOptions, CallSettings, Omit<CallSlot, 'index'> {
  /** Lists the tools, if that has not happened in this process. */
  readonly connect: () => Promise<void>;
}

interface NewCallOptions extends CallOptions {
  /** Requests an approval of the host. Returns the output that the call has until then. */
  readonly askHost: (call: ToolInvocation) => Promise<ToolOutput>;
}

/**
 * Runs one call, from its arguments to its output. Every failure becomes an output that the model can read; only an
 * abort rejects, at once.
 */
export async function executeCall(
  { toolCallId, toolName, input }: LoopCall,
  tool: ToolDefinition,
  { askHost, ...options }: NewCallOptions,
): Promise<CallResult> {
  options.signal.throwIfAborted();
  const parsed = parseInput(input, { toolName, schema: tool.inputSchema });
  if (!parsed.success) return failed(parsed.message);
  const call = { toolCallId, toolName, input: parsed.input, ...sourceOf(tool) };

  const { steps, label } = options;
  let approved: ToolDefinition | undefined;
  const ask = async (attempt: number): Promise<CallResult | 'run'> => {
    // After a crash, a person decides on a call that may have had its effect.
    const isUnknown = attempt > 1;
    const verdict = await decideOnCall(
      { ...toApprovalRequest(call, tool, options), ...(isUnknown && { unknownOutcome: true }) },
      {
        ...options,
        isRequired: isUnknown,
        decide(run) {
          approved = tool;
          return steps.decide(`approval ${toAttempt(label, attempt)}`, run, {
            input: identityOf(call, tool),
          });
        },
      },
    );
    if (verdict === 'run') return verdict;
    if (verdict === 'ask-host') return { output: await askHost(call) };
    return failed(verdict.refusal);
  };
  const answer = await ask(1);
  if (answer !== 'run') return answer;
  return startCall(call, tool, { ...options, ...(approved && { approved }), ask });
}

interface PendingCallOptions extends CallOptions {
  /** Verifies the request for the approval and claims it. */
  readonly admit: () => Promise<ApprovalCheck>;
  /** Requests an approval again that nobody has answered. */
  readonly askAgain: () => void;
}

/** Runs a call of an earlier turn with the approved arguments, if it was approved, and unless it ran before. */
export async function executeApprovedCall(
  call: ToolInvocation,
  tool: ToolDefinition,
  { admit, askAgain, ...options }: PendingCallOptions,
): Promise<CallResult> {
  options.signal.throwIfAborted();
  const { steps, label } = options;
  const denial = await findDenial(toApprovalRequest(call, tool, options), options);
  if (denial !== undefined) return failed(denial);
  // A claim succeeds once, so a later attempt needs its record.
  const { value: admission } = await steps.step(`approval ${label}`, admit, {
    input: identityOf(call, tool),
    // The answer of a stranger does not count for others.
    isKept: ({ type }) => type !== 'refused',
  });
  if (admission.type === 'asked') askAgain();
  if ('output' in admission) return { output: admission.output };
  if (admission.type === 'run') return startCall(call, tool, { ...options, approved: tool });
  return failed(
    'No output: this approval was already answered, and the call was not repeated. Its outcome is unknown here.',
  );
}

const failed = (value: string): CallResult => ({ output: { type: 'error-text', value } });

/** Identifies a call by its contents. */
const identityOf = ({ toolName, input }: ToolInvocation, { server, originalName }: ToolDefinition) => [
  server ?? null,
  originalName ?? toolName,
  input,
];

const toAttempt = (label: string, attempt: number): string =>
  attempt === 1 ? label : `${label} (attempt ${attempt})`;

type CallRecord = { readonly output: ToolOutput; readonly duration: number } | { readonly isUnknown: true };

/**
 * Starts a call that may run, and records its output. The start of a tool that must not be repeated is recorded before it.
 * If an earlier attempt recorded the start but no output, the tool may or may not have had its effect.
 */
async function startCall(
  call: ToolInvocation,
  tool: ToolDefinition,
  { ask, ...options }: CallOptions & { readonly ask?: (attempt: number) => Promise<CallResult | 'run'> },
): Promise<CallResult> {
  const { steps, label, onUnknownOutcome, onIssued } = options;
  const input = identityOf(call, tool);
  const isRepeatable = effectiveAnnotations(tool).idempotent;
  const facts = {
    input,
    ...(steps.isDurable && { idempotencyKey: await steps.idempotencyKeyOf(label, { input: call.input }) }),
  };
  for (let attempt = 1; ; attempt++) {
    const name = toAttempt(label, attempt);
    const isNew = isRepeatable || !steps.isDurable || (await steps.start(`start ${name}`, facts));
    const running = steps.step<CallRecord>(
      `call ${name}`,
      async () => (isNew || onUnknownOutcome === 'run' ? runInStep(call, options) : { isUnknown: true }),
      facts,
    );
    onIssued();
    const { value, isReplayed } = await running;
    if ('output' in value) return { ...value, isReplayed };
    if (onUnknownOutcome !== 'ask' || ask === undefined) return failed(UNKNOWN_OUTCOME);
    const answer = await ask(attempt + 1);
    if (answer !== 'run') return answer;
  }
}

async function runInStep(call: ToolInvocation, options: CallOptions): Promise<CallRecord> {
  const { steps, early, enter, connect, onStart, maxOutputChars } = options;
  const verdict = await enter();
  if (verdict !== 'run') return { output: verdict, duration: 0 };
  onStart();
  const startedAt = performance.now();
  // Waiting for nothing would delay the start of the tool.
  if (steps.isDurable && early === undefined) await connect();
  const run = await (early ?? runTool(call, options));
  const duration = run.duration ?? performance.now() - startedAt;
  return { output: limitOutput(run.output, { maxChars: maxOutputChars }), duration };
}

/** Runs a call that changes nothing before its round is recorded. */
export async function runEarly(call: ToolInvocation, options: RunOptions): Promise<ToolRun> {
  const startedAt = performance.now();
  const run = await runTool(call, options);
  return { ...run, duration: performance.now() - startedAt };
}

function toApprovalRequest(
  call: ToolInvocation,
  tool: ToolDefinition,
  { callContext: { turnId, round, context }, messages }: Pick<CallOptions, 'callContext' | 'messages'>,
): ApprovalRequest {
  return { ...toCallForApproval(call, tool, { messages, context }), turnId, round };
}

/**
 * Runs a tool. Every failure becomes an output that the model can read. Only an abort rejects, at once, even if the tool
 * ignores its signal.
 */
async function runTool(
  call: ToolInvocation,
  {
    steps,
    label,
    source,
    signal,
    timeout,
    onProgress,
    onWarning,
    observe,
    callContext,
    messages,
    wrapsToolOutput,
    approved,
  }: RunOptions,
): Promise<ToolRun> {
  const key = steps.idempotencyKeyOf(label, { input: call.input });
  const idempotencyKey = typeof key === 'string' ? key : await key;
  signal.throwIfAborted();
  const message = toTimeoutText(call.toolName, timeout);
  const limit = createTimeLimit(signal, { milliseconds: timeout, message });
  const observed = observe();
  // A tool may ignore its signal.
  const release = onceAborted(limit.signal, () =>
    observed.end({ error: limit.signal.reason, isAborted: true }),
  );
  let isDone = false;
  try {
    const run = (): Promise<ToolOutput> =>
      source.callTool(call, {
        callContext,
        messages,
        idempotencyKey,
        onWarning,
        ...(approved !== undefined && { approved }),
        ...(wrapsToolOutput !== undefined && { wrapsToolOutput }),
        signal: limit.signal,
        // An MCP server observes its requests itself if nothing observes the call.
        ...(observed !== NO_TOOL_TELEMETRY && { telemetry: observed }),
        onProgress(progress) {
          // A tool may report progress after it was stopped.
          if (isDone || limit.signal.aborted) return;
          limit.restart();
          onProgress(progress);
        },
      });
    const output = toValidOutput(await untilAborted(observed.run(run), limit.signal), call.toolName);
    observed.end({ output, isError: isErrorOutput(output) });
    return { output };
  } catch (error) {
    observed.end({ error });
    if (signal.aborted) throw signal.reason;
    const value = messageOf(error);
    return { output: { type: 'error-text', value: limit.isOver ? message : value } };
  } finally {
    isDone = true;
    release();
    limit.release();
  }
}

/** Returns an output that every model accepts. Tool sources of an application may return other values. */
function toValidOutput(given: ToolOutput | undefined, toolName: string): ToolOutput {
  const output = toCoreOutput(given);
  if (isToolOutput(output) && output.type !== 'execution-denied') return output;
  return {
    type: 'error-text',
    value: `The tool "${toolName}" returned an output of an unknown type: ${String(objectOf(output)?.type)}.`,
  };
}
