import type {
  LanguageModelV2,
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2ResponseMetadata,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { createTextBuffer, type TextBuffer } from './text-buffer.js';

/** The result of a stream of parts. */
export interface CollectedParts {
  readonly content: LanguageModelV2Content[];
  readonly finishReason: LanguageModelV2FinishReason;
  readonly usage: LanguageModelV2Usage;
  readonly providerMetadata?: SharedV2ProviderMetadata;
  readonly warnings: LanguageModelV2CallWarning[];
  readonly response?: LanguageModelV2ResponseMetadata;
}

/** Collects the parts of a stream into the result of a call that is not streamed. */
export interface PartCollector {
  add(part: LanguageModelV2StreamPart): void;
  /** Returns the result. @throws the error of the first `error` part. */
  result(): CollectedParts;
}

export function createPartCollector(): PartCollector {
  const content: LanguageModelV2Content[] = [];
  const open = { text: new Map<string, OpenBlock>(), reasoning: new Map<string, OpenBlock>() };
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
          begin('text', part);
          break;
        case 'reasoning-start':
          begin('reasoning', part);
          break;
        case 'text-delta':
          open.text.get(part.id)?.text.append(part.delta);
          break;
        case 'reasoning-delta':
          open.reasoning.get(part.id)?.text.append(part.delta);
          break;
        case 'text-end':
          end('text', part);
          break;
        case 'reasoning-end':
          end('reasoning', part);
          break;
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
        // Tool input is repeated by its tool call; `raw` parts exist in streams only.
      }
    },

    result() {
      if (failure !== undefined) throw failure.error;
      for (const { block, text } of [...open.text.values(), ...open.reasoning.values()])
        block.text = text.toString();
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

  function begin(type: Block['type'], part: BlockPart): void {
    const block: Block = { type, text: '', ...metadataOf(part) };
    content.push(block);
    open[type].set(part.id, { block, text: createTextBuffer() });
  }

  function end(type: Block['type'], part: BlockPart): void {
    const ended = open[type].get(part.id);
    if (ended !== undefined) Object.assign(ended.block, { text: ended.text.toString(), ...metadataOf(part) });
    open[type].delete(part.id);
  }
}

type Block = Extract<LanguageModelV2Content, { type: 'text' | 'reasoning' }>;
type BlockPart = Extract<LanguageModelV2StreamPart, { type: `${Block['type']}-${'start' | 'end'}` }>;

interface OpenBlock {
  readonly block: Block;
  readonly text: TextBuffer;
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerMetadata };

type GenerateResult = Awaited<ReturnType<LanguageModelV2['doGenerate']>>;

/** Converts a generated result to the parts of an equivalent stream. */
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
