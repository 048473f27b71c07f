import type {
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2ResponseMetadata,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';

/** What a stream of parts amounts to. */
export interface FoldedParts {
  readonly content: LanguageModelV2Content[];
  readonly finishReason: LanguageModelV2FinishReason;
  readonly usage: LanguageModelV2Usage;
  readonly providerMetadata?: SharedV2ProviderMetadata;
  readonly warnings: LanguageModelV2CallWarning[];
  readonly response?: LanguageModelV2ResponseMetadata;
}

/** Gathers the parts of a stream into the result of a call that is not streamed. */
export interface PartFolder {
  add(part: LanguageModelV2StreamPart): void;
  /** @throws the error of the first `error` part. */
  result(): FoldedParts;
}

export function createPartFolder(): PartFolder {
  const content: LanguageModelV2Content[] = [];
  const open = new Map<string, { text: string; providerMetadata?: SharedV2ProviderMetadata }>();
  let warnings: LanguageModelV2CallWarning[] = [];
  let response: LanguageModelV2ResponseMetadata | undefined;
  let finish: Extract<LanguageModelV2StreamPart, { type: 'finish' }> | undefined;
  let failure: { error: unknown } | undefined;

  return {
    add(part) {
      switch (part.type) {
        case 'stream-start':
          warnings = [...warnings, ...part.warnings];
          break;
        case 'response-metadata': {
          const { type, ...metadata } = part;
          response = { ...response, ...metadata };
          break;
        }
        case 'text-start':
        case 'reasoning-start': {
          const type = part.type === 'text-start' ? 'text' : 'reasoning';
          const block = { type, text: '', ...metadataOf(part) } as const;
          content.push(block);
          open.set(`${type} ${part.id}`, block);
          break;
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const block = open.get(`${part.type === 'text-delta' ? 'text' : 'reasoning'} ${part.id}`);
          if (block !== undefined) block.text += part.delta;
          break;
        }
        case 'text-end':
        case 'reasoning-end': {
          const key = `${part.type === 'text-end' ? 'text' : 'reasoning'} ${part.id}`;
          Object.assign(open.get(key) ?? {}, metadataOf(part));
          open.delete(key);
          break;
        }
        case 'tool-call':
        case 'tool-result':
        case 'source':
        case 'file':
          content.push(part);
          break;
        case 'finish':
          finish = part;
          break;
        case 'error':
          failure ??= { error: part.error };
          break;
        // Tool input is told again, whole, by its tool call; `raw` is for streams.
      }
    },

    result() {
      if (failure !== undefined) throw failure.error;
      return {
        content,
        finishReason: finish?.finishReason ?? 'unknown',
        usage: finish?.usage ?? { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
        ...metadataOf(finish ?? {}),
        warnings,
        ...(response !== undefined && { response }),
      };
    },
  };
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerMetadata };
