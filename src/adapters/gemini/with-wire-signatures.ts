import type {
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2ToolCallPart,
} from '@ai-sdk/provider';

/** What Gemini 3 takes in place of a signature it has not given, as `@ai-sdk/google` sends it. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Gemini 3 and later; older ones do not ask for signatures. */
const wantsSignatures = /gemini-(?:[3-9]|\d{2,})(?!\d)/i;

/**
 * A prompt whose calls carry their signatures in the options that `@ai-sdk/openai-compatible` spreads over a call on
 * the wire. Of calls made at once, Gemini signs the first; a message of another model's has none.
 */
export const withWireSignatures = (
  prompt: LanguageModelV2Prompt,
  { modelId }: { modelId: string },
): LanguageModelV2Prompt =>
  prompt.map((message): LanguageModelV2Message => {
    if (message.role !== 'assistant') return message;
    const calls = message.content.filter(part => part.type === 'tool-call');
    const isSigned = calls.some(call => signatureOf(call) !== undefined);
    const unsigned = isSigned || !wantsSignatures.test(modelId) ? undefined : calls[0];
    return {
      ...message,
      content: message.content.map(part =>
        part.type === 'tool-call'
          ? withField(part, signatureOf(part) ?? (part === unsigned ? NO_SIGNATURE : undefined))
          : part,
      ),
    };
  });

function signatureOf({ providerOptions }: LanguageModelV2ToolCallPart): string | undefined {
  const signature = providerOptions?.['google']?.['thoughtSignature'];
  return typeof signature === 'string' ? signature : undefined;
}

function withField(
  call: LanguageModelV2ToolCallPart,
  signature: string | undefined,
): LanguageModelV2ToolCallPart {
  const { openaiCompatible, ...others } = call.providerOptions ?? {};
  if (signature === undefined || openaiCompatible?.['extra_content'] !== undefined) return call;
  const extra_content = { google: { thought_signature: signature } };
  return {
    ...call,
    providerOptions: { ...others, openaiCompatible: { ...openaiCompatible, extra_content } },
  };
}
