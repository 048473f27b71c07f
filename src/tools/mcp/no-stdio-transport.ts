import { McpFailure, noProcesses } from './mcp-failure.js';

/**
 * What bundles for browsers have in place of `createStdioTransport`: the field `browser` of package.json says so.
 *
 * @throws McpFailure always, as no program can be started there.
 */
export function createStdioTransport(): never {
  throw new McpFailure({ kind: 'start', systemCode: noProcesses });
}
