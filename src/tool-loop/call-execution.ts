import { untilAborted } from '../shared/abort.js';
import { objectOf } from '../shared/json.js';
import type {
  ToolCallContext,
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolOutput,
  ToolProgress,
  ToolSource,
} from '../tools/tool-source.js';
import { type ApprovalRequest, type ApprovalSettings, decideOnCall, findDenial } from './approvals.js';
import { type LoopCall, parseInput, sourceOf } from './calls.js';
import type { ApprovalCheck } from './host-approvals.js';
import { limitOutput, type OutputLimits } from './output-limits.js';
import type { StoredResults } from './result-store.js';
import { createTimeLimit } from './time-limit.js';

interface StartCallOptions extends RunToolOptions {
  readonly outputLimits: OutputLimits;
  /** Called when the tool starts. Calls that are unreadable, refused or have a stored result do not start. */
  readonly onStart: () => void;
}

export interface ExecuteCallOptions extends StartCallOptions, ApprovalSettings {
  readonly callContext: ToolCallContext;
  readonly messages: NonNullable<ToolCallOptions['messages']>;
  /** Requests an approval of the host. Returns the output that the call has until then. */
  readonly askHost: (call: ToolInvocation) => Promise<ToolOutput>;
  /** Results of earlier attempts at this turn, if they are stored. */
  readonly results: StoredResults | undefined;
}

/**
 * Runs one call, from its arguments to its output. Every failure becomes an output that the model can read; only an
 * abort rejects, at once.
 */
export async function executeCall(
  { toolCallId, toolName, input }: LoopCall,
  tool: ToolDefinition,
  { results, askHost, ...options }: ExecuteCallOptions,
): Promise<ToolOutput> {
  options.signal.throwIfAborted();
  const parsed = parseInput(input, { toolName, schema: tool.inputSchema });
  if (!parsed.success) return { type: 'error-text', value: parsed.message };
  const call = { toolCallId, toolName, input: parsed.input, ...sourceOf(tool) };

  const stored = await results?.find(call);
  if (stored !== undefined) return stored;

  const verdict = await decideOnCall(toApprovalRequest(call, tool, options), options);
  if (verdict === 'ask-host') return askHost(call);
  if (verdict !== 'run') return { type: 'error-text', value: verdict.refusal };
  return startCall(call, { results, ...options });
}

interface ExecuteApprovedOptions extends StartCallOptions {
  readonly callContext: ToolCallContext;
  readonly messages: NonNullable<ToolCallOptions['messages']>;
  readonly toolApproval: ApprovalSettings['toolApproval'];
  /** Verifies the request for the approval and claims it. */
  readonly admit: () => Promise<ApprovalCheck>;
  /** Returns the stored result of the call that an approval belongs to. */
  readonly resultsOf: (nonce: string) => StoredResults | undefined;
}

/** Runs a call of an earlier turn with the approved arguments, if it was approved, and unless it ran before. */
export async function executeApprovedCall(
  call: ToolInvocation,
  tool: ToolDefinition,
  { admit, resultsOf, ...options }: ExecuteApprovedOptions,
): Promise<ToolOutput> {
  options.signal.throwIfAborted();
  const denial = await findDenial(toApprovalRequest(call, tool, options), options);
  if (denial !== undefined) return { type: 'error-text', value: denial };
  const admission = await admit();
  if ('output' in admission) return admission.output;
  const results = resultsOf(admission.nonce);
  const stored = await results?.find(call);
  if (stored !== undefined) return stored;
  if (admission.type === 'run') return startCall(call, { results, ...options });
  return {
    type: 'error-text',
    value:
      'No output: this approval was already answered, and the call was not repeated. Its outcome is unknown here.',
  };
}

/** Starts a call that may run, and stores its output. */
async function startCall(
  call: ToolInvocation,
  { outputLimits, results, onStart, ...options }: StartCallOptions & Pick<ExecuteCallOptions, 'results'>,
): Promise<ToolOutput> {
  onStart();
  const run = await runTool(call, options);
  const output = limitOutput(run.output, outputLimits);
  // A call that timed out is not finished: a later attempt at the turn may run it again.
  if (!run.isTimedOut) await results?.keep(call, output);
  return output;
}

function toApprovalRequest(
  call: ToolInvocation,
  tool: ToolDefinition,
  { callContext, messages }: Pick<ExecuteCallOptions, 'callContext' | 'messages'>,
): ApprovalRequest {
  const { name, server, originalName = name, readOnly, destructive, idempotent, openWorld } = tool;
  const { turnId, round, context } = callContext;
  return {
    ...call,
    ...(server !== undefined && { server }),
    originalName,
    annotations: {
      readOnly,
      destructive,
      idempotent,
      openWorld,
      trusted: tool.trustAnnotations !== false,
    },
    tool,
    turnId,
    round,
    messages,
    ...(context !== undefined && { context }),
  };
}

interface RunToolOptions extends Pick<ToolCallOptions, 'callContext' | 'messages' | 'isLaterHost'> {
  readonly source: ToolSource;
  readonly signal: AbortSignal;
  /** Time that the tool may take without reporting progress, in milliseconds. */
  readonly timeout: number | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
}

interface ToolRun {
  readonly output: ToolOutput;
  /** True if the tool was stopped before it finished, so that its effect is unknown. */
  readonly isTimedOut: boolean;
}

/**
 * Runs a tool. Every failure becomes an output that the model can read. Only an abort rejects, at once, even if the tool
 * ignores its signal.
 */
async function runTool(
  call: ToolInvocation,
  { source, signal, timeout, onProgress, callContext, messages, isLaterHost }: RunToolOptions,
): Promise<ToolRun> {
  signal.throwIfAborted();
  const message = `The tool "${call.toolName}" exceeded its limit of ${timeout} ms. It may or may not have taken effect.`;
  const limit = createTimeLimit(signal, { milliseconds: timeout, message });
  let isDone = false;
  try {
    const running = source.callTool(call, {
      signal: limit.signal,
      callContext,
      messages,
      isLaterHost,
      onProgress(progress) {
        // A tool may report progress after it was stopped.
        if (isDone || limit.signal.aborted) return;
        limit.restart();
        onProgress(progress);
      },
    });
    const output = toValidOutput(await untilAborted(running, limit.signal), call.toolName);
    return { output, isTimedOut: false };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const value = error instanceof Error ? error.message : String(error);
    return {
      output: { type: 'error-text', value: limit.isOver ? message : value },
      isTimedOut: limit.isOver,
    };
  } finally {
    isDone = true;
    limit.release();
  }
}

/** Returns an output that every model accepts. Tools of other major versions of the AI SDK return other formats. */
function toValidOutput(output: ToolOutput | undefined, toolName: string): ToolOutput {
  if (output !== undefined && isValidOutput(output)) return output;
  return {
    type: 'error-text',
    value: `The tool "${toolName}" returned an output of an unknown type: ${String(objectOf(output)?.type)}.`,
  };
}

/** Returns true for an output that every model accepts. */
export function isValidOutput(output: unknown): output is ToolOutput {
  const { type, value } = objectOf(output) ?? {};
  if (type === 'text' || type === 'error-text') return typeof value === 'string';
  if (type === 'json' || type === 'error-json') return value !== undefined;
  return type === 'content' && Array.isArray(value) && value.every(isKnownPart);
}

function isKnownPart(part: unknown): boolean {
  const { type, text, data, mediaType } = objectOf(part) ?? {};
  if (type === 'text') return typeof text === 'string';
  return type === 'media' && typeof data === 'string' && typeof mediaType === 'string';
}
