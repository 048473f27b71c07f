import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';

/**
 * System messages that follow the assistant or a tool, moved behind those at the start. Refused with
 * `Unexpected role 'system' after role 'assistant'`; after the user they may stay.
 */
export function withSystemFirst(prompt: LanguageModelV2Prompt): LanguageModelV2Prompt {
  const moved: LanguageModelV2Message[] = [];
  const kept: LanguageModelV2Message[] = [];
  let before: LanguageModelV2Message['role'] = 'system';
  for (const message of prompt) {
    if (message.role === 'system' && (before === 'assistant' || before === 'tool')) {
      moved.push(message);
      continue;
    }
    kept.push(message);
    before = message.role;
  }
  const start = kept.findIndex(({ role }) => role !== 'system');
  return moved.length === 0 ? prompt : kept.toSpliced(start, 0, ...moved);
}
