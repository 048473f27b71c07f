import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import type { CallMemory } from './call-memory.js';
import type { Outcome } from './owned-call.js';
import { toCallPart } from './to-call-part.js';

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

/**
 * The history with the calls that the host was not shown, each set before the host's own call that ended their turn.
 * Otherwise the model, asked again with the host's result, would not know that they have been made.
 */
export async function withHiddenCalls(
  prompt: LanguageModelV2Prompt,
  memory: Pick<CallMemory, 'reveal' | 'hidesNothing'>,
): Promise<LanguageModelV2Prompt> {
  if (memory.hidesNothing) return prompt;
  const known = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-call' || part.type === 'tool-result') known.add(part.toolCallId);
    }
  }

  const history: LanguageModelV2Prompt = [];
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant') {
      history.push(message);
      continue;
    }
    const content: AssistantPart[] = [];
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        const place = { before: prompt.slice(0, index), hostCallId: part.toolCallId };
        for (const outcome of await memory.reveal(place)) content.push(...toParts(outcome));
      }
      content.push(part);
    }
    history.push(content.length === message.content.length ? message : { ...message, content });
  }
  return history;

  function toParts({ call, output }: Outcome): AssistantPart[] {
    const { toolCallId, toolName } = call;
    // It is in the history, or was told with another call of the host.
    if (known.has(toolCallId)) return [];
    known.add(toolCallId);
    return [
      toCallPart({ ...call, providerExecuted: true }),
      { type: 'tool-result', toolCallId, toolName, output },
    ];
  }
}
