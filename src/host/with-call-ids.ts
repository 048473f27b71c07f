import type { LanguageModelV2, LanguageModelV2Content, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { transformParts } from '../parts/transform-parts.js';

/** Gives the tool calls of a model ids where its server gave none: hosts tell calls apart by them. */
export const withCallIds = (model: LanguageModelV2): LanguageModelV2 => ({
  specificationVersion: 'v2',
  provider: model.provider,
  modelId: model.modelId,
  get supportedUrls() {
    return model.supportedUrls;
  },
  async doGenerate(options) {
    const result = await model.doGenerate(options);
    return { ...result, content: result.content.map(withId) };
  },
  async doStream(options) {
    const result = await model.doStream(options);
    const name = createInputNames();
    return { ...result, stream: transformParts(result.stream, { part: (part, emit) => emit(name(part)) }) };
  },
});

const withId = (part: LanguageModelV2Content): LanguageModelV2Content =>
  part.type === 'tool-call' && !part.toolCallId ? { ...part, toolCallId: generateId() } : part;

/** The deltas of an input, its end and its call have the id of its beginning. */
function createInputNames(): (part: LanguageModelV2StreamPart) => LanguageModelV2StreamPart {
  let current: string | undefined;
  return part => {
    switch (part.type) {
      case 'tool-input-start':
        current = part.id ? undefined : generateId();
        return part.id ? part : { ...part, id: current ?? '' };
      case 'tool-input-delta':
      case 'tool-input-end':
        return part.id ? part : { ...part, id: current ?? '' };
      case 'tool-call': {
        if (part.toolCallId) return part;
        const toolCallId = current ?? generateId();
        current = undefined;
        return { ...part, toolCallId };
      }
      default:
        return part;
    }
  };
}
