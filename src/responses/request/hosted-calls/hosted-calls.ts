import type {
  LanguageModelV2Prompt,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import type { InputItem } from '../../wire.js';
import type { HostedCallContext, HostedCallForm } from './hosted-call-form.js';

/** The calls and outputs of one prompt that are items of a hosted tool rather than of a function. */
export interface HostedCalls {
  /** The item of a call; `undefined` when it goes out as one of a function. */
  toCall(part: LanguageModelV2ToolCallPart, context: HostedCallContext): InputItem | undefined;
  /** The item of an output, in the form of its call; `undefined` for that of a function. */
  toOutput(part: LanguageModelV2ToolResultPart): InputItem | undefined;
}

/**
 * Finds the form of every call together with its output: the API refuses a call of one kind that is answered in
 * another. Where one of the two has no form, both are those of a function. The prompt's calls are paired already.
 */
export function createHostedCalls(
  prompt: LanguageModelV2Prompt,
  { forms, warn }: { forms: ReadonlyMap<string, HostedCallForm>; warn: (message: string) => void },
): HostedCalls {
  const results = new Map<string, LanguageModelV2ToolResultPart>();
  for (const { role, content } of prompt) {
    if (role === 'tool') for (const part of content) results.set(part.toolCallId, part);
  }
  const lastAnswer = prompt.findLast(message => message.role === 'assistant')?.content ?? [];
  const isOfLastAnswer = (part: LanguageModelV2ToolCallPart): boolean =>
    typeof lastAnswer !== 'string' && lastAnswer.some(other => other === part);

  /** The outputs of the calls that were seen, by call id. */
  const outputs = new Map<string, InputItem | undefined>();

  return {
    toCall(part, context) {
      const form = forms.get(part.toolName);
      const result = results.get(part.toolCallId);
      outputs.set(part.toolCallId, undefined);
      if (form === undefined || result === undefined) return undefined;
      if (form.isForNextAnswer === true && !isOfLastAnswer(part)) return undefined;
      const output = form.toOutput(result, { warn });
      const call = output && form.toCall(part, context);
      if (call !== undefined) outputs.set(part.toolCallId, output);
      return call;
    },

    toOutput(part) {
      if (outputs.has(part.toolCallId)) return outputs.get(part.toolCallId);
      // The server has the call: the tool's name alone says what it was.
      return forms.get(part.toolName)?.toOutput(part, { warn });
    },
  };
}
