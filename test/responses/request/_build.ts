import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import {
  type BuildRequestContext,
  type BuiltRequest,
  buildRequest,
} from '../../../src/responses/request/build-request.js';

export const user = (text: string): LanguageModelV2Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

/** Builds a request with the package's defaults. */
export function build(
  options: Partial<LanguageModelV2CallOptions> = {},
  context: Partial<BuildRequestContext> = {},
): BuiltRequest {
  return buildRequest(
    { prompt: [user('hi')], ...options },
    {
      modelId: 'gpt-5',
      store: false,
      systemMessageMode: 'auto',
      missingReasoning: 'omit-ids',
      stream: false,
      ...context,
    },
  );
}

/** Returns the items of a prompt. */
export function inputOf(prompt: unknown[], context: Partial<BuildRequestContext> = {}): unknown[] {
  return build({ prompt: prompt as LanguageModelV2Prompt }, context).body.input;
}
