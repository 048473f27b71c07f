import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

/**
 * The part with a note of the response it is of, where it carries notes at all. A history then tells what a server
 * that keeps responses has of it: hosts keep the notes of parts, and not those of a finish.
 */
export function withResponseId(
  part: LanguageModelV2StreamPart,
  responseId: string,
): LanguageModelV2StreamPart {
  if (part.type === 'finish' || !('providerMetadata' in part) || part.providerMetadata === undefined)
    return part;
  const { kelivo, ...others } = part.providerMetadata;
  return { ...part, providerMetadata: { ...others, kelivo: { ...kelivo, responseId } } };
}
