import type {
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { createTextReader, type TextReaderOptions } from './response-reader.js';

export interface Answer {
  readonly content: LanguageModelV2Content[];
  readonly finishReason: LanguageModelV2FinishReason;
}

/** Reads a whole answer with the reader of streams, so that both say the same. */
export function readContent(answer: Answer, options: TextReaderOptions): Answer {
  const content: LanguageModelV2Content[] = [];
  let { finishReason } = answer;
  const reader = createTextReader(options);
  for (const [index, part] of answer.content.entries()) {
    for (const one of toStreamParts(part, String(index))) reader.part(one, add);
  }
  const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  reader.part({ type: 'finish', finishReason, usage }, add);
  return { content, finishReason };

  function add(part: LanguageModelV2StreamPart): void {
    const last = content.at(-1);
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        content.push({ type, text: '', ...metadataOf(part) });
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta;
        break;
      case 'text-end':
      case 'reasoning-end':
        Object.assign(last ?? {}, metadataOf(part));
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        break;
      case 'finish':
        finishReason = part.finishReason;
        break;
      default:
        // Content is told in streams by parts of its own form.
        content.push(part as LanguageModelV2Content);
    }
  }
}

function toStreamParts(part: LanguageModelV2Content, id: string): LanguageModelV2StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const { type, text } = part;
  return [
    { type: `${type}-start`, id, ...metadataOf(part) },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id },
  ];
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerMetadata };
