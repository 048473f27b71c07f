export type { McpConnectionState } from './connection.js';
export { createMcpConnectionPool } from './connection-pool.js';
export { createMcpTools, type McpServerStatus, type McpTools } from './create-mcp-tools.js';
export type { McpCallbacks, McpMessageContext, McpRequestContext } from './options.js';
export type { McpHttpServerConfig, McpServerConfig, McpServers, McpStdioServerConfig } from './config.js';
export type {
  McpConnectionPool,
  McpConnectionPoolOptions,
  McpSourceOptions,
  McpToolsOptions,
} from './options.js';
export { parseMcpConfig } from './config.js';
