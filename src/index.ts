export type { ModelAdapterRegistry } from './adapters/registry.js';
export type { ModelAdapter } from './adapters/model-adapter.js';
export { type CorsProxyOptions, createCorsProxyFetch } from './http/cors-proxy.js';
export { KelivoError, type KelivoErrorCode } from './shared/errors.js';
export type {
  KelivoOpenAIMetadata,
  KelivoProviderMetadata,
  KelivoProviderOptions,
  KelivoRoundMetadata,
} from './provider/call-types.js';
export { kelivoResponses } from './provider/default-provider.js';
export type { ModelOverride } from './provider/model-overrides.js';
export { createKelivoResponsesProvider, type KelivoResponsesProvider } from './provider/provider.js';
export type { RegistrableProvider } from './provider/recreate-model.js';
export { registerProvider, type RegisterProviderOptions } from './provider/register-provider.js';
export type { RequestLogEntry, RequestLogger } from './http/request-log.js';
export type { CompactMessage, CompactOptions, CompactResult } from './responses/compact.js';
export { hostedTools } from './responses/hosted-tools/factories.js';
export type { Compatibility } from './responses/compatibility/compatibility.js';
export type { KnownServerName } from './responses/compatibility/known-servers.js';
export type { AzureSettings, ApiStyle } from './http/base-url.js';
export type { ApiKeySetting } from './http/key-ring.js';
export type { KelivoResponsesSettings, TimeoutSettings } from './provider/settings.js';
export type { HostApprovalOptions } from './tool-loop/approval-ids.js';
export type {
  ApprovalDecision,
  ApprovalRequest,
  Approvals,
  ApprovalStatus,
  Approve,
  StatedAnnotations,
  ToolApproval,
} from './tool-loop/approvals.js';
export type { ToolLoopJournal, ToolLoopStep } from './tool-loop/steps.js';
export type { ToolLoopOptions } from './tool-loop/options.js';
export type { ToolLoopEvent } from './tool-loop/events.js';
export type { LocalTool, LocalToolCallOptions, LocalTools, ToolInput } from './tools/local-tools.js';
export type {
  McpHttpServerConfig,
  McpServerConfig,
  McpServers,
  McpStdioServerConfig,
} from './tools/mcp/config.js';
export type { ToolStub, ToolStubsOptions } from './tools/tool-stubs.js';
