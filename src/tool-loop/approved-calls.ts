import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { withApprovalMark } from '../parts/call-marks.js';
import type { PartSink } from '../parts/part-stream.js';
import type { ToolOutput } from '../tools/tool-source.js';
import { toMissingToolText } from './host-approvals.js';
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
  const { hostApprovals, request, tools } = turn;
  const pendingCalls = new Map(turn.pendingCalls.map(call => [call.part.toolCallId, call]));

  const calls = createRoundCalls(turn, { round: 0, options: request, sink, pendingCalls });
  for (const { part, mark } of pendingCalls.values()) {
    const { toolCallId, toolName, providerOptions } = part;
    const providerMetadata = withApprovalMark(providerOptions, { ...mark, answered: true });
    const call = { toolCallId, toolName, input: JSON.stringify(part.input), providerMetadata };
    const tool = tools.get(toolName);
    if (tool === undefined) calls.refuse(call, toMissingToolText(toolName));
    else calls.add(call, tool);
  }
  const outcomes = await calls.waitForAll();
  if (outcomes.some(({ call }) => hostApprovals.isAsked(call.toolCallId))) return undefined;

  const outputs = new Map<ToolOutput, ToolOutput>();
  for (const { call, output } of outcomes) {
    const placeholder = pendingCalls.get(call.toolCallId)?.placeholder;
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
