import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2Message,
  LanguageModelV2ToolCall,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolChoice,
  LanguageModelV2ToolResultPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { asJson } from '../shared/json.js';
import { withoutDetails } from '../tool-calls/mcp-output.js';
import type { ToolOutput } from '../tools/tool-source.js';
import { type CallOutcome, parseInput } from './calls.js';

type AssistantMessage = Extract<LanguageModelV2Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/** Returns the options of the next round: the conversation plus the model's response and the outcomes of its calls. */
export function withOutcomes(
  options: LanguageModelV2CallOptions,
  { content, outcomes }: { content: readonly LanguageModelV2Content[]; outcomes: readonly CallOutcome[] },
): LanguageModelV2CallOptions {
  return {
    ...options,
    prompt: [
      ...options.prompt,
      { role: 'assistant', content: content.flatMap(toAssistantPart) },
      ...(outcomes.length > 0 ? [{ role: 'tool' as const, content: outcomes.map(toResultPart) }] : []),
    ],
    ...(options.toolChoice !== undefined && { toolChoice: toFollowUpChoice(options.toolChoice) }),
  };
}

const toResultPart = ({
  call: { toolCallId, toolName },
  output,
}: CallOutcome): LanguageModelV2ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: withoutDetails(output),
});

/** Returns options that forbid tool calls. */
export const withoutCalls = (options: LanguageModelV2CallOptions): LanguageModelV2CallOptions => ({
  ...options,
  toolChoice: { type: 'none' },
});

/** A tool choice that forces a call would force one in every round, endlessly (BerriAI/litellm#25420). */
const toFollowUpChoice = (choice: LanguageModelV2ToolChoice): LanguageModelV2ToolChoice =>
  choice.type === 'none' ? choice : { type: 'auto' };

function toAssistantPart(part: LanguageModelV2Content): AssistantPart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...toOptions(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...toOptions(part) }];
    case 'file':
      return [{ type: 'file', mediaType: part.mediaType, data: part.data }];
    case 'tool-call':
      return [toCallPart(part)];
    case 'tool-result': {
      const { toolCallId, toolName } = part;
      return [{ type: 'tool-result', toolCallId, toolName, output: toOutput(part), ...toOptions(part) }];
    }
    case 'source':
      return [];
  }
}

function toOutput({
  result,
  isError = false,
}: Extract<LanguageModelV2Content, { type: 'tool-result' }>): ToolOutput {
  if (typeof result === 'string') return { type: isError ? 'error-text' : 'text', value: result };
  return { type: isError ? 'error-json' : 'json', value: asJson(result) };
}

/**
 * Converts a call of the model to a prompt part. A call whose arguments cannot be read gets empty ones: the error in its
 * output explains why.
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
    ...toOptions({ providerMetadata }),
  };
}

const toOptions = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
