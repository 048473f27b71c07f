/**
 * The provider for `ai@6`, native to version 3 of the model interface. `ai@7` accepts its models as well. The names are those of the main entry.
 *
 * @module kelivo-responses/v3
 */
import {
  type AnyProvider,
  convertModel,
  convertProvider,
  createDefaultProvider,
  createHostedTools,
  type CreateProvider,
  createProviderOf,
  type ProviderOf,
} from './provider/provider.js';
import {
  type AnyEmbeddingModel,
  type EmbeddingModelV3,
  fromEmbeddingModel,
  toEmbeddingModel,
} from './core/versions/embedding-model.js';
import type { AnyLanguageModel, LanguageModelV3 } from './core/versions/specification.js';

export type * from './index.js';
export { createCorsProxyFetch } from './core/http/base-url.js';
export { registerProvider } from './provider/workflow.js';
export { redactSecrets } from './core/redaction/redaction.js';
export { KelivoError } from './core/shared/errors.js';
export { VERSION } from './core/shared/version.js';
export { toLanguageModelV2 } from './core/versions/language-model.js';
export type { EmbeddingModelV3 } from './core/versions/embedding-model.js';
export {
  type ClientMessage,
  readClientMessages,
  type ReadClientMessagesOptions,
} from './core/versions/history/client-messages.js';
export type { HistorySecret } from './core/versions/history/signatures.js';
export type { LanguageModelV3 } from './core/versions/specification.js';

/** A provider of models that use the Responses API and run the provider's tools. */
export type KelivoResponsesProvider = ProviderOf<'v3'>;

/**
 * Creates a provider for OpenAI or any server with the Responses API, with tools that the provider runs. Its models are
 * those of `ai@6`, or of the setting `specificationVersion`.
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
export const createKelivoResponsesProvider: CreateProvider<'v3'> = /* @__PURE__ */ createProviderOf('v3');

/** The default provider. It is created on first use from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, and has no tools. */
export const kelivoResponses: KelivoResponsesProvider = /* @__PURE__ */ createDefaultProvider('v3');

/**
 * OpenAI tools that the official provider for `ai@5` has no factory for, and `computerUse` and `mcpApproval`. Put them into
 * the `tools` of `generateText` and `streamText`. Arguments, inputs and outputs are those of the official provider. Tools
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
export const hostedTools = /* @__PURE__ */ createHostedTools('v3');

/** Converts a provider to version 3. Both share tools, keys and connections, and closing one closes both. */
export const toProviderV3 = (provider: AnyProvider): KelivoResponsesProvider =>
  convertProvider(provider, 'v3');

/**
 * Converts a language model of another version to version 3, the native version of `ai@6`. All calls of a tool loop are
 * included, also calls of tools that the host did not declare.
 */
export const toLanguageModelV3 = (model: AnyLanguageModel): LanguageModelV3 => convertModel(model, 'v3');

/** Converts an embedding model of another version to version 3. */
export const toEmbeddingModelV3 = (model: AnyEmbeddingModel): EmbeddingModelV3 =>
  toEmbeddingModel(fromEmbeddingModel(model), 'v3');
