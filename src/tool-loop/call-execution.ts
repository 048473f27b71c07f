import type {
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolOutput,
  ToolProgress,
  ToolSource,
} from '../tools/tool-source.js';
import { type Approvals, type Approve, requestApproval } from './approvals.js';
import type { StoredResults } from './result-store.js';
import { limitOutput, type OutputLimits } from './output-limits.js';
import type { LoopCall } from './calls.js';
import { parseInput } from './calls.js';
import { untilAborted } from '../shared/abort.js';
import { createTimeLimit } from './time-limit.js';

export interface ExecuteCallOptions extends RunToolOptions {
  readonly outputLimits: OutputLimits;
  readonly approve: Approve | undefined;
  readonly approvals: Approvals | undefined;
  /** What earlier attempts at this turn have left, where they are kept. */
  readonly results: StoredResults | undefined;
  /** Told when the tool begins to run: what fails, is known or is refused before never runs. */
  readonly onStart: () => void;
}

/**
 * Sees one call through, from its arguments to its output. Whatever goes wrong with it is an output that the model can
 * read; only an abort rejects, at once.
 */
export async function executeCall(
  { toolCallId, toolName, input }: LoopCall,
  tool: ToolDefinition,
  { approve, approvals, outputLimits, results, onStart, ...options }: ExecuteCallOptions,
): Promise<ToolOutput> {
  const { signal } = options;
  signal.throwIfAborted();
  const parsed = parseInput(input, { toolName, schema: tool.inputSchema });
  if (!parsed.success) return { type: 'error-text', value: parsed.message };
  const call = { toolCallId, toolName, input: parsed.input };

  const known = await results?.find(call);
  if (known !== undefined) return known;

  const refusal = await requestApproval({ ...call, tool }, { approve, approvals, ...options });
  if (refusal !== undefined) return { type: 'error-text', value: refusal };

  onStart();
  const ran = await runTool(call, options);
  const output = limitOutput(ran.output, outputLimits);
  // What was given up is not finished: who takes the turn over may try it again.
  if (!ran.isGivenUp) await results?.keep(call, output);
  return output;
}

export interface RunToolOptions extends Pick<ToolCallOptions, 'messages' | 'isV3Host'> {
  readonly source: ToolSource;
  readonly signal: AbortSignal;
  /** How long the tool may take without a word of progress, in milliseconds. */
  readonly timeout: number | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
}

/** What became of a tool. */
export interface ToolRun {
  readonly output: ToolOutput;
  /** Whether it was given up before it was done, so that nobody knows what it would have given. */
  readonly isGivenUp: boolean;
}

/**
 * Runs a tool. Whatever goes wrong is an output that the model can read; only an abort rejects, at once and whether or
 * not the tool listens to its signal.
 */
export async function runTool(
  call: ToolInvocation,
  { source, signal, timeout, onProgress, messages, isV3Host }: RunToolOptions,
): Promise<ToolRun> {
  signal.throwIfAborted();
  const message = `The tool "${call.toolName}" exceeded its limit of ${timeout} ms.`;
  const limit = createTimeLimit(signal, { milliseconds: timeout, message });
  let isDone = false;
  try {
    const running = source.callTool(call, {
      signal: limit.signal,
      messages,
      isV3Host,
      onProgress(progress) {
        // A tool may report on after it was given up.
        if (isDone || limit.signal.aborted) return;
        limit.restart();
        onProgress(progress);
      },
    });
    return {
      output: toValidOutput(await untilAborted(running, limit.signal), call.toolName),
      isGivenUp: false,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const value = error instanceof Error ? error.message : String(error);
    return { output: { type: 'error-text', value: limit.isOver ? message : value }, isGivenUp: limit.isOver };
  } finally {
    isDone = true;
    limit.release();
  }
}

/** The output, if it has a form that every model takes: tools of other majors of the AI SDK give other forms. */
function toValidOutput(output: ToolOutput | undefined, toolName: string): ToolOutput {
  const { type, value }: { type?: unknown; value?: unknown } = Object(output);
  const isText = type === 'text' || type === 'error-text';
  const isJson = type === 'json' || type === 'error-json';
  const isContent = type === 'content' && Array.isArray(value) && value.every(isKnownPart);
  const isValid = isText ? typeof value === 'string' : isJson ? value !== undefined : isContent;
  if (isValid && output !== undefined) return output;
  return {
    type: 'error-text',
    value: `The tool "${toolName}" gave an output of a form that is not known: ${String(type)}.`,
  };
}

function isKnownPart(part: unknown): boolean {
  const { type, text, data, mediaType }: Record<string, unknown> = Object(part);
  if (type === 'text') return typeof text === 'string';
  return type === 'media' && typeof data === 'string' && typeof mediaType === 'string';
}
