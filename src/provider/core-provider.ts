import { generateId } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../core/call.js';
import type { CoreEmbeddingModel, EmbeddingModelOptions } from '../core/embedding.js';
import { observeModel } from '../core/observed-model.js';
import { type CoreModel, transformParts, withHistory, withOpen } from '../core/source.js';
import { createEmbeddingModel } from '../models/embeddings/model.js';
import { withCompression } from '../core/http/compression.js';
import {
  createRequestLog,
  type FetchForCall,
  withHttpTelemetry,
  withRequestLog,
} from '../core/http/request-log.js';
import { compatibilityByHost } from '../responses/compatibility/compatibility.js';
import { ModelMemories } from '../responses/compatibility/model-memory.js';
import { ExtensionRegistry } from '../responses/stream/extension.js';
import type { ResponsesModelConfig } from '../responses/config.js';
import type { ResponsesModel } from '../responses/model.js';
import { supportedUrls, toModelTraits } from '../responses/request/model-traits.js';
import { toSettingOptions } from '../responses/request/setting-options.js';
import type { ReconnectServers } from '../tools/mcp/reconnect.js';
import type { WebSocketTransport } from '../responses/websocket/transport.js';
import type { DeclareTools, SharedTools } from '../tools/shared-tools.js';
import { createHistoryKeys } from '../core/versions/history/signatures.js';
import { DEFAULT_VERSION } from '../core/versions/provider.js';
import type { HostVersion } from '../core/versions/specification.js';
import type { CreateAgentSettings } from '../tool-loop/agent-settings.js';
import type { CompactMessage, CompactOptions, CompactResult } from './compact.js';
import { createComposition } from './composition.js';
import { type Connection, createCredentials, createEndpoints, staticKeysOf } from './connection.js';
import { ModelOverrides } from './model-overrides.js';
import { type KelivoResponsesSettings, validateSettings } from './settings.js';
import { loadOnce } from '../core/shared/once.js';

/** A provider in core types. The providers of all versions show it. */
export interface CoreProvider {
  /** The settings, for comparison. Undefined if they cannot be compared. */
  readonly settings?: object | undefined;
  /** Protocol, host and port of the server. Undefined if other packages send the requests. */
  readonly server?: string | undefined;
  /** Returns the connection for files and skills. Undefined if other packages send the requests. */
  readonly connection?: (() => Connection) | undefined;
  languageModel(modelId: string): CoreModel;
  responses(modelId: string): CoreModel;
  embeddingModel(modelId: string, options?: EmbeddingModelOptions): CoreEmbeddingModel;
  readonly tools: DeclareTools;
  readonly reconnect: ReconnectServers;
  readonly agentSettings: CreateAgentSettings;
  compact<Message extends CompactMessage>(
    modelId: string,
    options: CompactOptions<Message>,
  ): Promise<CompactResult<Message>>;
  close(): Promise<void>;
}

const CORE = Symbol('kelivo-responses.provider');

/** Sets the core of a provider. */
export const withCore = <Provider extends object>(
  provider: Provider,
  core: CoreProvider | undefined,
): Provider => (core === undefined ? provider : Object.defineProperty(provider, CORE, { value: core }));

/** Returns the core of a provider. Undefined for providers of other packages. */
export const coreOf = (provider: object): CoreProvider | undefined =>
  (provider as { readonly [CORE]?: CoreProvider })[CORE];

/** The parts of a provider that other implementations of its models share. */
export interface ProviderParts {
  readonly settings: KelivoResponsesSettings;
  readonly connection: Connection;
  /** The tools of the settings. Undefined without any. */
  readonly tools: SharedTools | undefined;
}

/** Replaces the models of a provider, for example by those of another package. By default they stay as they are. */
export interface ModelReplacement {
  /** Replaces a bare model, which the adapters and the tool loop then wrap. */
  inLoop?(bare: CoreModel): CoreModel;
  /** Replaces a model with its adapters and its tool loop. */
  aroundLoop?(model: CoreModel): CoreModel;
  /** Replaces a bare model that the application uses without adapters and loop. */
  bare?(bare: CoreModel): CoreModel;
}

