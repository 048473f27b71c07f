import type { FetchFunction } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { validateAdapters } from '../adapters/adapter-choice.js';
import { type ObservedOptions, telemetrySetting } from '../core/telemetry.js';
import type { ApiStyle } from '../core/http/base-url.js';
import type { ApiKeySetting } from '../core/http/key-ring.js';
import type { CompressionOptions } from '../core/http/compression.js';
import type { RequestLogger } from '../core/http/request-log.js';
import { KelivoError } from '../core/shared/errors.js';
import { isPlainObject } from '../core/shared/json.js';
import { once } from '../core/shared/once.js';
import {
  findSettingsIssues,
  functionSetting,
  parseSettings,
  SchemaTable,
  type SettingsOf,
} from '../core/shared/settings.js';
import type { OpenResponsesExtension } from '../responses/stream/extension.js';
import { type SettingOptions, settingOptions } from '../responses/request/setting-options.js';
import type { WebSocketSettings } from '../responses/websocket/transport.js';
import { toolLoopRows, type ToolLoopOptions } from '../tool-loop/options.js';
import { type GivenTools, toolsSetting } from '../tools/given-tools.js';
import type { HostVersion } from '../core/versions/specification.js';
import { historySecretSetting } from '../core/versions/history/signatures.js';
import type { McpServers } from '../tools/mcp/config/config.js';
import type { McpToolsOptions } from '../tools/mcp/options.js';
import { validateMcpToolsOptions } from '../tools/mcp/options.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import {
  createModelOverridesSchema,
  type ModelSettings,
  modelSettingsRows,
  type SchemaOf,
} from './model-overrides.js';

const objectSetting = <Type>() => z.custom<Type>(isPlainObject, 'expected an object');

const createApiSchema = (): SchemaOf<ApiStyle> => z.enum(['openai', 'azure', 'google', 'open-responses']);

const createApiKeySchema = (): SchemaOf<ApiKeySetting> =>
  z.union(
    [z.string(), z.array(z.string()), functionSetting<() => string | Promise<string>>()],
    'expected a string, a list of strings or a function',
  );

const createCompressionSchema = (): SchemaOf<CompressionOptions> =>
  z.strictObject({
    threshold: z.number().min(0).optional(),
  } satisfies Record<keyof CompressionOptions, z.ZodType>);

type Headers = Record<string, string | undefined>;
const createHeadersSchema = (): SchemaOf<Headers | (() => Headers)> =>
  z.union(
    [z.record(z.string(), z.string().optional()), functionSetting<() => Headers>()],
    'expected an object of strings or a function',
  );

/** Time limits, in milliseconds. */
export interface TimeoutSettings extends Pick<
  NonNullable<ToolLoopOptions['timeouts']>,
  'tool' | 'tools' | 'total' | 'unread'
> {
  /** Time from the request to the beginning of the response. @default none */
  connect?: number;
  /**
   * Time between two chunks of a stream. Keep-alive comments count as chunks; the time of tool calls is excluded.
   * @default none
   */
  idle?: number;
}

function createTimeoutsSchema(): SchemaOf<TimeoutSettings> {
  const milliseconds = z.number().positive();
  return z
    .strictObject({
      connect: milliseconds,
      idle: milliseconds,
      tool: milliseconds,
      tools: z.record(z.string(), milliseconds),
      total: milliseconds,
      unread: z.union([milliseconds, z.literal(false)]),
    } satisfies Record<keyof TimeoutSettings, z.ZodType>)
    .partial();
}

function createWebSocketSchema(): SchemaOf<WebSocketSettings> {
  return z
    .strictObject({
      keepAlive: z.number().min(0),
      multiplex: z.boolean(),
      WebSocket: functionSetting<NonNullable<WebSocketSettings['WebSocket']>>(),
    } satisfies Record<keyof WebSocketSettings, z.ZodType>)
    .partial();
}

function createToolLoopSchema(): SchemaOf<
  Omit<ToolLoopOptions, 'tools' | 'timeouts' | 'historySecret'> | false
> {
  const { timeouts: _, historySecret: __, ...rows } = toolLoopRows;
  return z.union([z.literal(false), new SchemaTable(rows).schema]);
}

