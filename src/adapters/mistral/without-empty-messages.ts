import type { LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * Without messages of the assistant that neither say nor call anything; thoughts alone are no answer. Refused with
 * `Assistant message must have either content or tool_calls, but not none.`
 */
export const withoutEmptyMessages = (prompt: LanguageModelV2Prompt): LanguageModelV2Prompt =>
  prompt.filter(
    message =>
      message.role !== 'assistant' ||
      message.content.some(part =>
        part.type === 'text' ? part.text.trim() !== '' : part.type !== 'reasoning',
      ),
  );
