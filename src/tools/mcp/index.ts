export type { McpConnectionState } from './connection.js';
export {
  createMcpConnectionPool,
  type McpConnectionPool,
  type McpConnectionPoolOptions,
} from './connection-pool.js';
export {
  createMcpTools,
  type McpServerStatus,
  type McpTools,
  type McpToolsOptions,
} from './create-mcp-tools.js';
export type {
  McpHttpServerConfig,
  McpServerConfig,
  McpServers,
  McpStdioServerConfig,
} from './mcp-config.js';
export { parseMcpConfig } from './parse-mcp-config.js';
