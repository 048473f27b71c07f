import { createRequire } from 'node:module';
import path from 'node:path';
import type { McpServers } from 'kelivo-responses';

/** The reference MCP server that has a tool for everything: a development dependency, so nothing is downloaded. */
export function everythingServer(): McpServers {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  );
  const script = path.join(path.dirname(manifest), 'dist', 'index.js');
  return { everything: { command: process.execPath, args: [script, 'stdio'] } };
}
