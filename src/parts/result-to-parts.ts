import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';

type GenerateResult = Awaited<ReturnType<LanguageModelV2['doGenerate']>>;

/** The stream that a result which was not streamed would have been. */
export function* resultToParts(result: GenerateResult): Generator<LanguageModelV2StreamPart> {
  yield { type: 'stream-start', warnings: result.warnings };
  const { id, modelId, timestamp } = result.response ?? {};
  if (id !== undefined || modelId !== undefined || timestamp !== undefined) {
    yield { type: 'response-metadata', id, modelId, timestamp };
  }
  for (const [index, part] of result.content.entries()) {
    switch (part.type) {
      case 'text':
      case 'reasoning': {
        const id = `${part.type}-${index}`;
        const { providerMetadata } = part;
        yield { type: `${part.type}-start`, id, providerMetadata };
        yield { type: `${part.type}-delta`, id, delta: part.text };
        yield { type: `${part.type}-end`, id, providerMetadata };
        break;
      }
      default:
        yield part;
    }
  }
  const { finishReason, usage, providerMetadata } = result;
  yield { type: 'finish', finishReason, usage, providerMetadata };
}
