import { charactersPerToken } from './estimate-tokens.js';

/** Says how much of a prompt an earlier one has brought already. */
export interface PromptCache {
  /** Counts the cached tokens of a prompt and remembers the prompt. */
  countCachedTokens(prompt: string, options: { model: string }): number;
}

// OpenAI caches from 1024 tokens on, in steps of 128, https://platform.openai.com/docs/guides/prompt-caching.
const minTokens = 1024;
const stepTokens = 128;

export function createPromptCache(): PromptCache {
  const lastPrompts = new Map<string, string>();
  return {
    countCachedTokens(prompt, { model }) {
      const shared = countShared(lastPrompts.get(model) ?? '', prompt) / charactersPerToken;
      lastPrompts.set(model, prompt);
      return shared < minTokens ? 0 : Math.floor(shared / stepTokens) * stepTokens;
    },
  };
}

function countShared(before: string, now: string): number {
  let count = 0;
  while (count < now.length && before[count] === now[count]) count++;
  return count;
}
