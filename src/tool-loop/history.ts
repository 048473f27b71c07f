import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2Message,
  LanguageModelV2ToolCall,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolChoice,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { type CallOutcome, parseInput } from './calls.js';
import type { toResultValue } from '../tool-calls/mcp-output.js';

type AssistantMessage = Extract<LanguageModelV2Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/** The options of the next round: the conversation goes on with the model's answer and the outcomes of its calls. */
export function withOutcomes(
  options: LanguageModelV2CallOptions,
  { content, outcomes }: { content: readonly LanguageModelV2Content[]; outcomes: readonly CallOutcome[] },
): LanguageModelV2CallOptions {
  return {
    ...options,
    prompt: [
      ...options.prompt,
      { role: 'assistant', content: content.flatMap(toAssistantPart) },
      {
        role: 'tool',
        content: outcomes.map(({ call: { toolCallId, toolName }, output }) => ({
          type: 'tool-result',
          toolCallId,
          toolName,
          output,
        })),
      },
    ],
    ...(options.toolChoice !== undefined && { toolChoice: toFollowUpChoice(options.toolChoice) }),
  };
}

/** A choice that forces a call would force one in every round, for ever (BerriAI/litellm#25420). */
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
      const { toolCallId, toolName, result, isError } = part;
      const output =
        typeof result === 'string'
          ? { type: isError ? ('error-text' as const) : ('text' as const), value: result }
          : {
              type: isError ? ('error-json' as const) : ('json' as const),
              value: result as ReturnType<typeof toResultValue>,
            };
      return [{ type: 'tool-result', toolCallId, toolName, output, ...toOptions(part) }];
    }
    case 'source':
      return [];
  }
}

const toOptions = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata };

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
