import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { withoutEmptyMessages } from './without-empty-messages.js';

/**
 * With what the assistant says beside its calls in a message of its own; its thoughts stay with the calls. Refused with
 * `Assistant message must have either content or tool_calls, but not both.`
 */
export const withTextApart = (prompt: LanguageModelV2Prompt): LanguageModelV2Prompt =>
  prompt.flatMap((message): LanguageModelV2Message[] => {
    if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'tool-call')) {
      return [message];
    }
    const isApart = ({ type }: { type: string }): boolean => type !== 'tool-call' && type !== 'reasoning';
    const said = message.content.filter(isApart);
    if (said.length === 0) return [message];
    return [
      ...withoutEmptyMessages([{ role: 'assistant', content: said }]),
      { ...message, content: message.content.filter(part => !isApart(part)) },
    ];
  });
