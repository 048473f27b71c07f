/**
 * The provider for `ai@5`, native to version 2 of the model interface. The entries `kelivo-responses/v3` and
 * `kelivo-responses/v4` export the same names for `ai` 6 and 7.
 *
 * @module kelivo-responses
 */
import {
  createDefaultProvider,
  createHostedTools,
  type CreateProvider,
  createProviderOf,
  type ProviderOf,
} from './provider/provider.js';

export { type CorsProxyOptions, createCorsProxyFetch } from './core/http/base-url.js';
export { redactSecrets, type RedactSecretsOptions } from './core/redaction/redaction.js';
export { KelivoError, type KelivoErrorCode } from './core/shared/errors.js';
export { VERSION } from './core/shared/version.js';
export type {
  KelivoOpenAIMetadata,
  KelivoProviderMetadata,
  KelivoProviderOptions,
  KelivoRoundMetadata,
} from './provider/provider.js';
export type { ModelOverride } from './provider/model-overrides.js';
export { registerProvider, type RegisterProviderOptions } from './provider/workflow.js';
export type { RequestLogEntry, RequestLogger } from './core/http/request-log.js';
export type {
  AgentSettings,
  AgentSettingsOptions,
  CreateAgentSettings,
  StepSettings,
} from './tool-loop/agent-settings.js';
export type { CompactOptions, CompactResult } from './provider/compact.js';
export type { Compatibility } from './responses/compatibility/compatibility.js';
export type { KelivoResponsesSettings, TimeoutSettings, VersionSettings } from './provider/settings.js';
export type { ExtensionPart, OpenResponsesExtension } from './responses/stream/extension.js';
export type { ToolLoopOptions } from './tool-loop/options.js';
export type { ToolLoopEvent } from './tool-loop/turn/turn-reports.js';
export type { LocalTool, LocalTools } from './tools/local-tools.js';
export type { McpServerConfig, McpServers } from './tools/mcp/config/config.js';
export {
  type ClientMessage,
  readClientMessages,
  type ReadClientMessagesOptions,
} from './core/versions/history/client-messages.js';
export type { HistorySecret } from './core/versions/history/signatures.js';

/** A provider of models that use the Responses API and run the provider's tools. */
export type KelivoResponsesProvider = ProviderOf<'v2'>;

/**
 * Creates a provider for OpenAI or any server with the Responses API, with tools that the provider runs. Its models are
 * those of `ai@5`, or of the setting `specificationVersion`.
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
export const createKelivoResponsesProvider: CreateProvider<'v2'> = /* @__PURE__ */ createProviderOf('v2');

/** The default provider. It is created on first use from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, and has no tools. */
export const kelivoResponses: KelivoResponsesProvider = /* @__PURE__ */ createDefaultProvider('v2');

/**
 * OpenAI tools that the official provider for `ai@5` has no factory for, and `computerUse` and `mcpApproval`. Put them into
 * the `tools` of `generateText` and `streamText`. Arguments, inputs and outputs are those of the official provider; all
 * arguments are sent, also those that this version does not know. Tools
 * that the host executes accept an `execute`, as any tool does. `provider.tools` has all tools of the official provider.
 *
 * @example
 * ```ts
 * tools: {
 *   docs: hostedTools.mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' }),
 *   shell: hostedTools.shell({ execute: async ({ action }) => ({ output: await runAll(action.commands) }) }),
 * }
 * ```
 */
export const hostedTools = /* @__PURE__ */ createHostedTools('v2');
