import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { wrapModel } from './middleware.js';

/** Several middlewares as one, the first one outermost. */
export const joinMiddlewares = (
  ...middlewares: readonly LanguageModelV2Middleware[]
): LanguageModelV2Middleware => ({
  middlewareVersion: 'v2',
  wrapGenerate: async ({ model, params }) => wrapModel(model, middlewares).doGenerate(params),
  wrapStream: async ({ model, params }) => wrapModel(model, middlewares).doStream(params),
});
