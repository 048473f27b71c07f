import { type ImageModelV2, type LanguageModelV2, NoSuchModelError, type ProviderV2 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { createComposition } from './composition.js';
import { createCredentials } from './credentials.js';
import { createLazyLanguageModel } from './lazy-model.js';
import {
  createEmbeddingModel,
  type EmbeddingModelOptions,
  type KelivoEmbeddingModel,
} from '../embeddings/model.js';
import { createEndpoints } from './endpoints.js';
import { resolveModelOverride } from './model-overrides.js';
import { withRequestLog } from '../http/request-log.js';
import { createLearnedCompatibility } from '../responses/compatibility/compatibility.js';
import type { ResponsesModelConfig } from '../responses/model.js';
import { supportedUrls } from '../responses/supported-urls.js';
import { type KelivoResponsesSettings, validateSettings } from './settings.js';
import { type ToolStub, type ToolStubsOptions, toToolStubs } from '../tools/tool-stubs.js';

/** A provider of models that use the Responses API and run the provider's tools. */
export interface KelivoResponsesProvider extends ProviderV2 {
  /** The same as `languageModel`. */
  (modelId: string): LanguageModelV2;
  /** Creates a model that runs the provider's tools and returns all rounds as one response. Adapters handle its quirks. */
  languageModel(modelId: string): LanguageModelV2;
  /** Creates a bare model: one request and one response, without adapters and the provider's tools. */
  responses(modelId: string): LanguageModelV2;
  /**
   * Creates a text embedding model that uses `POST …/embeddings`.
   *
   * @throws KelivoError with code `invalid-settings` for a wrong option.
   */
  textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): KelivoEmbeddingModel;
  /** @throws NoSuchModelError always. Language models generate images with a hosted tool. */
  imageModel(modelId: string): ImageModelV2;
  /**
   * Returns declarations of the provider's tools, to be spread into the `tools` of `generateText` or `streamText`. With
   * them every major of `ai` shows the calls and keeps them in its history. They have no `execute`, because the provider
   * runs them. Starts the MCP servers. If a server fails, the next call of a model returns a warning.
   */
  toolStubs(options?: ToolStubsOptions): Promise<Record<string, ToolStub>>;
  /**
   * Ends running turns with tools, stops MCP servers and closes connections. The next use of the provider starts them
   * again.
   */
  close(): Promise<void>;
}

/**
 * Creates a provider for OpenAI or any server with the Responses API, with tools that the provider runs.
 *
 * Requests are sent and processes are started when a model is called, not before.
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
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid setting.
 */
export function createKelivoResponsesProvider<ToolSchemas = Record<string, unknown>>(
  options: KelivoResponsesSettings<ToolSchemas> = {},
): KelivoResponsesProvider {
  const settings = validateSettings(options);
  const { name = 'kelivo-responses', timeouts = {} } = settings;
  const endpoints = createEndpoints(settings);
  const { host, needsKey } = endpoints;
  const credentials = createCredentials(settings, { url: endpoints.shownRoot });
  const fetchFor = withRequestLog(
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
      fetchFor,
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
        fetchFor,
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
    toolStubs: (options?: ToolStubsOptions) => toToolStubs(tools, options),
    close,
  });
}
