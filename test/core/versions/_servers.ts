import type { ToolSource } from '../../../src/tool-loop/index.js';
import { afterAll, vi } from 'vitest';
import { startMcpTools } from './_exits.js';
import { startWireServer, type WireServer } from './_wires.js';

/**
 * Starts the server of the three APIs and the MCP servers for the tests of a file. All packages of the application sign
 * histories with one secret.
 */
export async function startServers(): Promise<{ server: WireServer; mcp: ToolSource }> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  vi.stubEnv('KELIVO_HISTORY_SECRET', 'a secret of the tests of one application');
  const server = await startWireServer();
  const mcp = startMcpTools();
  afterAll(async () => {
    vi.unstubAllEnvs();
    await mcp.close();
    await server.close();
  });
  await mcp.listTools();
  return { server, mcp };
}
