import { InvalidArgumentError, NoSuchModelError } from '@ai-sdk/provider';
import type { EmbeddingModelOptions } from '../core/embedding.js';
import { hostedToolKinds, officialToolKinds } from '../responses/hosted-tools/index.js';
import type { ResponsesProviderOptions } from '../responses/request/options.js';
import type { McpServerStatus } from '../tools/mcp/start-mcp-tools.js';
import { isPlainObject, type JSONValue } from '../core/shared/json.js';
import type { ToolLoopCallOptions } from '../tool-loop/index.js';
import type { TurnLimit } from '../tool-loop/features/feature.js';
import type { LocalTools } from '../tools/local-tools.js';
import type { ToolSource } from '../tools/tool-source.js';
import type { DeclareTools } from '../tools/shared-tools.js';
import type { DeclarationOptions } from '../tools/tool-stubs.js';
import { type AnyEmbeddingModel, fromEmbeddingModel } from '../core/versions/embedding-model.js';
import { createImportNotice } from '../core/versions/later-hosts.js';
import { fromLanguageModel, toLanguageModel } from '../core/versions/language-model.js';
import {
  checkVersion,
  type FilesV4,
  type ProviderShapes,
  type SkillsV4,
  toProviderShape,
} from '../core/versions/provider.js';
import type { AnyLanguageModel, HostVersion, LanguageModels } from '../core/versions/specification.js';
import { createToolFactories, type ToolFactories } from '../core/versions/tools.js';
import type { CreateAgentSettings } from '../tool-loop/agent-settings.js';
import type { CompactMessage, CompactOptions, CompactResult } from './compact.js';
import { coreOf, type CoreProvider, createCoreProvider, defaultProvider, withCore } from './core-provider.js';
import type { Connection } from './connection.js';
import type { KelivoResponsesSettings, VersionSettings } from './settings.js';
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
   * Returns the tools of the settings, for the `tools` of `generateText` and `streamText`. Its members are OpenAI's tools, with
   * the names and the arguments of the official provider: `provider.tools.webSearch()`.
   */
  readonly tools: DeclareTools & OfficialTools<Version>;
  /**
   * Returns settings for `ToolLoopAgent`, `generateText` and `streamText` of `ai` 6 and 7, with which each round is a step of the
   * host. By default the host runs the tools of the provider, with the approvals of `toolLoop`, and its limits of rounds, calls,
   * outputs and the time of a tool: no other limit applies. With `runBy: 'provider'` the provider runs them between two steps,
   * with everything that `toolLoop` has.
   *
   * @example
   * ```ts
   * const agent = new ToolLoopAgent({ model: provider('gpt-5'), ...(await provider.agentSettings()) });
   * ```
   */
  readonly agentSettings: CreateAgentSettings;
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
   * Opens an MCP server of the settings again: closes its session, ends its running calls, forgets a failure and waits until
   * the server is ready, has failed, or `startupTimeout` is over. Other servers and their calls go on, and so do turns, which
   * get the new tools with their next round. The servers are those of `mcpServers` and of `createMcpTools` in `tools`.
   *
   * @param server The server's name in the configuration.
   * @returns its new status.
   * @throws KelivoError with code `unknown-name` for a server that is not configured or disabled.
   */
  reconnect(server: string): Promise<McpServerStatus>;
  /** Does the same for all servers, and returns the status of each. */
  reconnect(): Promise<McpServerStatus[]>;
  /**
   * Ends running turns with tools, stops MCP servers and closes connections. The next use of the provider starts them
   * again.
   */
  close(): Promise<void>;
}

/** The provider of a version. */
export type ProviderOf<Version extends HostVersion> = ProviderMembers<Version> & ProviderShapes[Version];

/** The type of `createKelivoResponsesProvider`, by the version of an entry. */
export type CreateProvider<Default extends HostVersion> = <
  ToolSchemas = Record<string, unknown>,
  Version extends HostVersion | undefined = undefined,
>(
  settings?: KelivoResponsesSettings<ToolSchemas> & VersionSettings<Version>,
  // Without a version, and in `ReturnType`, the version is that of the entry.
) => ProviderOf<undefined extends Version ? Default : Extract<Version, HostVersion>>;

/** Creates a provider whose models have the version of the settings, or that of the entry. */
export const createProviderOf =
  <Default extends HostVersion>(ofEntry: Default): CreateProvider<Default> =>
  (given = {}) => {
    const { specificationVersion: version = ofEntry, ...settings } = given;
    checkVersion(version, 'the provider');
    const core = createCoreProvider(isPlainObject(given) ? settings : given, version);
    return showProvider(core, version) as never;
  };

/** Shows a provider in a version. `callOf` returns the call that creates a model again in another process. */
export function showProvider<Version extends HostVersion>(
  core: CoreProvider,
  version: Version,
  callOf?: (method: ModelCall['method']) => ModelCall,
): ProviderOf<Version> {
  const onLaterHost = createImportNotice();
  const create = (method: ModelCall['method']) => (modelId: string) => {
    if (typeof modelId !== 'string' || modelId === '') {
      const got = modelId === '' ? 'an empty string' : String(modelId);
      const message = `Expected a model id such as "gpt-5", got ${got}. Check the variable that it comes from.`;
      throw new InvalidArgumentError({ argument: 'modelId', message });
    }
    const model = toLanguageModel(core[method](modelId), version, { onLaterHost }) as AnyLanguageModel;
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
      connection && { files: () => toFiles(connection()), skills: () => toSkills(connection()) },
    ),
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    tools: Object.assign(
      (options?: DeclarationOptions) => core.tools(options),
      createToolFactories(officialToolKinds, version),
    ),
    compact: (modelId: string, options: CompactOptions) => core.compact(modelId, options),
    agentSettings: ((options: { runBy: 'provider' }) => core.agentSettings(options)) as CreateAgentSettings,
    reconnect: (...server: Parameters<typeof core.reconnect>) => core.reconnect(...server),
    close: () => core.close(),
  });
  return withCore(provider as ProviderOf<Version>, core);
}

/** A provider of any version. */
export interface AnyProvider extends Pick<
  ProviderMembers<HostVersion>,
  'compact' | 'reconnect' | 'close' | 'agentSettings'