/*
 * The settings of a provider except `tools`, and except those that also models or calls have. Those are not spread here,
 * because the comments of spread members are missing in declarations. A new setting is one entry here: its type, its comment and its row in the
 * reference of all options are taken from the entry.
 */
const settingsRows = {
  /**
   * The provider's name in `model.provider`, in errors and in telemetry. It must not end in `.responses`, because hosts
   * treat such a provider as the official one.
   * @default 'kelivo-responses'
   */
  name: () => z.string().min(1),
  /**
   * The root of the API, for example `https://api.openai.com/v1` or `http://localhost:8000`. A missing version segment
   * is added, a pasted endpoint (`…/v1/responses`) is accepted, and a query string is kept.
   * @default the environment variable `OPENAI_BASE_URL`, else `https://api.openai.com/v1`
   */
  baseURL: () => z.string(),
  /**
   * The style of the API root and of the key header: `openai` ends in `/v1`, `google` in `/v1beta`, and `azure` in
   * `/openai/v1` with the key in an `api-key` header. `open-responses` is a server of the Open Responses specification, at
   * the URL of the root or of the endpoint; it receives `presencePenalty` and `frequencyPenalty`, too. All but `openai` need
   * a `baseURL`.
   * @default 'openai'
   */
  api: createApiSchema,
  /**
   * One API key, several keys as a list or separated by commas, or a function that returns the key for a turn, such as a
   * Microsoft Entra token. Several keys are used in rotation; all requests of one turn use the same key. A key that the server
   * rejects is disabled for ten minutes, and a key over its rate limit for the time that the server specifies. The request
   * then continues with the next key. Servers other than OpenAI's may work without a key.
   * @default the environment variable `OPENAI_API_KEY`
   */
  apiKey: createApiKeySchema,
  /** OpenAI organization, sent as `OpenAI-Organization`. */
  organization: () => z.string(),
  /** OpenAI project, sent as `OpenAI-Project`. */
  project: () => z.string(),
  /** Additional headers of every request, or a function that returns them. They override the provider's headers. */
  headers: createHeadersSchema,
  /**
   * Additional query parameters of every request. With `api: 'azure'`, a dated `api-version` such as `2025-04-01-preview`
   * selects the older root `/openai`.
   */
  query: () => z.record(z.string(), z.string()),
  /** Replaces `fetch`, for proxies and tests. @default the global `fetch` */
  fetch: () => functionSetting<FetchFunction>(),
  /**
   * Called for every HTTP request to the API, including retries and embeddings, with its status and duration. Keys and
   * other secrets are redacted, also where a response repeats them. Errors it throws are ignored. Requests to MCP servers
   * are not logged here.
   * @default none
   */
  logger: () => functionSetting<RequestLogger>(),
  /**
   * Compresses long request bodies with gzip: `{ threshold }` is the length in characters from which on, 100000 by default.
   * For servers that accept it; another one receives the request again without compression, and so it does later ones.
   * @default requests are not compressed
   */
  compression: createCompressionSchema,
  /**
   * Options of the transport `websocket`. `keepAlive` is the time in milliseconds for which an unused connection is kept,
   * 300000 by default. `multiplex: true` sends the requests of turns that run at the same time on one connection, for servers
   * that accept it. `WebSocket` is the client, such as a subclass of that of `ws` with an `agent`. If the server has lost the
   * previous response or reached the limit of a connection, the complete input is sent once. An abort closes the connection,
   * unless it is multiplexed.
   */
  webSocket: createWebSocketSchema,
  /**
   * Replay of calls whose reasoning item is missing in the history. `omit-ids` sends the call without its item id, which
   * every server accepts. `synthesize` keeps the id and adds the reasoning item that it requires.
   * @default 'omit-ids'
   */
  missingReasoning: () => z.enum(['omit-ids', 'synthesize']),
  /**
   * Overrides for single language models, by exact id or by a pattern in which `*` matches any characters, for example
   * `{ 'qwen*': { body: { top_k: 20 } } }`. If several patterns match, the more specific one wins, field by field.
   * @default none
   */
  models: createModelOverridesSchema,
  /**
   * Codecs for extensions of Open Responses: how their items and events are shown, and their tools encoded. Items are kept
   * and sent back without a codec, too, and a provider tool `acme.document_search` is sent as `acme:document_search`.
   * @default none
   */
  extensions: () => z.array(objectSetting<OpenResponsesExtension>()),
  /** Time limits, in milliseconds. */
  timeouts: createTimeoutsSchema,
  /**
   * MCP servers, in the format of `mcpServers` of Claude Desktop, Cursor or VS Code. They start when they are first
   * needed. Pass the result of `createMcpTools()` to share servers or to observe their state.
   */
  mcpServers: () => objectSetting<McpServers | ToolSource>(),
  /** Options for the servers in `mcpServers`: timeouts and callbacks, as for `createMcpTools`. */
  mcp: () => objectSetting<McpToolsOptions>(),
  /** Options of the tool loop, or `false` for models without one. */
  toolLoop: createToolLoopSchema,
  /**
   * Signs what the models write into the history of the host (`providerMetadata.kelivo`), because a client may send it back
   * changed. 32 characters or more of random text, the same in all processes, or a list: the first one signs, and all
   * verify. What has no valid signature is left out, with a warning. `false` only for histories that never leave the server,
   * or that no client can change: nothing is signed and everything counts.
   * @default the environment variable `KELIVO_HISTORY_SECRET`, else derived from the static API keys, else a secret of the
   * process
   */
  historySecret: historySecretSetting,
};

