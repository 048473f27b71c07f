import {
  type EmbeddingModelV2,
  type ImageModelV2,
  type LanguageModelV2,
  NoSuchModelError,
  type ProviderV2,
} from '@ai-sdk/provider';
import { generateId, loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { adaptModel } from './adapters/adapt-model.js';
import {
  createModelAdapterRegistry,
  type ModelAdapterRegistry,
} from './adapters/create-model-adapter-registry.js';
import { modelAdapters } from './adapters/model-adapters.js';
import { KelivoError } from './errors.js';
import { createCredentials } from './credentials.js';
import { createEmbeddingModel } from './embeddings/create-embedding-model.js';
import { resolveModelOverride } from './model-overrides.js';
import { createLearnedProfiles } from './responses/learned-profiles.js';
import { createResponsesModel } from './responses/responses-model.js';
import { toApiRoot, toEndpoint } from './responses/transport/base-url.js';
import { type KelivoResponsesSettings, validateSettings } from './settings.js';
import { withToolLoop } from './tool-loop/with-tool-loop.js';
import { createLazyToolSource } from './tools/lazy-tool-source.js';
import { createLocalTools } from './tools/local-tools.js';
import type { McpServers } from './tools/mcp/mcp-config.js';
import type { McpToolsOptions } from './tools/mcp/mcp-options.js';
import { validateMcpServers } from './tools/mcp/validate-mcp-servers.js';
import { isToolSource, type ToolSource } from './tools/tool-source.js';
import { createToolbox } from './tools/toolbox.js';
import { type PendingWarningsSource, withPendingWarnings } from './tools/with-pending-warnings.js';

const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/**
 * The declaration of a tool that the provider runs. Its schema is one of Zod's, which the `Tool` types of all releases
 * of `ai` take; a `jsonSchema()` is accepted only by the release it was made with.
 */
export interface ToolStub {
  description?: string;
  inputSchema: z.ZodType<Record<string, unknown>>;
}

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
  /** A text embedding model over `POST …/embeddings`. */
  textEmbeddingModel(modelId: string): EmbeddingModelV2<string>;
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
export function createKelivoResponsesProvider(
  options: KelivoResponsesSettings = {},
): KelivoResponsesProvider {
  const settings = validateSettings(options);
  const { name = 'kelivo-responses', query, toolLoop = {}, timeouts = {} } = settings;
  const root = toApiRoot(settings.baseURL ?? toDefaultBaseURL(settings), settings);
  const credentials = createCredentials(settings, { url: root.origin + root.pathname });
  // OpenAI's own; other servers may do without.
  const needsKey = root.hostname === 'api.openai.com';
  const fetch = settings.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const tools = createToolSource(settings);
  const adapters = toAdapters(settings.adapters);
  const learnedProfiles = createLearnedProfiles();

  const toModelEndpoint = (modelId: string, path: string): string =>
    toEndpoint(root, settings.azure?.deploymentUrls ? `deployments/${modelId}/${path}` : path, query);

  const responses = (modelId: string): LanguageModelV2 =>
    createResponsesModel(modelId, {
      provider: name,
      url: toModelEndpoint(modelId, 'responses'),
      credentials,
      needsKey,
      fetch,
      store: settings.store ?? false,
      systemMessageMode: settings.systemMessageMode ?? 'auto',
      missingReasoning: settings.missingReasoning ?? 'omit-ids',
      timeouts: { connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total },
      override: resolveModelOverride(modelId, { ...settings, host: root.hostname }),
      learnedProfile: learnedProfiles.of(modelId),
      generateId,
    });

  const languageModel = (modelId: string): LanguageModelV2 => {
    // Inside the loop: what the model wrote as text is a call by the time the loop looks.
    const model = adaptModel(responses(modelId), { adapters });
    if (tools === undefined || toolLoop === false) return model;
    return withToolLoop(model, {
      ...toolLoop,
      tools,
      timeouts: { tool: timeouts.tool, total: timeouts.total },
    });
  };

  const textEmbeddingModel = (modelId: string): EmbeddingModelV2<string> =>
    createEmbeddingModel(modelId, {
      provider: name,
      url: toModelEndpoint(modelId, 'embeddings'),
      credentials,
      needsKey,
      fetch,
    });

  return Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses,
    textEmbeddingModel,
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    toolStubs: async () => (toolLoop === false ? {} : toToolStubs(tools)),
    close: async () => tools?.close(),
  });
}

/** @throws KelivoError where the service has no address of its own: its key must not go to OpenAI. */
function toDefaultBaseURL({ flavor = 'openai', azure }: KelivoResponsesSettings): string {
  if (flavor === 'azure' && azure?.resourceName !== undefined)
    return `https://${azure.resourceName}.openai.azure.com`;
  // A variable that is set to nothing is not set; a setting of nothing is a mistake.
  const variable = loadOptionalSetting({
    settingValue: undefined,
    environmentVariableName: 'OPENAI_BASE_URL',
  });
  if (variable) return variable;
  if (flavor === 'openai') return OPENAI_BASE_URL;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\`${flavor === 'azure' ? ' or `azure.resourceName`' : ''} beside \`flavor: '${flavor}'\`, got neither. Set it, or OPENAI_BASE_URL.`,
  });
}

function toAdapters(adapters: KelivoResponsesSettings['adapters'] = modelAdapters): ModelAdapterRegistry {
  if (adapters === false) return createModelAdapterRegistry();
  return 'findFor' in adapters ? adapters : createModelAdapterRegistry(adapters);
}

/** MCP tools first: where a local tool has the same name, the server's keeps it. */
function createToolSource({
  tools,
  mcpServers,
  mcp = {},
}: KelivoResponsesSettings): PendingWarningsSource | undefined {
  const sources: ToolSource[] = [];
  if (mcpServers !== undefined)
    sources.push(isToolSource(mcpServers) ? mcpServers : toLazyMcpTools(mcpServers, mcp));
  if (tools !== undefined) sources.push(createLocalTools(tools));
  const source = sources.length > 1 ? createToolbox(sources) : sources[0];
  return source && withPendingWarnings(source);
}

/** The MCP SDK is large: a program that never calls a model does not load it. */
function toLazyMcpTools(
  mcpServers: McpServers,
  { expandVariables, ...options }: McpToolsOptions,
): ToolSource {
  const servers = validateMcpServers(mcpServers, { expandVariables });
  return createLazyToolSource('MCP servers', async () => {
    const { createMcpTools } = await import('./tools/mcp/create-mcp-tools.js');
    return createMcpTools(servers, options);
  });
}

async function toToolStubs(source: PendingWarningsSource | undefined): Promise<Record<string, ToolStub>> {
  const tools = (await source?.listToolsOnly()) ?? [];
  // Lenient on purpose: `ai@5` takes a call that fails the declared schema for one of its own.
  const inputSchema = z.looseObject({});
  return Object.fromEntries(
    tools.map(({ name, description }) => [
      name,
      { ...(description !== undefined && { description }), inputSchema },
    ]),
  );
}
