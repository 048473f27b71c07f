import type { LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * With a word of the assistant between the results of tools and a message of the user. Refused with
 * `Unexpected role 'user' after role 'tool'`: mistral-common allows it since 1.11.1, but servers go on to refuse it.
 */
export const withBridges = (prompt: LanguageModelV2Prompt, text: string): LanguageModelV2Prompt =>
  prompt.flatMap((message, index) =>
    message.role === 'user' && prompt[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: [{ type: 'text', text }] }, message]
      : [message],
  );