/**
 * Creates a provider. Nothing is sent and no process is started before one of its models is called.
 *
 * @param version The model interface version that adapters of the application implement.
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid setting.
 */
export function createCoreProvider(
  options: object,
  version: HostVersion,
  replace: (parts: ProviderParts) => ModelReplacement = () => ({}),
): CoreProvider & { readonly connection: () => Connection } {
  const settings = validateSettings(options);
  const { name = 'kelivo-responses', timeouts = {}, telemetry, toolLoop } = settings;
  const retry = toolLoop === false ? undefined : toolLoop?.retry;
  const endpoints = createEndpoints(settings);
  const { needsKey, origin: server } = endpoints;
  const { fetchFor, log } = createFetch(settings);
  const connection: Connection = {
    provider: name,
    credentials: createCredentials(settings, { url: endpoints.shownRoot }),
    needsKey,
    fetchFor,
    timeout: timeouts.total,
    urlOf: endpoints.urlOf,
  };
  let usesWebSocket = false;
  const loadWebSocket = loadOnce(async (): Promise<WebSocketTransport> => {
    usesWebSocket = true;
    const { createWebSocketTransport } = await import('../responses/websocket/transport.js');
    return createWebSocketTransport(settings.webSocket ?? {}, log);
  });
  const isOpenAI = needsKey || settings.api === 'azure';
  const searchesTools = (modelId: string): boolean => isOpenAI && toModelTraits(modelId).searchesTools;
  const composition = createComposition(settings, version, searchesTools);
  const { compose, close: closeComposition } = composition;
  const known = compatibilityByHost(endpoints.host) ?? (isOpenAI ? {} : undefined);
  const memories = new ModelMemories();
  const extensions = new ExtensionRegistry(settings.extensions, !isOpenAI);

  const createConfig = (modelId: string, path: string): ResponsesModelConfig => {
    const isNamed = known !== undefined || typeof settings.compatibility === 'string';
    const memory = memories.of(modelId);
    const overrides = new ModelOverrides(modelId, settings);
    const override = () => overrides.of(known ?? (isNamed ? undefined : memory.server?.compatibility));
    const { transport = settings.transport ?? 'http' } = override();
    return {
      provider: name,
      modelId,
      url: endpoints.urlOf(path),
      credentials: connection.credentials,
      needsKey,
      fetchFor,
      webSocket: transport === 'websocket' ? loadWebSocket : undefined,
      ...toSettingOptions(settings),
      missingReasoning: settings.missingReasoning ?? 'omit-ids',
      sendsPenalties: settings.api === 'open-responses',
      official: settings.api === 'azure' ? 'azure' : 'openai',
      timeouts: { connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total },
      retries: { maxRetries: (retry?.streamRetries ?? 2) || 0, initialDelay: retry?.initialDelay ?? 1000 },
      override,
      recognizes: !isNamed,
      modelsUrl: endpoints.urlOf('models'),
      server: memory,
      extensions,
      generateId,
    };
  };
  const history = createHistoryKeys(settings.historySecret, () => staticKeysOf(settings));
  /** Loads what builds and reads the requests of a model at its first call. */
  const loaderOf = (modelId: string): LoadModel => {
    const config = createConfig(modelId, 'responses');
    return loadOnce(async () => {
      const { createResponsesModel } = await import('../responses/model.js');
      return createResponsesModel(config);
    });
  };
  const createBareModel = (modelId: string, load: LoadModel): CoreModel => {
    const open: CoreModel['open'] = async call => (await load()).open(call);
    const model = withHistory({ provider: name, modelId, origin: server, supportedUrls, open }, history);
    const { unusedDeployment: unused } = endpoints;
    return unused === undefined || unused === modelId ? model : withWarning(model, toUnused(unused, modelId));
  };
  /** Begins the observation of each call at once, so that it belongs to the operation that is active then. */
  const observe = (model: CoreModel): CoreModel =>
    telemetry === undefined
      ? model
      : withOpen(model, call => model.open({ ...call, telemetry: telemetry.startCall({ server }) }));

  const {
    inLoop = same,
    aroundLoop = same,
    bare = same,
  } = replace({
    settings,
    connection,
    tools: composition.shared,
  });

  return {
    settings,
    server,
    connection: () => connection,
    languageModel(modelId) {
      const load = loaderOf(modelId);
      const check = async (call: CoreCall): Promise<void> => (await load()).check(call);
      const bareModel = inLoop(createBareModel(modelId, load));
      // Models of another package find their key themselves.
      return observe(aroundLoop(compose(bareModel, inLoop === same ? check : undefined)));
    },
    responses(modelId) {
      const model = bare(createBareModel(modelId, loaderOf(modelId)));
      return telemetry === undefined ? model : observe(observeModel(model, telemetry));
    },
    embeddingModel: (modelId, embeddingOptions) =>
      createEmbeddingModel(modelId, { ...connection, url: endpoints.urlOf('embeddings') }, embeddingOptions),
    tools: composition.declareTools,
    reconnect: composition.reconnect,
    agentSettings: composition.agentSettings,
    async compact(modelId, conversation) {
      const { compactMessages } = await import('./compact.js');
      // The API compacts over HTTP.
      const config = { ...createConfig(modelId, 'responses/compact'), webSocket: undefined };
      return compactMessages(conversation, config, history());
    },
    async close() {
      await closeComposition();
      if (usesWebSocket) (await loadWebSocket()).close();
    },
  };
}

