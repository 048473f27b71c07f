export type {
  McpCallbacks,
  McpCallFacts,
  McpCallInfo,
  McpMessage,
  McpMessageContext,
  McpRequestContext,
  McpStateChange,
  McpUrlElicitation,
} from './config/callbacks.js';
export {
  type McpHttpServerConfig,
  type McpServerConfig,
  type McpServers,
  type McpStdioServerConfig,
  parseMcpConfig,
} from './config/config.js';
export type { McpFormIssue } from './features/argument-issues.js';
export { findFormIssues } from './form-issues.js';
export type { McpCredentialStore } from './auth/authorization.js';
export { createOAuthProvider, type OAuthProviderOptions } from './auth/oauth-provider.js';
export { createMcpConnectionPool } from './connection-pool.js';
export { createMcpTools } from './create-mcp-tools.js';
export type {
  McpCompletion,
  McpPromptMessage,
  McpPromptResult,
  McpRequestOptions,
  McpResourceContents,
  McpServerFeatures,
} from './features/server-features.js';
export type {
  McpToolSchemas,
  McpTypedTool,
  McpTypedTools,
  McpTypedToolsOptions,
} from './features/typed-tools.js';
export type { McpSkill, McpSkillFile } from './features/skills.js';
export type { McpContentPart } from './features/tool-output.js';
export type {
  McpConnectionPool,
  McpConnectionPoolOptions,
  McpSourceOptions,
  McpToolsOptions,
} from './options.js';
export type { McpServerStatus, McpTools } from './start-mcp-tools.js';
export type { McpStoredSession } from './transport/stored-session.js';
export type { McpFingerprints } from '../fingerprints.js';
export type { HostCallOptions, HostTool, HostTools, HostToolsOptions } from '../host-tools.js';
