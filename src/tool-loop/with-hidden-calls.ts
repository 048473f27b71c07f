import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import type { CallMemory } from './call-memory.js';
import type { Outcome } from './owned-call.js';
import { parseInput } from './parse-input.js';

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

/**
 * The history with the calls that the host was not shown, each set before the host's own call that ended their turn.
 * Otherwise the model, asked again with the host's result, would not know that they have been made.
 */
export function withHiddenCalls(
  prompt: LanguageModelV2Prompt,
  { reveal }: Pick<CallMemory, 'reveal'>,
): LanguageModelV2Prompt {
  const known = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-call' || part.type === 'tool-result') known.add(part.toolCallId);
    }
  }
  return prompt.map(message => {
    if (message.role !== 'assistant') return message;
    const content = message.content.flatMap(part => {
      const hidden = part.type === 'tool-call' ? reveal(part.toolCallId) : [];
      return [...hidden.filter(({ call }) => !known.has(call.toolCallId)).flatMap(toParts), part];
    });
    return content.length === message.content.length ? message : { ...message, content };
  });

  function toParts({ call, output }: Outcome): AssistantPart[] {
    const { toolCallId, toolName } = call;
    // A call that the host's next parallel call would bring again.
    known.add(toolCallId);
    const parsed = parseInput(call.input, toolName);
    const input = parsed.success ? parsed.input : {};
    const { providerMetadata } = call;
    return [
      {
        type: 'tool-call',
        toolCallId,
        toolName,
        input,
        providerExecuted: true,
        ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
      },
      { type: 'tool-result', toolCallId, toolName, output },
    ];
  }
}
