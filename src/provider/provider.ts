import { InvalidArgumentError, NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../core/embedding.js';
import type { CompactMessage, CompactOptions, CompactResult } from './compact.js';
import { hostedToolKinds, officialToolKinds } from '../responses/hosted-tools/index.js';
import type { HostTools, HostToolsOptions } from '../tools/host-tools.js';
import type { ToolStub, ToolStubsOptions } from '../tools/tool-stubs.js';
import { type AnyEmbeddingModel, fromEmbeddingModel } from '../versions/embedding-model.js';
import { fromLanguageModel, toLanguageModel } from '../versions/language-model.js';
import { type ProviderShapes, toProviderShape } from '../versions/provider.js';
import type { AnyLanguageModel, HostVersion, LanguageModels } from '../versions/specification.js';
import { createToolFactories, type ToolFactories } from '../versions/tools.js';
import { coreOf, type CoreProvider, createCoreProvider, defaultProvider, withCore } from './core-provider.js';
import { createFiles, createSkills } from './files.js';
import type { KelivoResponsesSettings } from './settings.js';
import { type ModelCall, toSerializable } from './workflow.js';

/** The factories of OpenAI's tools under the names of the official provider, for hosts of a version. */
type OfficialTools<Version extends HostVersion> = ToolFactories<typeof officialToolKinds, Version>;

/** The members that the providers of all versions share. */
export interface ProviderMembers<Version extends HostVersion> {
  /** The same as `languageModel`. */
  (modelId: string): LanguageModels[Version];
  /** Creates a model that runs the provider's tools and returns all rounds as one response. Adapters handle its quirks. */
  languageModel(modelId: string): LanguageModels[Version];
  /** Creates a bare model: one request and one response, without adapters and the provider's tools. */
  responses(modelId: string): LanguageModels[Version];
  /** @throws NoSuchModelError always. Language models generate images with a hosted tool. */
  imageModel(modelId: string): never;
  /**
   * OpenAI's tools, with the names and the arguments of the official provider. Put them into the `tools` of `generateText`
   * and `streamText`.
   */
  readonly tools: OfficialTools<Version>;
  /**
   * Returns declarations of the provider's tools, to be spread into the `tools` of `generateText` or `streamText`. With
   * them every major of `ai` shows the calls and keeps them in its history. They have no `execute`, because the provider
   * runs them. Starts the MCP servers. If a server fails, the next call of a model returns a warning.
   */
  toolStubs(options?: ToolStubsOptions): Promise<Record<string, ToolStub>>;
  /**
   * Returns the tools of the provider's MCP servers with `execute`, for the loop of the host: `generateText`, `streamText`
   * and the agents of `ai` 5, 6 and 7, with any model that does not run these tools itself, such as one of `responses()`.
   * They share sessions and connections with the provider. Starts the servers; if one fails, its tools are missing.
   */
  mcpTools(options?: HostToolsOptions): Promise<HostTools>;
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

/** The provider of a version. */
export type ProviderOf<Version extends HostVersion> = ProviderMembers<Version> & ProviderShapes[Version];

/** Creates a provider whose models have a version. */
export const createProvider = <Version extends HostVersion>(
  settings: KelivoResponsesSettings,
  version: Version,
): ProviderOf<Version> => showProvider(createCoreProvider(settings, version), version);

/** Shows a provider in a version. `callOf` returns the call that creates a model again in another process. */
export function showProvider<Version extends HostVersion>(
  core: CoreProvider,
  version: Version,
  callOf?: (method: ModelCall['method']) => ModelCall,
): ProviderOf<Version> {
  const create = (method: ModelCall['method']) => (modelId: string) => {
    if (typeof modelId !== 'string' || modelId === '') {
      const got = modelId === '' ? 'an empty string' : String(modelId);
      const message = `Expected a model id such as "gpt-5", got ${got}. Check the variable that it comes from.`;
      throw new InvalidArgumentError({ argument: 'modelId', message });
    }
    const model = toLanguageModel(core[method](modelId), version) as AnyLanguageModel;
    return toSerializable(model, callOf?.(method));
  };
  const languageModel = create('languageModel');
  const { connection } = core;
  const provider: unknown = Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses: create('responses'),
    ...toProviderShape(
      version,
      (modelId, options) => core.embeddingModel(modelId, options),
      connection && { files: () => createFiles(connection()), skills: () => createSkills(connection()) },
    ),
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    tools: createToolFactories(officialToolKinds, version),
    toolStubs: (options?: ToolStubsOptions) => core.toolStubs(options),
    mcpTools: (options?: HostToolsOptions) => core.mcpTools(options),
    compact: (modelId: string, options: CompactOptions) => core.compact(modelId, options),
    close: () => core.close(),
  });
  return withCore(provider as ProviderOf<Version>, core);
}

/** A provider of any version. */
export interface AnyProvider extends Pick<
  ProviderMembers<HostVersion>,
  'toolStubs' | 'mcpTools' | 'compact' | 'close'
> {
  languageModel(modelId: string): AnyLanguageModel;
  responses(modelId: string): AnyLanguageModel;
  textEmbeddingModel?(modelId: string, options?: EmbeddingModelOptions): AnyEmbeddingModel;
  embeddingModel?(modelId: string, options?: EmbeddingModelOptions): AnyEmbeddingModel;
}

/** Converts a provider to a version. Both share tools, keys and connections, and closing one closes both. */
export const convertProvider = <Version extends HostVersion>(
  provider: AnyProvider,
  version: Version,
): ProviderOf<Version> => showProvider(coreOf(provider) ?? readProvider(provider), version);

/** Reads the models of a provider that this package has not created. */
const readProvider = (provider: AnyProvider): CoreProvider => ({
  settings: provider,
  languageModel: modelId => fromLanguageModel(provider.languageModel(modelId)),
  responses: modelId => fromLanguageModel(provider.responses(modelId)),
  embeddingModel(modelId, options) {
    const model =
      provider.embeddingModel?.(modelId, options) ?? provider.textEmbeddingModel?.(modelId, options);
    if (model === undefined) throw new NoSuchModelError({ modelId, modelType: 'textEmbeddingModel' });
    return fromEmbeddingModel(model);
  },
  toolStubs: options => provider.toolStubs(options),
  mcpTools: options => provider.mcpTools(options),
  compact: (modelId, options) => provider.compact(modelId, options),
  close: () => provider.close(),
});

/** Converts a language model to a version. Workflow engines can report that the result cannot be serialized. */
export const convertModel = <Version extends HostVersion>(
  model: AnyLanguageModel,
  version: Version,
): LanguageModels[Version] => toSerializable(toLanguageModel(fromLanguageModel(model), version));

/** Creates the default provider of a version. The providers of all versions share their connections. */
export const createDefaultProvider = <Version extends HostVersion>(version: Version): ProviderOf<Version> =>
  showProvider(defaultProvider, version, method => ({ method, server: defaultProvider.server }));

/** The factories of `hostedTools`, for hosts of a version. */
export type HostedTools<Version extends HostVersion> = ToolFactories<typeof hostedToolKinds, Version>;

/** Creates the factories of `hostedTools`. */
/* @__NO_SIDE_EFFECTS__ */
export const createHostedTools = <Version extends HostVersion>(version: Version): HostedTools<Version> =>
  createToolFactories(hostedToolKinds, version);
