import type { FetchFunction } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import type { ModelAdapterRegistry } from '../adapters/registry.js';
import type { ModelAdapter } from '../adapters/model-adapter.js';
import { KelivoError } from '../shared/errors.js';
import { compatibilitySchema, type ModelOverride, modelOverridesSchema } from './model-overrides.js';
import { findSettingsIssues, parseSettings } from '../shared/settings.js';
import type { RequestLogger } from '../http/request-log.js';
import type { Compatibility } from '../responses/compatibility/compatibility.js';
import type { KnownServerName } from '../responses/compatibility/known-servers.js';
import type { AzureSettings, ApiStyle } from '../http/base-url.js';
import type { ApiKeySetting } from '../http/key-ring.js';
import type { ToolLoopOptions } from '../tool-loop/options.js';
import { toolLoopSettingsShape } from '../tool-loop/options.js';
import type { LocalTools } from '../tools/local-tools.js';
import type { McpServers } from '../tools/mcp/config.js';
import type { McpToolsOptions } from '../tools/mcp/options.js';
import { validateMcpToolsOptions } from '../tools/mcp/options.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';

/** What a provider is made of. Every setting is optional. */
export interface KelivoResponsesSettings<ToolSchemas = Record<string, unknown>> {
  /**
   * The provider's name in `model.provider`, in errors and in telemetry. It must not end in `.responses`: hosts treat
   * that as the official provider's.
   * @default 'kelivo-responses'
   */
  name?: string;
  /**
   * The root of the API, for example `https://api.openai.com/v1` or `http://localhost:8000`. A missing version segment
   * is added, a pasted endpoint (`…/v1/responses`) is understood, a query string is kept.
   * @default the environment variable `OPENAI_BASE_URL`, else `https://api.openai.com/v1`
   */
  baseURL?: string;
  /**
   * How the API root of the service looks, and how it takes keys: `openai` ends in `/v1`, `google` in `/v1beta`, `azure`
   * in `/openai/v1` with the key in an `api-key` header.
   * @default 'openai'
   */
  api?: ApiStyle;
  /** What Azure OpenAI needs to know beside its address; for the api `azure` alone. */
  azure?: AzureSettings;
  /**
   * The API key; several, as a list or separated by commas; or a function that gives one for each turn, such as a token
   * of Entra. Several are used in turn, one for all requests of a turn. One that the server refuses rests for ten
   * minutes, one that is over its rate limit for as long as the server says, and the request goes on with the next.
   * Servers other than OpenAI's may do without a key.
   * @default the environment variable `OPENAI_API_KEY`
   */
  apiKey?: ApiKeySetting;
  /** OpenAI organization, sent as `OpenAI-Organization`. */
  organization?: string;
  /** OpenAI project, sent as `OpenAI-Project`. */
  project?: string;
  /** Further headers of every request, or a function that gives them for each. They win over the provider's own. */
  headers?: Record<string, string | undefined> | (() => Record<string, string | undefined>);
  /** Further query parameters of every request. */
  query?: Record<string, string>;
  /** A `fetch` of the host's own, for proxies and tests. @default the global `fetch` */
  fetch?: FetchFunction;
  /**
   * Told of each HTTP request to the API, those that are repeated and those for embeddings too, with its status and how
   * long it took. Keys and other secrets are not in it; an exception it throws is ignored.
   * @default none
   */
  logger?: RequestLogger;
  /**
   * Whether the server keeps the answers. Without it a conversation is replayed as a whole, with encrypted reasoning.
   * @default false
   */
  store?: boolean;
  /**
   * The role system messages are sent with: by the model's name (`auto`), always `system` or `developer`, or not at all
   * (`remove`).
   * @default 'auto'
   */
  systemMessageMode?: 'auto' | 'system' | 'developer' | 'remove';
  /**
   * What is done about a call in the history whose reasoning item is missing. `omit-ids` sends calls without item ids,
   * which every server takes; `synthesize` keeps the ids and makes up the reasoning items they ask for.
   * @default 'omit-ids'
   */
  missingReasoning?: 'omit-ids' | 'synthesize';
  /**
   * What the server's input takes, where that is not what OpenAI's takes: the name of a server, or an object that
   * changes single points of what holds otherwise. Local servers cannot be told by their address: name `vllm`,
   * `lmstudio` or `llamacpp`. Whatever is set, a request that is refused for a known reason is changed and sent once
   * more, and the next ones of that model are changed before they are sent.
   * @default by the host of `baseURL`, else `openai`
   */
  compatibility?: KnownServerName | Compatibility;
  /**
   * What is different for some language models: by exact id, or by a pattern whose `*` stands for any characters, for
   * example `{ 'qwen*': { body: { top_k: 20 } } }`. Of several that match, the more specific wins, field by field.
   * @default none
   */
  models?: Record<string, ModelOverride>;
  /** Time limits, all in milliseconds. */
  timeouts?: {
    /** Until a streamed answer begins. @default none */
    connect?: number;
    /** Between two pieces of a stream; tool time does not count, keep-alive comments do. @default none */
    idle?: number;
    /** For one tool call; progress starts it anew, and the model reads that it failed. @default none */
    tool?: number;
    /** For a whole turn with all its rounds. @default none */
    total?: number;
  };
  /** Tools that run in this process: AI SDK `tool()` objects with `execute`. */
  tools?: LocalTools<ToolSchemas>;
  /**
   * MCP servers, as in the `mcpServers` of Claude Desktop, Cursor or VS Code. They are started when first needed. Or
   * the result of `createMcpTools()`, for an application that wants to see their state or shares them.
   */
  mcpServers?: McpServers | ToolSource;
  /** How the servers of `mcpServers` are used, and what they may ask of the host: the options of `createMcpTools`. */
  mcp?: McpToolsOptions;
  /** How the tool loop works, or `false` for models that run no tools. */
  toolLoop?: Omit<ToolLoopOptions, 'tools' | 'timeouts'> | false;
  /**
   * What evens out the quirks of model families, such as tool calls that are written as text: a registry or a list to
   * choose from by model id, or `false` for models as they are. They stand inside the tool loop.
   * @default modelAdapters of `kelivo-responses/adapters`
   */
  adapters?: ModelAdapterRegistry | readonly ModelAdapter[] | false;
}

