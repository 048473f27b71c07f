import { type ImageModelV2, type LanguageModelV2, NoSuchModelError, type ProviderV2 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { createComposition } from './composition.js';
import { createCredentials } from './credentials.js';
import { createLazyLanguageModel } from './lazy-language-model.js';
import {
  createEmbeddingModel,
  type EmbeddingModelOptions,
  type KelivoEmbeddingModel,
} from '../embeddings/create-embedding-model.js';
import { createEndpoints } from './endpoints.js';
import { resolveModelOverride } from './model-overrides.js';
import { withRequestLog } from '../http/request-log.js';
import { createLearnedCompatibility } from '../responses/compatibility/send-with-fallbacks.js';
import type { ResponsesModelConfig } from '../responses/model.js';
import { supportedUrls } from '../responses/supported-urls.js';
import { type KelivoResponsesSettings, validateSettings } from './settings.js';
import { type ToolStub, toToolStubs } from '../tools/tool-stubs.js';

/** A provider of models that speak the Responses API and run their own tools. */
export interface KelivoResponsesProvider extends ProviderV2 {
  /** The same as `languageModel`. */
  (modelId: string): LanguageModelV2;
  /**
   * A model that runs the provider's tools and shows all rounds as one answer, with the adapters of its family where it
   * has quirks.
   */
  languageModel(modelId: string): LanguageModelV2;
  /** The bare model: one request, one answer, no tool of the provider. */
  responses(modelId: string): LanguageModelV2;
  /**
   * A text embedding model over `POST …/embeddings`.
   *
   * @throws KelivoError with code `invalid-settings` for a wrong option.
   */
  textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): KelivoEmbeddingModel;
  /** @throws NoSuchModelError always: images come from the model's hosted tool, not from a model of their own. */
  imageModel(modelId: string): ImageModelV2;
  /**
   * Declarations of the provider's tools, to be spread into the `tools` of `generateText` or `streamText`. A host that
   * knows a tool shows its calls and keeps them in its history, under every major of `ai`. They have no `execute`: the
   * provider runs them. Starts the MCP servers if they are not running; what is missing of the tools is told by the
   * warnings of the next call of a model.
   */
  toolStubs(): Promise<Record<string, ToolStub>>;
  /** Ends MCP servers and connections. The provider may be used again and starts them anew. */
  close(): Promise<void>;
}

/**
 * Creates a provider for OpenAI or any server that speaks the Responses API, with tools that it runs itself.
 *
 * Nothing is read from the network and no process is started until a model is called.
 *
 * @example
 * ```ts
 * const provider = createKelivoResponsesProvider({
 *   mcpServers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
 * });
 * const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Which files are here?' });
 * await provider.close();
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a setting that is unknown or wrong.
 */
export function createKelivoResponsesProvider<ToolSchemas = Record<string, unknown>>(
  options: KelivoResponsesSettings<ToolSchemas> = {},
): KelivoResponsesProvider {
  const settings = validateSettings(options);
  const { name = 'kelivo-responses', timeouts = {} } = settings;
  const endpoints = createEndpoints(settings);
  const { host, needsKey } = endpoints;
  const credentials = createCredentials(settings, { url: endpoints.shownRoot });
  const fetch = withRequestLog(
    settings.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    settings.logger,
  );
  const { compose, tools, close } = createComposition(settings);
  const learnedCompatibility = createLearnedCompatibility();

  const responses = (modelId: string): LanguageModelV2 => {
    const config: ResponsesModelConfig = {
      provider: name,
      url: endpoints.of(modelId, 'responses'),
      credentials,
      needsKey,
      fetch,
      store: settings.store ?? false,
      systemMessageMode: settings.systemMessageMode ?? 'auto',
      missingReasoning: settings.missingReasoning ?? 'omit-ids',
      timeouts: { connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total },
      override: resolveModelOverride(modelId, { ...settings, host }),
      learnedCompatibility: learnedCompatibility.of(modelId),
      generateId,
    };
    return createLazyLanguageModel({ provider: name, modelId, supportedUrls }, async () => {
      const { createResponsesModel } = await import('../responses/model.js');
      return createResponsesModel(modelId, config);
    });
  };

  const languageModel = (modelId: string): LanguageModelV2 => compose(responses(modelId));

  const textEmbeddingModel: KelivoResponsesProvider['textEmbeddingModel'] = (modelId, embeddingOptions) =>
    createEmbeddingModel(
      modelId,
      {
        provider: name,
        url: endpoints.of(modelId, 'embeddings'),
        credentials,
        needsKey,
        fetch,
        timeout: timeouts.total,
      },
      embeddingOptions,
    );

  return Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses,
    textEmbeddingModel,
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    toolStubs: () => toToolStubs(tools),
    close,
  });
}
