import { McpFailure, processesUnsupported } from './failures.js';

/**
 * What bundles for browsers have in place of `createStdioTransport`: the field `browser` of package.json says so.
 *
 * @throws McpFailure always, as no program can be started there.
 */
export function createStdioTransport(): never {
  throw new McpFailure({ kind: 'start', systemCode: processesUnsupported });
}