> {
  readonly tools: DeclareTools;
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
  tools: provider.tools,
  reconnect: provider.reconnect,
  agentSettings: provider.agentSettings,
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

/**
 * Options of one call, in `providerOptions.kelivo`. They override options of the same name in `providerOptions.openai`.
 *
 * @example
 * ```ts
 * await generateText({
 *   model: provider('gpt-5'),
 *   prompt: 'Which files are here?',
 *   providerOptions: { kelivo: { reasoningEffort: 'low', turnId: 'turn-1' } satisfies KelivoProviderOptions },
 * });
 * ```
 */
export interface KelivoProviderOptions extends ResponsesProviderOptions, ToolLoopCallOptions {
  /**
   * Additional fields of the request, by their API names, for example `{ top_k: 20 }`. They replace fields of the same name,
   * those of the setting `models` included, and an undefined field is removed. `input`, `stream`, `store`,
   * `previous_response_id`, `conversation` and `tool_choice` are refused, because options determine them.
   *
   * @throws InvalidArgumentError for a refused field.
   */
  body?: Record<string, unknown>;
  /** Tools of this call that the tool loop runs. `runInProvider()` sets them. @internal */
  executors?: LocalTools | ToolSource;
}

/**
 * Metadata of this package, in `providerMetadata.kelivo` of results, parts and messages.
 *
 * @example
 * ```ts
 * const metadata = result.providerMetadata?.kelivo as KelivoProviderMetadata | undefined;
 * console.log(metadata?.rounds?.length);
 * ```
 */
export interface KelivoProviderMetadata {
  /** Id of the response that contains the part. */
  readonly responseId?: string;
  /** Number of the event that wrote the part, in responses in the background. `resume` continues after it. */
  readonly sequenceNumber?: number;
  /** The id under which the steps of the turn are recorded, on the result of a durable turn. @default the turn is not durable */
  readonly turnId?: string;
  /** The rounds of the turn, on the result. */
  readonly rounds?: readonly KelivoRoundMetadata[];
  /** The names of the adapters that were applied to the model, the outermost first, on the result. @default none was */
  readonly adapters?: readonly string[];
  /** The syntax in which tools were written into the prompt, on the result. @default tools were sent to the endpoint */
  readonly toolPrompting?: string;
  /** The limit of the tool loop that ended the calling of tools, on the result. @default none was reached */
  readonly stoppedBy?: TurnLimit;
  /** The model that answered, of those of `withFallback()`, on the result. The last one of a turn. */
  readonly answeredBy?: { readonly provider: string; readonly modelId: string };
  /** The cost of the turn in US dollars, on the result. @default unknown */
  readonly cost?: number;
  /** Warnings that arose after the stream had started, on the result. Generated results also contain them in `warnings`. */
  readonly warnings?: readonly string[];
  /**
   * Calls of the tool loop that the host does not keep, on texts, reasoning and calls. The next request restores them from
   * the history.
   */
  readonly hiddenCalls?: JSONValue;
  /** The MCP server and the tool's original name, on calls of MCP tools. The name of the call may differ from it. */
  readonly tool?: { readonly server: string; readonly name: string };
  /** Why the server ended the response early, for example `max_output_tokens`. */
  readonly incompleteReason?: string;
  /** Number of events of the stream that could not be read. */
  readonly droppedEvents?: number;
  /** Differences between the streamed text and the final text of the server that do not make the response fail. */
  readonly textNotes?: readonly string[];
  /** The final text of a message, if the streamed text contradicts it, so that the response fails. */
  readonly finalText?: string;
  /** Hosted MCP servers whose tools the API could not list, on the result. */
  readonly mcpErrors?: readonly { readonly serverLabel: string; readonly error: JSONValue }[];
  /** Calls that the server sent without a name. They do not run. On the result. */
  readonly unnamedCalls?: readonly { readonly toolCallId?: string; readonly input: string }[];
  /**
   * Names of calls in the model's text that a tool result or a text of the user contains as well. They are text, and do not
   * run. On the result.
   */
  readonly quotedCalls?: readonly string[];
  /** An output item without text, which the next request contains unchanged, on empty reasoning. */
  readonly item?: JSONValue;
  /** True for a message that is not part of the answer, on reasoning. The next request contains it as a message. */
  readonly commentary?: boolean;
  /** The agent that wrote the part, on parts of agents that the model has started. */
  readonly agent?: JSONValue;
  /** Ids of reasoning items of the request that the API could not use. Later requests omit them, unless they contain ids. */
  readonly removedReasoning?: readonly string[];
}

/**
 * Metadata in the format of the official provider, in `providerMetadata.openai` of results, parts and messages. Histories
 * are therefore interchangeable.
 */
export interface KelivoOpenAIMetadata {
  /** Id of the output item that the part belongs to. */
  readonly itemId?: string;
  /** Id of the response, on the result. */
  readonly responseId?: string | null;
  readonly serviceTier?: string;
  /** Encrypted reasoning for the next request, on reasoning parts. */
  readonly reasoningEncryptedContent?: string | null;
  /** `commentary` or `final_answer`, on text parts, and on reasoning parts that contain commentary. */
  readonly phase?: string;
  /** Namespace of the function, on calls. */
  readonly namespace?: string;
  /** The program that made the call, on calls. */
  readonly caller?: JSONValue;
  /** True for a call whose result the model does not wait for. */
  readonly async?: boolean;
  /** Citations, on text parts. */
  readonly annotations?: JSONValue;
  readonly logprobs?: JSONValue;
  /** `current_turn` or `all_turns`, on the result. */
  readonly reasoningContext?: string;
  /** Comparison with the cached prompt of another response, on the result, with the field names of the API. */
  readonly promptCacheDiagnostics?: JSONValue;
  /** Results of the requested moderation, on the result. */
  readonly moderation?: JSONValue;
  /** Tokens and requests of hosted tools, on the result. */
  readonly toolUsage?: JSONValue;
  /** Items of the request that the API has removed, on the result. */
  readonly inputTransformations?: JSONValue;
  /** The conversation that contains the response, on the result: `{ id }`. */
  readonly conversation?: JSONValue;
  /** Access programs that applied to the response, on the result. */
  readonly accessPrograms?: JSONValue;
  /** Time at which the response was complete, in seconds since 1970, on the result. */
  readonly completedAt?: number;
}

/** One round of a turn: one request to the model and the tool calls of its response. */
export interface KelivoRoundMetadata {
  readonly responseId?: string;
  /** Token counts. Counts that the server did not report are absent. */
  readonly usage: { readonly [count: string]: number | undefined };
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly durationMs: number;
    readonly isError: boolean;
    /** True if the output was read from a record, so that the tool did not run again. @default false */
    readonly isReplayed?: boolean;
  }[];
  readonly durationMs: number;
  /** True if the round was read from a record, without a request. @default false */
  readonly isReplayed?: boolean;
  /** True for a request that only compacted the conversation, before the next round. @default false */
  readonly isCompaction?: boolean;
  /** As on the result, for the response of this round. */
  readonly answeredBy?: KelivoProviderMetadata['answeredBy'];
  readonly mcpErrors?: KelivoProviderMetadata['mcpErrors'];
  readonly unnamedCalls?: KelivoProviderMetadata['unnamedCalls'];
  readonly quotedCalls?: KelivoProviderMetadata['quotedCalls'];
  readonly droppedEvents?: number;
  readonly incompleteReason?: string;
}

/** Loads the uploads when a program first sends one. */
const loadUploads = () => import('./files.js');

function toFiles(connection: Connection): FilesV4 {
  const load = async () => (await loadUploads()).createFiles(connection);
  return {
    specificationVersion: 'v4',
    provider: connection.provider,
    uploadFile: async options => (await load()).uploadFile(options),
    getFileMetadata: async options => (await load()).getFileMetadata(options),
    downloadFile: async options => (await load()).downloadFile(options),
    deleteFile: async options => (await load()).deleteFile(options),
  };
}

function toSkills(connection: Connection): SkillsV4 {
  return {
    specificationVersion: 'v4',
    provider: connection.provider,
    uploadSkill: async options => (await loadUploads()).createSkills(connection).uploadSkill(options),
  };
}
