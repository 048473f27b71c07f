import type { LanguageModelV2ToolCall, LanguageModelV2ToolCallPart } from '@ai-sdk/provider';
import { parseInput } from './parse-input.js';

/**
 * A call of the model as a part of the prompt. What could not be read as arguments is replayed as none: the error in
 * its output tells the model.
 */
export function toCallPart({
  toolCallId,
  toolName,
  input,
  providerExecuted,
  providerMetadata,
}: Omit<LanguageModelV2ToolCall, 'type'>): LanguageModelV2ToolCallPart {
  const parsed = parseInput(input, { toolName });
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: parsed.success ? parsed.input : {},
    ...(providerExecuted === true && { providerExecuted }),
    ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
  };
}
