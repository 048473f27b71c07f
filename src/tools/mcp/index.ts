export {
  type McpHttpServerConfig,
  type McpServerConfig,
  type McpServers,
  type McpStdioServerConfig,
  parseMcpConfig,
} from './config.js';
export { createMcpConnectionPool } from './connection-pool.js';
export { createMcpTools } from './create-mcp-tools.js';
export type { FinishAuthOptions, McpServerStatus, McpTools } from './mcp-tools.js';
export type { McpConnectionState } from './current-session.js';
export type { McpCredentialStore } from './auth-state.js';
export { createOAuthProvider, type OAuthProviderOptions } from './oauth-provider.js';
export type { McpMessage } from './messages.js';
export type {
  McpCallInfo,
  McpConnectionPool,
  McpConnectionPoolOptions,
  McpSourceOptions,
  McpToolsOptions,
} from './options.js';
export type { McpContentPart, McpFilePart, McpTextPart } from './resource-content.js';
export type { McpCallFacts } from './running-calls.js';
export type {
  McpCompletion,
  McpPromptMessage,
  McpPromptResult,
  McpRequestOptions,
  McpResourceContents,
  McpServerFeatures,
} from './server-features.js';
export type {
  McpCallbacks,
  McpMessageContext,
  McpRequestContext,
  McpUrlElicitation,
} from './server-requests.js';