type LoadModel = () => Promise<ResponsesModel>;

const same = (model: CoreModel): CoreModel => model;

let defaultInstance: ReturnType<typeof createCoreProvider> | undefined;
const created = () => (defaultInstance ??= createCoreProvider({}, DEFAULT_VERSION));

/** The default provider. It reads the environment on first use, not when the package is imported. */
export const defaultProvider: CoreProvider = {
  get settings() {
    return created().settings;
  },
  get server() {
    return created().server;
  },
  connection: () => created().connection(),
  languageModel: modelId => created().languageModel(modelId),
  responses: modelId => created().responses(modelId),
  embeddingModel: (modelId, options) => created().embeddingModel(modelId, options),
  get tools() {
    return created().tools;
  },
  get reconnect() {
    return created().reconnect;
  },
  get agentSettings() {
    return created().agentSettings;
  },
  compact: (modelId, options) => created().compact(modelId, options),
  close: async () => defaultInstance?.close(),
};

const toUnused = (deployment: string, modelId: string): string =>
  `The deployment "${deployment}" in \`baseURL\` was not used, because URLs of the Responses API of Azure contain none. The ` +
  `request names the deployment "${modelId}", the model id. Remove the deployment from \`baseURL\`, or use it as model id.`;

/** Adds a warning to every response of a model. */
const withWarning = (model: CoreModel, message: string): CoreModel =>
  withOpen(model, async call =>
    transformParts(await model.open(call), {
      part(part, emit) {
        if (part.type !== 'stream-start') return emit(part);
        emit({ ...part, warnings: [{ type: 'other', message }, ...part.warnings] });
      },
    }),
  );

/** Creates the `fetch` of all requests, which compresses, logs and observes them. */
function createFetch({
  fetch = (input, init) => globalThis.fetch(input, init),
  logger,
  telemetry,
  compression,
}: KelivoResponsesSettings) {
  const logged = createRequestLog(logger);
  const log = telemetry === undefined ? logged : withHttpTelemetry(logged);
  const compressing = compression && withCompression(fetch, compression);
  const isReported = logger !== undefined || telemetry !== undefined;
  const fetchFor: FetchForCall = (call, warn) => {
    const sending = compressing?.(warn) ?? fetch;
    return isReported ? withRequestLog(sending, logger, log)(call) : sending;
  };
  return { fetchFor, log };
}
