import { KelivoError } from '../../../core/shared/errors.js';

/** @throws KelivoError `unknown-name`, naming the servers that exist. */
export function findServer<Server extends { readonly name: string }>(
  servers: readonly Server[],
  serverName: string,
): Server {
  const found = servers.find(server => server.name === serverName);
  if (found !== undefined) return found;
  const names = servers.map(server => JSON.stringify(server.name)).join(', ');
  throw new KelivoError({
    code: 'unknown-name',
    message:
      `Expected the name of an MCP server that is not disabled (${names || 'there is none'}), ` +
      `got ${JSON.stringify(serverName)}.`,
  });
}
