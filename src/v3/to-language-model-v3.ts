import type { LanguageModelV2 } from '@ai-sdk/provider';
import { withV3Host } from '../parts/v3-host.js';
import type { LanguageModelV3, LanguageModelV3CallOptions } from './language-model-v3.js';
import { toV2Options } from './to-v2-options.js';
import {
  createPartConverter,
  toV3Content,
  toV3FinishReason,
  toV3Usage,
  toV3Warning,
} from './to-v3-content.js';

/**
 * Any model of version 2 as one of version 3, which `ai` 6 and 7 take as their own: without the warning of their
 * compatibility mode, and whole in `wrapLanguageModel` of 6, which mislabels a model of version 2. Tools that a
 * tool loop runs show in full, also those that the host did not declare.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV3(withToolLoop(mistral('mistral-large-latest'), { tools }));
 * ```
 */
export function toLanguageModelV3(model: LanguageModelV2): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doGenerate(callOptions) {
      const { options, warnings } = toV2Options(callOptions);
      const isDeclared = toIsDeclared(callOptions);
      const result = await model.doGenerate(withV3Host(options));
      return {
        ...result,
        content: result.content.flatMap(part => toV3Content(part, isDeclared)),
        finishReason: toV3FinishReason(result.finishReason, result.providerMetadata),
        usage: toV3Usage(result.usage),
        warnings: [...warnings, ...result.warnings.map(toV3Warning)],
      };
    },

    async doStream(callOptions) {
      const { options, warnings } = toV2Options(callOptions);
      const convert = createPartConverter(toIsDeclared(callOptions));
      const result = await model.doStream(withV3Host(options));
      const stream = result.stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            for (const converted of convert(part)) {
              controller.enqueue(
                converted.type === 'stream-start'
                  ? { ...converted, warnings: [...warnings, ...converted.warnings] }
                  : converted,
              );
            }
          },
        }),
      );
      return { ...result, stream };
    },
  };
}

function toIsDeclared({ tools = [] }: LanguageModelV3CallOptions): (toolName: string) => boolean {
  const names = new Set(tools.map(({ name }) => name));
  return toolName => names.has(toolName);
}
