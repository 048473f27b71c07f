import {
  type ImageModelV2,
  type LanguageModelV2,
  type LanguageModelV2CallOptions,
  NoSuchModelError,
  type ProviderV2,
} from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { createComposition } from './composition.js';
import { type Connection, withConnection } from './connection.js';
import { createLazyLanguageModel } from './lazy-model.js';
import {
  createEmbeddingModel,
  type EmbeddingModelOptions,
  type KelivoEmbeddingModel,
} from '../embeddings/model.js';
import { createEndpoints } from './endpoints.js';
import {
  type AnyLanguageModel,
  type ModelCall,
  type ModelReference,
  recreateModel,
} from './recreate-model.js';
import { resolveModelOverride } from './model-overrides.js';
import type { Credentials } from '../http/key-ring.js';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { CompressionOptions, Warn } from '../http/compression.js';
import {
  createRequestLog,
  type FetchForCall,
  withHttpTelemetry,
  withRequestLog,
} from '../http/request-log.js';
import { createLearnedCompatibility } from '../responses/compatibility/compatibility.js';
import type { CompactMessage, CompactOptions, CompactResult } from '../responses/compact.js';
import type { ResponsesModelConfig } from '../responses/model.js';
import type { WebSocketTransport } from '../responses/websocket/transport.js';
import { KelivoError } from '../shared/errors.js';
import { withCallTelemetry } from '../shared/telemetry.js';
import { supportedUrls } from '../responses/supported-urls.js';
import { type KelivoResponsesSettings, validateSettings } from './settings.js';
import type { ToolStub, ToolStubsOptions } from '../tools/tool-stubs.js';

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
   * Replaces a conversation by a shorter one with `POST …/responses/compact`, for servers that have it. The result contains
   * the messages for the next call; the items of the model are encrypted and bound to the account.
   *
   * @throws APICallError if the request fails.
   */
  compact<Message extends CompactMessage>(
    modelId: string,
    options: CompactOptions<Message>,
  ): Promise<CompactResult<Message>>;
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
  let keys: Credentials | undefined;
  const credentials: Credentials = {
    async use(turn, send) {
      // Importing a loaded module again also takes time, which each call would wait for.
      if (keys === undefined) {
        const { createCredentials } = await import('./credentials.js');
        keys ??= createCredentials(settings, { url: endpoints.shownRoot });
      }
      return keys.use(turn, send);
    },
  };
  const { telemetry } = settings;
  const logged = createRequestLog(settings.logger);
  const log = telemetry === undefined ? logged : withHttpTelemetry(logged);
  const fetch = settings.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const { compression } = settings;
  const compressing = compression && toCompressing(fetch, compression);
  const fetchFor: FetchForCall = (providerOptions, warn) =>
    withRequestLog(compressing?.(warn) ?? fetch, settings.logger, log)(providerOptions);
  let webSocket: Promise<WebSocketTransport> | undefined;
  const loadWebSocket = (): Promise<WebSocketTransport> =>
    (webSocket ??= import('../responses/websocket/transport.js').then(({ createWebSocketTransport }) =>
      createWebSocketTransport({ ...settings.webSocket, log }),
    ));
  const { origin: server } = endpoints;
  const onCall =
    telemetry &&
    ((options: LanguageModelV2CallOptions) => withCallTelemetry(options, telemetry.startCall({ server })));
  const connection: Connection = {
    provider: name,
    credentials,
    needsKey,
    fetchFor,
    timeout: timeouts.total,
    urlOf: path => endpoints.of(undefined, path),
  };
  const { compose, tools, close: closeComposition } = createComposition(settings, { onCall });
  const learnedCompatibility = createLearnedCompatibility();

  const createConfig = (modelId: string, path: string): ResponsesModelConfig => {
    const { transport = settings.transport, ...override } = resolveModelOverride(modelId, {
      ...settings,
      host,
    });
    return {
      provider: name,
      url: endpoints.of(modelId, path),
      credentials,
      needsKey,
      fetchFor,
      webSocket: transport === 'websocket' ? loadWebSocket : undefined,
      store: settings.store ?? false,
      systemMessageMode: settings.systemMessageMode ?? 'auto',
      missingReasoning: settings.missingReasoning ?? 'omit-ids',
      official: settings.api === 'azure' ? 'azure' : 'openai',
      timeouts: { connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total },
      override,
      learnedCompatibility: learnedCompatibility.of(modelId),
      generateId,
    };
  };

  const createBareModel = (modelId: string): LanguageModelV2 => {
    const config = createConfig(modelId, 'responses');
    return createLazyLanguageModel({ provider: name, modelId, supportedUrls }, async () => {
      const { createResponsesModel } = await import('../responses/model.js');
      return createResponsesModel(modelId, config);
    });
  };

  const responses = (modelId: string): LanguageModelV2 =>
    toSerializable(
      telemetry === undefined
        ? createBareModel(modelId)
        : createLazyLanguageModel(
            { provider: name, modelId, supportedUrls },
            async () => {
              const { observeModel } = await import('../parts/observed-model.js');
              return observeModel(createBareModel(modelId), telemetry);
            },
            { onCall },
          ),
    );
  const languageModel = (modelId: string): LanguageModelV2 =>
    toSerializable(compose(createBareModel(modelId)));

  const textEmbeddingModel: KelivoResponsesProvider['textEmbeddingModel'] = (modelId, embeddingOptions) =>
    createEmbeddingModel(
      modelId,
      { ...connection, url: endpoints.of(modelId, 'embeddings') },
      embeddingOptions,
    );

  const provider = Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses,
    textEmbeddingModel,
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    async toolStubs(options?: ToolStubsOptions) {
      const { toToolStubs } = await import('../tools/tool-stubs.js');
      return toToolStubs(tools, options);
    },
    async compact<Message extends CompactMessage>(modelId: string, options: CompactOptions<Message>) {
      const { compactConversation } = await import('../responses/compact.js');
      const config = createConfig(modelId, 'responses/compact');
      // The messages have the types of the AI SDK, of which this package reads what it knows.
      return compactConversation(modelId, options, config) as Promise<CompactResult<Message>>;
    },
    async close() {
      await closeComposition();
      (await webSocket)?.close();
    },
  });
  return withOrigin(withConnection(provider, connection), { settings, server: endpoints.origin });
}

