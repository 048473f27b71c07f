import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * Messages of one side that follow each other as one. Templates refuse them with
 * `After the optional system message, conversation roles must alternate user and assistant roles...`
 */
export function withMergedNeighbours(prompt: LanguageModelV2Prompt): LanguageModelV2Prompt {
  const merged: LanguageModelV2Message[] = [];
  for (const message of prompt) {
    const joined = join(merged.at(-1), message);
    if (joined === undefined) merged.push(message);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

/** What follows a call is its result, whatever the history says. */
function join(
  first: LanguageModelV2Message | undefined,
  second: LanguageModelV2Message,
): LanguageModelV2Message | undefined {
  if (first?.role === 'user' && second.role === 'user') {
    return { ...first, ...second, content: [...first.content, ...second.content] };
  }
  if (first?.role === 'assistant' && second.role === 'assistant') {
    if (first.content.some(({ type }) => type === 'tool-call')) return undefined;
    return { ...first, ...second, content: [...first.content, ...second.content] };
  }
  return undefined;
}
