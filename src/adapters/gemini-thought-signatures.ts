import type { LanguageModelV2Middleware, LanguageModelV2ToolCall } from '@ai-sdk/provider';
import { transformParts } from '../parts/transform.js';
import { createWireSignatures, type WireSignatures } from './gemini/wire-signatures.js';
import { withWireSignatures } from './gemini/with-wire-signatures.js';

/**
 * Carries thought signatures of tool calls through OpenAI-compatible endpoints. Gemini wants each back with its call:
 * `Function call is missing a thought_signature in functionCall parts.` `@ai-sdk/openai-compatible` 1 passes over
 * `extra_content.google.thought_signature` of a call; here it becomes the metadata that `@ai-sdk/google` gives a call,
 * and that metadata becomes the field again. So a history can go on at either endpoint.
 */
export const thoughtSignaturesMiddleware: LanguageModelV2Middleware = {
  middlewareVersion: 'v2',
  transformParams: async ({ params, model }) => ({
    ...params,
    prompt: withWireSignatures(params.prompt, model),
  }),

  async wrapGenerate({ params, model }) {
    const result = await model.doGenerate(params);
    const signatures = createWireSignatures();
    signatures.read(result.response?.body);
    const content = result.content.map(part => (part.type === 'tool-call' ? sign(part, signatures) : part));
    return { ...result, content };
  },

  async wrapStream({ params, model }) {
    const result = await model.doStream({ ...params, includeRawChunks: true });
    const signatures = createWireSignatures();
    const stream = transformParts(result.stream, {
      part(part, emit) {
        if (part.type === 'raw') {
          signatures.read(part.rawValue);
          if (params.includeRawChunks !== true) return;
        }
        emit(part.type === 'tool-call' ? sign(part, signatures) : part);
      },
    });
    return { ...result, stream };
  },
};

function sign(call: LanguageModelV2ToolCall, signatures: WireSignatures): LanguageModelV2ToolCall {
  const thoughtSignature = signatures.take(call);
  const { google, ...others } = call.providerMetadata ?? {};
  if (thoughtSignature === undefined || google?.['thoughtSignature'] !== undefined) return call;
  return { ...call, providerMetadata: { ...others, google: { ...google, thoughtSignature } } };
}