/** Loads the compression with the first request. */
function toCompressing(fetch: FetchFunction, options: CompressionOptions): (warn?: Warn) => FetchFunction {
  let compressing: Promise<(warn?: Warn) => FetchFunction> | undefined;
  return warn => async (input, init) => {
    compressing ??= import('../http/compression.js').then(({ withCompression }) =>
      withCompression(fetch, options),
    );
    return (await compressing)(warn)(input, init);
  };
}

interface Origin {
  readonly settings: object;
  /** Protocol, host and port of the server. */
  readonly server: string;
}

/** The settings and the server of each provider. Conversions of a provider have the same. */
export const origins = new WeakMap<object, Origin>();

/** Sets the origin of a provider, which is undefined for providers of other packages. */
export function withOrigin<Provider extends object>(
  provider: Provider,
  origin: Origin | undefined,
): Provider {
  if (origin !== undefined) origins.set(provider, origin);
  return provider;
}

/** Returns the model as an instance of the class by which workflow engines serialize models. */
export const toSerializable = <Model extends AnyLanguageModel>(model: Model, call?: ModelCall): Model =>
  new KelivoLanguageModel(model, call) as unknown as Model;

// Vercel Workflow serializes the arguments of steps with static methods under the symbols of `@workflow/serde`, and finds
// their class by an id. Its build would derive the id from the path of the file, which differs between the bundles for
// workflow functions and for steps. So the class registers itself, and has no text by which that build finds classes.
const [SERIALIZE, DESERIALIZE] = ['serialize', 'deserialize'].map(name => Symbol.for(`workflow-${name}`)) as [
  symbol,
  symbol,
];
const CLASS_REGISTRY = Symbol.for('workflow-class-registry');

/** The calls that create models again. Undefined for models of providers that are not registered. */
const calls = new WeakMap<object, ModelCall | undefined>();

/** Its members are own properties, because hosts copy models and call their methods without `this`. */
class KelivoLanguageModel {
  static readonly classId = 'class//kelivo-responses//KelivoLanguageModel';
  static {
    const scope = globalThis as { [CLASS_REGISTRY]?: Map<string, unknown> };
    (scope[CLASS_REGISTRY] ??= new Map()).set(this.classId, this);
  }

  declare readonly modelId: string;
  declare readonly provider: string;
  declare readonly specificationVersion: string;

  constructor(model: AnyLanguageModel, call?: ModelCall) {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(model));
    calls.set(this, call);
  }

  static [SERIALIZE](model: KelivoLanguageModel): ModelReference {
    const { modelId, provider, specificationVersion } = model;
    const call = calls.get(model);
    if (call !== undefined) return { ...call, modelId, provider, specificationVersion };
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected a model of a registered provider, got "${modelId}" of "${provider}". Create it with the provider that registerProvider(name, provider) returns.`,
    });
  }

  static [DESERIALIZE](reference: ModelReference): KelivoLanguageModel {
    const { registration, method, server, ...facts } = reference;
    const load = async () =>
      recreateModel(reference, () => {
        const provider = createKelivoResponsesProvider();
        return { provider, server: origins.get(provider)?.server };
      });
    return new KelivoLanguageModel(
      {
        ...facts,
        get supportedUrls() {
          return load().then(model => model.supportedUrls);
        },
        doGenerate: async (options: never) => (await load()).doGenerate(options),
        doStream: async (options: never) => (await load()).doStream(options),
      },
      { registration, method, server },
    );
  }
}
