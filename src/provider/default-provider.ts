import type { ToolStubsOptions } from '../tools/tool-stubs.js';
import type { EmbeddingModelOptions } from '../embeddings/model.js';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from './provider.js';

let instance: KelivoResponsesProvider | undefined;
const provider = (): KelivoResponsesProvider => {
  instance ??= createKelivoResponsesProvider();
  return instance;
};

/**
 * The default provider. It is created on first use from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, and has no tools.
 */
export const kelivoResponses: KelivoResponsesProvider = Object.assign(
  (modelId: string) => provider().languageModel(modelId),
  {
    languageModel: (modelId: string) => provider().languageModel(modelId),
    responses: (modelId: string) => provider().responses(modelId),
    textEmbeddingModel: (modelId: string, options?: EmbeddingModelOptions) =>
      provider().textEmbeddingModel(modelId, options),
    imageModel: (modelId: string) => provider().imageModel(modelId),
    toolStubs: (options?: ToolStubsOptions) => provider().toolStubs(options),
    close: async () => instance?.close(),
  },
);
