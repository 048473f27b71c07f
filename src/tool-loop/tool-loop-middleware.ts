import type { LanguageModelV2, LanguageModelV2Middleware } from '@ai-sdk/provider';
import type { ToolLoopOptions } from './options.js';
import { validateToolLoopOptions } from './validate-options.js';
import { withToolLoop } from './with-tool-loop.js';

/**
 * The tool loop as a middleware for `wrapLanguageModel` of `ai@5`.
 *
 * Under `ai@6` use `withToolLoop` instead: its `wrapLanguageModel` mislabels a `LanguageModelV2`, loses finish reason
 * and usage, and runs no tool of the host.
 *
 * @throws KelivoError with code `invalid-settings` for a wrong option.
 */
export function toolLoopMiddleware(options: ToolLoopOptions): LanguageModelV2Middleware {
  const settings = validateToolLoopOptions(options);
  const looped = new WeakMap<LanguageModelV2, LanguageModelV2>();
  const withLoop = (model: LanguageModelV2): LanguageModelV2 => {
    const known = looped.get(model) ?? withToolLoop(model, settings);
    looped.set(model, known);
    return known;
  };
  return {
    middlewareVersion: 'v2',
    wrapStream: async ({ model, params }) => withLoop(model).doStream(params),
    wrapGenerate: async ({ model, params }) => withLoop(model).doGenerate(params),
  };
}