const milliseconds = z.number().positive().optional();
const isFunction = (value: unknown): boolean => typeof value === 'function';
const aFunction = <Type>() => z.custom<Type>(isFunction, 'expected a function');
const anObject = <Type>() =>
  z.custom<Type>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected an object',
  );

/** A list is checked adapter by adapter where it is used. */
const isAdapters = (value: unknown): boolean =>
  value === false || Array.isArray(value) || typeof Object(value).findFor === 'function';

const { timeouts, ...toolLoopShape } = toolLoopSettingsShape;

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  baseURL: z.string().optional(),
  api: z.enum(['openai', 'azure', 'google']).optional(),
  azure: z
    .strictObject({
      resourceName: z.string().min(1).optional(),
      apiVersion: z.string().min(1).optional(),
      deploymentUrls: z.boolean().optional(),
    })
    .optional(),
  apiKey: z
    .union(
      [z.string(), z.array(z.string()), aFunction<() => string | Promise<string>>()],
      'expected a string, a list of strings or a function',
    )
    .optional(),
  organization: z.string().optional(),
  project: z.string().optional(),
  headers: z
    .union(
      [z.record(z.string(), z.string().optional()), aFunction<() => Record<string, string | undefined>>()],
      'expected an object of strings or a function',
    )
    .optional(),
  query: z.record(z.string(), z.string()).optional(),
  fetch: aFunction<FetchFunction>().optional(),
  logger: aFunction<RequestLogger>().optional(),
  store: z.boolean().optional(),
  systemMessageMode: z.enum(['auto', 'system', 'developer', 'remove']).optional(),
  missingReasoning: z.enum(['omit-ids', 'synthesize']).optional(),
  compatibility: compatibilitySchema,
  models: modelOverridesSchema,
  timeouts: z
    .strictObject({ connect: milliseconds, idle: milliseconds, tool: milliseconds, total: milliseconds })
    .optional(),
  tools: anObject<LocalTools>().optional(),
  mcpServers: anObject<McpServers | ToolSource>().optional(),
  mcp: anObject<McpToolsOptions>().optional(),
  toolLoop: z.union([z.literal(false), z.strictObject(toolLoopShape)]).optional(),
  adapters: z
    .custom<NonNullable<KelivoResponsesSettings['adapters']>>(
      isAdapters,
      'expected a registry of adapters, a list of them, or false',
    )
    .optional(),
}) satisfies z.ZodType<KelivoResponsesSettings>;

export const settingNames: readonly string[] = Object.keys(schema.shape);

const SETTINGS = 'the provider settings';

/** What is wrong with single settings, a sentence for each fault. Whether they go together is not looked at. */
export const findSettingFaults = (settings: unknown): string[] =>
  findSettingsIssues(schema, settings, SETTINGS);

/** @throws KelivoError with code `invalid-settings`, naming the setting, what was expected and what came. */
export function validateSettings(settings: unknown): KelivoResponsesSettings {
  const valid = parseSettings<KelivoResponsesSettings>(schema, settings, SETTINGS);
  if (valid.name?.endsWith('.responses')) {
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected \`name\` not to end in ".responses", got "${valid.name}": hosts take such a name for the official ` +
        'OpenAI provider and add tool handling of their own. Choose another name.',
    });
  }
  if (valid.azure !== undefined && valid.api !== 'azure') {
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        "Expected `api: 'azure'` beside the setting `azure`, " +
        `got \`api: ${valid.api}\`. Add it, or leave \`azure\` out.`,
    });
  }
  if (valid.mcp !== undefined) {
    validateMcpToolsOptions(valid.mcp, 'the setting `mcp`');
    if (valid.mcpServers === undefined || isToolSource(valid.mcpServers)) {
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          'Expected `mcpServers` to be an object of servers beside the setting `mcp`, got ' +
          `${valid.mcpServers === undefined ? 'nothing' : 'a tool source, which has options of its own'}.`,
      });
    }
  }
  return valid;
}
