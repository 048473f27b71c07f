import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { readPartOptions } from './part-options.js';
import type { ResponsesCallOptions } from './provider-options.js';

/**
 * What of a history the server does not have yet. Without `conversation` and `previousResponseId` that is all of it.
 *
 * - With `conversation` the server has everything up to the last message of the assistant; what follows is sent: the
 *   results of its tool calls and the messages after them.
 * - With `previousResponseId` it has everything up to the message that is this response. Answers of stored responses
 *   carry the id of theirs in `providerOptions.kelivo.responseId`. Where none carries the id, the last message of the
 *   assistant counts as that response, unless it says that it is another: the rounds of tools of a call that began
 *   with a `previousResponseId` come after it.
 *
 * System messages are among what the server has. Instructions that change from call to call belong into
 * `providerOptions.openai.instructions`, which the API does not keep.
 */
export function toNewMessages(
  prompt: LanguageModelV2Prompt,
  { conversation, previousResponseId }: Pick<ResponsesCallOptions, 'conversation' | 'previousResponseId'>,
): LanguageModelV2Prompt {
  if (previousResponseId !== undefined) {
    const known = prompt.findLastIndex(message => responseIdOf(message) === previousResponseId);
    const presumed = prompt.findLastIndex(
      message => message.role === 'assistant' && responseIdOf(message) === undefined,
    );
    return prompt.slice(1 + (known < 0 ? presumed : known));
  }
  if (conversation === undefined) return prompt;
  return prompt.slice(1 + prompt.findLastIndex(message => message.role === 'assistant'));
}

function responseIdOf(message: LanguageModelV2Message): string | undefined {
  if (message.role !== 'assistant') return undefined;
  return message.content
    .map(part => readPartOptions(part.providerOptions).responseId)
    .findLast(id => id !== undefined);
}
