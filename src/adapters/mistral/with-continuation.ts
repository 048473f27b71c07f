import type { LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * With a word of the user after a last message of the assistant, unless that is sent for the model to go on with.
 * Refused with `Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant`.
 */
export function withContinuation(
  prompt: LanguageModelV2Prompt,
  { text, provider }: { text: string; provider: string },
): LanguageModelV2Prompt {
  const last = prompt.at(-1);
  if (last?.role !== 'assistant') return prompt;
  // `@ai-sdk/mistral` (`mistral.chat`) sends every last message of the assistant with `prefix: true`.
  const isPrefix =
    provider.startsWith('mistral.') || last.providerOptions?.['openaiCompatible']?.['prefix'] === true;
  return isPrefix ? prompt : [...prompt, { role: 'user', content: [{ type: 'text', text }] }];
}
