import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * With what the assistant says beside its calls in a message of its own. Refused with
 * `Assistant message must have either content or tool_calls, but not both.`
 */
export const withTextApart = (prompt: LanguageModelV2Prompt): LanguageModelV2Prompt =>
  prompt.flatMap((message): LanguageModelV2Message[] => {
    if (message.role !== 'assistant') return [message];
    const calls = message.content.filter(({ type }) => type === 'tool-call');
    const rest = message.content.filter(({ type }) => type !== 'tool-call');
    if (calls.length === 0 || rest.length === 0) return [message];
    return [
      { role: 'assistant', content: rest },
      { ...message, content: calls },
    ];
  });