/** The settings of a provider. Every setting is optional. */
export interface KelivoResponsesSettings<ToolSchemas = Record<string, unknown>>
  extends SettingsOf<typeof settingsRows>, ModelSettings, ObservedOptions, SettingOptions {
  /**
   * Tools that run in this process: plain objects or AI SDK `tool()` objects with `execute`. The input of each tool is
   * inferred from its `inputSchema`. Also sources of tools, such as the result of `createMcpTools()`, and a list of both.
   */
  tools?: GivenTools<ToolSchemas>;
}

/** The setting of `createKelivoResponsesProvider` that determines the type of its models, in addition to `KelivoResponsesSettings`. */
export interface VersionSettings<Version extends HostVersion | undefined> {
  /**
   * Version of the models, for the host: `v2` for `ai@5`, `v3` for `ai@6`, `v4` for `ai@7`. The entries of the package differ
   * in the default only.
   * @default 'v2', in `kelivo-responses/v3` 'v3', and in `kelivo-responses/v4` 'v4'
   */
  specificationVersion?: Version;
}

/** All settings. Combinations of settings and entries of lists are checked in addition. */
export const settingsTable = once(
  () =>
    new SchemaTable({
      ...settingsRows,
      ...modelSettingsRows(),
      ...settingOptions,
      telemetry: telemetrySetting,
      tools: toolsSetting,
    }),
);

const SETTINGS = 'the provider settings';

/** Returns one sentence for each invalid setting, or for an invalid combination. Entries of `adapters` are not checked. */
export function findProviderSettingsIssues(settings: unknown): string[] {
  const issues = findSettingsIssues(settingsTable().schema, settings, SETTINGS);
  if (issues.length > 0) return issues;
  try {
    checkCombination(settings as KelivoResponsesSettings);
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [error.message];
    throw error;
  }
}

/**
 * Validates the settings of a provider and their combination.
 *
 * @throws KelivoError with code `invalid-settings`, naming the setting, the expected and the received value.
 */
export function validateSettings(settings: unknown): KelivoResponsesSettings {
  const valid = parseSettings<KelivoResponsesSettings>(settingsTable().schema, settings, SETTINGS);
  checkCombination(valid);
  for (const { adapters } of [valid, ...Object.values(valid.models ?? {})]) validateAdapters(adapters);
  return valid;
}

function checkCombination({ name, mcp, mcpServers }: KelivoResponsesSettings): void {
  if (name?.endsWith('.responses')) {
    throw invalid(
      `Expected \`name\` not to end in ".responses", got "${name}": hosts treat such a provider as the official ` +
        'OpenAI provider and handle its tools themselves. Choose another name.',
    );
  }
  if (mcp === undefined) return;
  validateMcpToolsOptions(mcp, 'the setting `mcp`');
  if (mcpServers === undefined || isToolSource(mcpServers)) {
    throw invalid(
      'Expected `mcpServers` to be an object of servers with the setting `mcp`, got ' +
        `${mcpServers === undefined ? 'nothing' : 'a tool source, which has its own options'}.`,
    );
  }
}

const invalid = (message: string): KelivoError => new KelivoError({ code: 'invalid-settings', message });
