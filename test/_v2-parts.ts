import type {
  LanguageModelV2,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';

type GenerateResult = Awaited<ReturnType<LanguageModelV2['doGenerate']>>;
type Block = Extract<LanguageModelV2Content, { type: 'text' | 'reasoning' }>;

/** Collects the parts of a stream into the result of a call that is not streamed, without the code of the package. */
export function collectParts(parts: readonly LanguageModelV2StreamPart[]): GenerateResult {
  const content: LanguageModelV2Content[] = [];
  const open = new Map<string, Block>();
  let result: GenerateResult = {
    content,
    finishReason: 'unknown',
    usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    warnings: [],
  };
  for (const part of parts) {
    switch (part.type) {
      case 'stream-start':
        result = { ...result, warnings: [...result.warnings, ...part.warnings] };
        break;
      case 'response-metadata': {
        const { type: _, ...metadata } = part;
        result = { ...result, response: { ...result.response, ...metadata } };
        break;
      }
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const block: Block = { type, text: '', ...metadataOf(part) };
        content.push(block);
        open.set(`${type} ${part.id}`, block);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(part.type.replace('-delta', ` ${part.id}`));
        if (block !== undefined) block.text += part.delta;
        break;
      }
      case 'text-end':
      case 'reasoning-end':
        Object.assign(open.get(part.type.replace('-end', ` ${part.id}`)) ?? {}, metadataOf(part));
        break;
      case 'finish': {
        const { finishReason, usage } = part;
        result = { ...result, finishReason, usage, ...metadataOf(part) };
        break;
      }
      case 'error':
        throw part.error;
      case 'tool-call':
      case 'tool-result':
      case 'source':
      case 'file':
        content.push(part);
        break;
    }
  }
  return result;
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata | undefined }) =>
  providerMetadata === undefined ? {} : { providerMetadata };
