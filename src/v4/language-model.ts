import type { LanguageModelV2, LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { toSerializable } from '../provider/provider.js';
import { isWholeJson, objectOf } from '../shared/json.js';
import { toCustomPart } from '../v3/custom-parts.js';
import { convertStream, createPartConverter, prepareCall, toV3Result } from '../v3/language-model.js';
import type { LanguageModelV3Content, LanguageModelV3StreamPart } from '../v3/specification.js';
import { toCitations } from './citations.js';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from './specification.js';

// Version 4 is version 3 with `custom` parts, tagged files, citations and the text of a structured output.

/**
 * Converts any version 2 model to version 4, the native version of `ai@7`. All calls of a tool loop are included, also
 * calls of tools that the host did not declare.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV4(withToolLoop(mistral('mistral-large-latest'), { tools }));
 * ```
 */
export function toLanguageModelV4(model: LanguageModelV2): LanguageModelV4 {
  return toSerializable<LanguageModelV4>({
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doGenerate(callOptions) {
      const call = prepareCall(callOptions, 'v4');
      const result = await model.doGenerate(call.options);
      const converted = toV3Result(result, call);
      const content = converted.content.map(toV4Content);
      const structuredOutputText = toStructuredOutputText(content, callOptions);
      return {
        ...converted,
        content,
        finishReason: toV4FinishReason(converted.finishReason, result.finishReason),
        ...(structuredOutputText !== undefined && { structuredOutputText }),
      };
    },

    async doStream(callOptions) {
      const call = prepareCall(callOptions, 'v4');
      const result = await model.doStream(call.options);
      const toV3Parts = createPartConverter(call);
      const toV4Part = createV4PartConverter();
      const convert = (part: LanguageModelV2StreamPart): LanguageModelV4StreamPart[] =>
        toV3Parts(part).flatMap(v3Part => toV4Part(v3Part, part));
      return { ...result, stream: convertStream(result.stream, convert) };
    },
  });
}

/** Converts the parts of one stream. `source` is the part of version 2 that a part was converted from. */
function createV4PartConverter() {
  /** Ids of the reasoning blocks that carry content without a form in version 2. */
  const carriers = new Set<string>();
  return (
    part: LanguageModelV3StreamPart,
    source: LanguageModelV2StreamPart,
  ): LanguageModelV4StreamPart[] => {
    switch (part.type) {
      case 'reasoning-start': {
        const custom = toCustomPart(part.providerMetadata);
        if (custom === undefined) return [part];
        carriers.add(part.id);
        return [custom];
      }
      case 'reasoning-delta':
        return carriers.has(part.id) ? [] : [part];
      case 'reasoning-end':
        return carriers.delete(part.id) ? [] : [part];
      case 'text-end':
        return [{ ...part, ...citationsOf(part) }];
      case 'file':
        return [toV4File(part)];
      case 'finish': {
        const reason = source.type === 'finish' ? source.finishReason : undefined;
        return [{ ...part, finishReason: toV4FinishReason(part.finishReason, reason) }];
      }
      default:
        return [part];
    }
  };
}

function toV4Content(part: LanguageModelV3Content): LanguageModelV4Content {
  switch (part.type) {
    case 'text':
      return { ...part, ...citationsOf(part) };
    case 'reasoning':
      return (part.text === '' ? toCustomPart(part.providerMetadata) : undefined) ?? part;
    case 'file':
      return toV4File(part);
    default:
      return part;
  }
}

function citationsOf({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) {
  const citations = toCitations(providerMetadata?.openai?.annotations);
  return citations.length > 0 ? { citations } : {};
}

/** Tags the data of a file. The conversion of a later model to version 2 passes URLs and files of the reasoning. */
function toV4File({ data, ...part }: Extract<LanguageModelV3Content, { type: 'file' }>): LanguageModelV4File {
  const given: unknown = data;
  const providerMetadata = 'providerMetadata' in part ? objectOf(part.providerMetadata) : undefined;
  return {
    ...part,
    type: objectOf(providerMetadata?.kelivo)?.reasoningFile === true ? 'reasoning-file' : 'file',
    data: given instanceof URL ? { type: 'url', url: given } : { type: 'data', data },
  };
}

/** A response without a reason for its end is incomplete, for example after a lost connection. */
const toV4FinishReason = (
  { unified, raw }: LanguageModelV4FinishReason,
  v2Reason: string | undefined,
): LanguageModelV4FinishReason => ({ unified: v2Reason === 'unknown' ? 'interrupted' : unified, raw });

/**
 * Returns the text with the structured output if the response contains other texts: that of the last message in the phase
 * `final_answer`. Servers without phases write the object last. The host joins all texts if it is undefined.
 */
function toStructuredOutputText(
  content: readonly LanguageModelV4Content[],
  { responseFormat }: LanguageModelV4CallOptions,
): string | undefined {
  if (responseFormat?.type !== 'json') return undefined;
  const messages = toMessages(content);
  const final = messages.findLast(({ phase }) => phase === 'final_answer');
  if (final !== undefined) return final.text;
  const last = messages.length > 1 ? messages.at(-1) : undefined;
  return last !== undefined && isWholeJson(last.text) ? last.text : undefined;
}

/** Joins the texts of each message, which have the same item id. */
function toMessages(content: readonly LanguageModelV4Content[]): { text: string; phase: unknown }[] {
  const messages: { itemId: unknown; text: string; phase: unknown }[] = [];
  for (const part of content) {
    if (part.type !== 'text') continue;
    const { itemId, phase } = objectOf(part.providerMetadata?.openai) ?? {};
    const last = messages.at(-1);
    if (last !== undefined && itemId !== undefined && last.itemId === itemId) last.text += part.text;
    else messages.push({ itemId, text: part.text, phase });
  }
  return messages;
}
