export {
  type McpHttpServerConfig,
  type McpServerConfig,
  type McpServers,
  type McpStdioServerConfig,
  parseMcpConfig,
} from './config/config.js';
export { createMcpConnectionPool } from './session/connection-pool.js';
export { createMcpTools } from './create-mcp-tools.js';
export type { FinishAuthOptions, McpServerStatus, McpTools } from './mcp-tools.js';
export type { McpConnectionState } from './session/current-session.js';
export type { McpCredentialStore } from './auth/auth-state.js';
export { createOAuthProvider, type OAuthProviderOptions } from './auth/oauth-provider.js';
export type { McpMessage } from './session/messages.js';
export type {
  McpCallInfo,
  McpConnectionPool,
  McpConnectionPoolOptions,
  McpSourceOptions,
  McpToolsOptions,
} from './config/options.js';
export type { McpContentPart, McpFilePart, McpTextPart } from './features/resource-content.js';
export type { McpCallFacts } from './session/running-calls.js';
export type {
  McpCompletion,
  McpPromptMessage,
  McpPromptResult,
  McpRequestOptions,
  McpResourceContents,
  McpServerFeatures,
} from './features/server-features.js';
export type {
  McpCallbacks,
  McpMessageContext,
  McpRequestContext,
  McpUrlElicitation,
} from './features/server-requests.js';
