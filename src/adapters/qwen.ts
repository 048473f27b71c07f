import type { LanguageModelV2CallOptions, LanguageModelV2Middleware } from '@ai-sdk/provider';
import { hermesFormat } from '../text-tools/formats/hermes.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';
import type { QwenOptions } from './qwen/qwen-options.js';
import { fencedContent } from './qwen/fenced-content.js';
import { validateQwenOptions } from './qwen/validate-qwen-options.js';
import { withoutCallExamples } from './qwen/without-call-examples.js';

/**
 * Makes models of the Qwen family usable with tools where the server does not read their calls: finds calls and thoughts
 * in their text, and keeps from them what leads them to write calls as text.
 *
 * @throws KelivoError with code `invalid-settings` for an option that is unknown or wrong.
 */
export function qwenMiddleware(options: QwenOptions = {}): LanguageModelV2Middleware {
  const { textCalls = true, fenceContent = true, ...others } = validateQwenOptions(options);
  const { startsInReasoning = alwaysThinks, cleanSystem = true, toolsAfterResult = true } = others;
  const qwenXml = fenceContent ? { ...qwenXmlFormat, undeclared: fencedContent } : qwenXmlFormat;
  return {
    middlewareVersion: 'v2',
    transformParams: async ({ params }) => ({
      ...(toolsAfterResult ? params : withoutToolsAfterResult(params)),
      ...(cleanSystem && { prompt: withoutCallExamples(params.prompt) }),
    }),
    ...(textCalls &&
      textToolsMiddleware({
        formats: [hermesFormat, qwenXml],
        reasoning: [thinkTags],
        startsInReasoning,
      })),
  };
}

/** QwQ, and the Thinking models of Qwen 3, whose templates end in `<think>`. */
const alwaysThinks = (modelId: string): boolean => /qwq|thinking/i.test(modelId);

function withoutToolsAfterResult(params: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  if (params.prompt.at(-1)?.role !== 'tool') return params;
  const { tools, toolChoice, ...rest } = params;
  return rest;
}

/** Qwen writes calls as JSON or XML in `<tool_call>`, and thoughts in `<think>`, where the server does not read them. */
export const qwen = defineModelAdapter({
  name: 'qwen',
  appliesTo: matchModelName('qwen', 'qwq'),
  middleware: qwenMiddleware(),
});
