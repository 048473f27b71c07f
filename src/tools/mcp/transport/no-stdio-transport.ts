import { McpFailure, processesUnsupported } from './failures.js';

/**
 * Replaces `createStdioTransport` in browser bundles, through the `browser` field of package.json.
 *
 * @throws McpFailure always, because browsers cannot start programs.
 */
export function createStdioTransport(): never {
  throw new McpFailure({ kind: 'start', systemCode: processesUnsupported });
}
