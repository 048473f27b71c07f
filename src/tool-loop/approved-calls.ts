import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { withApprovalMark } from '../parts/call-marks.js';
import type { PartSink } from '../parts/part-stream.js';
import type { ToolOutput } from '../tools/tool-source.js';
import { type PendingCall, toMissingToolText } from './host-approvals.js';
import { createRoundCalls } from './round-calls.js';
import type { Turn } from './turn.js';

/**
 * Runs the approved calls of the prompt and requests the missing approvals again. Writes each call with its result.
 *
 * @returns the options of the first round, with the output of every call; undefined if approvals are missing, so that the
 *   turn ends.
 */
export async function runApprovedCalls(
  turn: Turn,
  sink: PartSink,
): Promise<LanguageModelV2CallOptions | undefined> {
  const { hostApprovals, pendingCalls, request, tools } = turn;
  const isAnswered = ({ approved }: PendingCall): boolean => approved !== undefined;
  const approvedCalls = new Map(pendingCalls.filter(isAnswered).map(call => [call.part.toolCallId, call]));

  const calls = createRoundCalls(turn, { round: 0, options: request, sink, approvedCalls });
  for (const { part, approved } of approvedCalls.values()) {
    const { toolCallId, toolName, providerOptions } = part;
    if (approved === undefined) continue;
    const providerMetadata = withApprovalMark(providerOptions, { ...approved, answered: true });
    const call = { toolCallId, toolName, input: JSON.stringify(part.input), providerMetadata };
    const tool = tools.get(toolName);
    if (tool === undefined) calls.refuse(call, toMissingToolText(toolName));
    else calls.add(call, tool);
  }
  const outcomes = await calls.waitForAll();
  if (approvedCalls.size < pendingCalls.length) {
    for (const call of pendingCalls)
      if (!isAnswered(call)) await hostApprovals.askAgain(call, { write: sink.write });
    return undefined;
  }

  const outputs = new Map<ToolOutput, ToolOutput>();
  for (const { call, output } of outcomes) {
    const placeholder = approvedCalls.get(call.toolCallId)?.placeholder;
    if (placeholder !== undefined) outputs.set(placeholder, output);
  }
  return { ...request, prompt: withOutputs(request.prompt, outputs) };
}

/** Replaces the placeholders in a prompt. */
const withOutputs = (
  prompt: LanguageModelV2Prompt,
  outputs: ReadonlyMap<ToolOutput, ToolOutput>,
): LanguageModelV2Prompt =>
  prompt.map(message =>
    message.role === 'tool'
      ? {
          ...message,
          content: message.content.map(part => ({
            ...part,
            output: outputs.get(part.output) ?? part.output,
          })),
        }
      : message,
  );
