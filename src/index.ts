export type { ModelAdapterRegistry } from './adapters/create-model-adapter-registry.js';
export type { ModelAdapter } from './adapters/model-adapter.js';
export { type CorsProxyOptions, createCorsProxyFetch } from './create-cors-proxy-fetch.js';
export { KelivoError, type KelivoErrorCode } from './errors.js';
export { kelivoResponses } from './kelivo-responses.js';
export type { ModelOverride } from './model-overrides.js';
export { createKelivoResponsesProvider, type KelivoResponsesProvider } from './provider.js';
export type { RequestLogEntry, RequestLogger } from './request-log.js';
export { hostedTools } from './responses/hosted-tools/hosted-tools.js';
export type { InputProfile } from './responses/request/input-profile.js';
export type { InputProfileName } from './responses/request/input-profiles.js';
export type { AzureSettings, Flavor } from './responses/transport/base-url.js';
export type { ApiKeySetting } from './responses/transport/key-ring.js';
export type { KelivoResponsesSettings } from './settings.js';
export type { ApprovalDecision, ApprovalRequest, Approvals, Approve } from './tool-loop/ask-approval.js';
export type { ToolResultStore } from './tool-loop/call-results.js';
export type { ToolLoopOptions } from './tool-loop/options.js';
export type { ToolLoopEvent } from './tool-loop/tool-loop-event.js';
export type { LocalTool, LocalTools } from './tools/local-tools.js';
export type {
  McpHttpServerConfig,
  McpServerConfig,
  McpServers,
  McpStdioServerConfig,
} from './tools/mcp/mcp-config.js';
export type { ToolStub } from './tools/to-tool-stubs.js';
