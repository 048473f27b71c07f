import type { ToolDefinition, ToolOutput } from '../tools/tool-source.js';
import { type Approvals, type Approve, askApproval } from './ask-approval.js';
import type { CallResults } from './call-results.js';
import { limitOutput, type OutputLimits } from './limit-output.js';
import type { OwnedCall } from './owned-call.js';
import { parseInput } from './parse-input.js';
import { type RunToolOptions, runTool } from './run-tool.js';

export interface ExecuteCallOptions extends RunToolOptions {
  readonly outputLimits: OutputLimits;
  readonly approve: Approve | undefined;
  readonly approvals: Approvals | undefined;
  /** What earlier attempts at this turn have left, where they are kept. */
  readonly results: CallResults | undefined;
  /** Told when the tool begins to run: what fails, is known or is refused before never runs. */
  readonly onStart: () => void;
}

/**
 * Sees one call through, from its arguments to its output. Whatever goes wrong with it is an output that the model can
 * read; only an abort rejects, at once.
 */
export async function executeCall(
  { toolCallId, toolName, input }: OwnedCall,
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

  const refusal = await askApproval({ ...call, tool }, { approve, approvals, ...options });
  if (refusal !== undefined) return { type: 'error-text', value: refusal };

  onStart();
  const ran = await runTool(call, options);
  const output = limitOutput(ran.output, outputLimits);
  // What was given up is not finished: who takes the turn over may try it again.
  if (!ran.isGivenUp) await results?.keep(call, output);
  return output;
}
