import type { CompactMessage, CompactOptions } from '../responses/compact.js';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import type { ToolStubsOptions } from '../tools/tool-stubs.js';
import type { EmbeddingModelOptions } from '../embeddings/model.js';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesProvider,
  origins,
  toSerializable,
} from './provider.js';
import type { ModelCall } from './recreate-model.js';

let instance: KelivoResponsesProvider | undefined;
const provider = (): KelivoResponsesProvider => {
  instance ??= createKelivoResponsesProvider();
  return instance;
};

const callOf = (method: ModelCall['method']): ModelCall => ({
  method,
  server: origins.get(provider())?.server,
});
const languageModel = (modelId: string): LanguageModelV2 =>
  toSerializable(provider().languageModel(modelId), callOf('languageModel'));

/**
 * The default provider. It is created on first use from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, and has no tools.
 */
export const kelivoResponses: KelivoResponsesProvider = Object.assign(
  (modelId: string) => languageModel(modelId),
  {
    languageModel,
    responses: (modelId: string) => toSerializable(provider().responses(modelId), callOf('responses')),
    textEmbeddingModel: (modelId: string, options?: EmbeddingModelOptions) =>
      provider().textEmbeddingModel(modelId, options),
    imageModel: (modelId: string) => provider().imageModel(modelId),
    toolStubs: (options?: ToolStubsOptions) => provider().toolStubs(options),
    compact: <Message extends CompactMessage>(modelId: string, options: CompactOptions<Message>) =>
      provider().compact(modelId, options),
    close: async () => instance?.close(),
  },
);
