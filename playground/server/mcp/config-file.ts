import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type McpServers, parseMcpConfig } from 'kelivo-responses/mcp';

/** The servers of the file; `defaults` are written to it first if there is none. */
export function readConfigFile(file: string, { defaults }: { defaults: McpServers }): McpServers {
  if (!existsSync(file)) writeConfigFile(file, defaults);
  return parseMcpConfig(readFileSync(file, 'utf8'));
}

/** Replaces the file as a whole, readable by its owner alone: it may hold keys. */
export function writeConfigFile(file: string, mcpServers: McpServers): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify({ mcpServers }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
