import type { LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';

/**
 * The part with a note of the response it is of, where a history or another note can hold it. A history then tells what a server
 * that keeps responses has of it: hosts keep the notes of parts, and not those of a finish.
 */
export function withResponseId(
  part: LanguageModelV2StreamPart,
  responseId: string,
): LanguageModelV2StreamPart {
  if (part.type === 'finish') return part;
  // Of these a history is made, whether or not they have notes of their own.
  if (part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-call')
    return { ...part, providerMetadata: withNote(part.providerMetadata) };
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part;
  return { ...part, providerMetadata: withNote(part.providerMetadata) };

  function withNote({ kelivo, ...others }: SharedV2ProviderMetadata = {}): SharedV2ProviderMetadata {
    return { ...others, kelivo: { ...kelivo, responseId } };
  }
}
