import { KelivoError } from '../../shared/errors.js';
import type { McpServers } from './config.js';
import { type ValidateServersOptions, validateMcpServers } from './validate-mcp-servers.js';

/** Where the known hosts keep their servers in a file, first match wins. */
const serverKeys = ['mcpServers', 'servers'];

/**
 * Reads a whole configuration file: `{"mcpServers": …}` of Claude Desktop, Cursor and others,
 * `{"servers": …}` of VS Code, or the servers object alone. Comments and trailing commas are allowed, as
 * in VS Code.
 *
 * @param json The text of the file, or what `JSON.parse` made of it.
 * @param options `expandVariables` does here what it does in `createMcpTools`; give it to one of the two.
 * @throws KelivoError `invalid-settings` when it is no JSON, names an unknown variable or a server in it is wrong.
 */
export function parseMcpConfig(json: unknown, options: ValidateServersOptions = {}): McpServers {
  const config = typeof json === 'string' ? parseJsonWithComments(json) : json;
  if (typeof config === 'object' && config !== null) {
    const found = Object.entries(config).find(([key]) => serverKeys.includes(key));
    if (found) return validateMcpServers(found[1], options);
  }
  return validateMcpServers(config, options);
}

function parseJsonWithComments(text: string): unknown {
  // Strings are matched first, so that an address in one keeps its two slashes.
  const withoutComments = text.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1');
  const plain = withoutComments.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1');
  try {
    return JSON.parse(plain.replace(/^\uFEFF/, ''));
  } catch (cause) {
    // The cause's own message quotes the text, which may hold secrets.
    const message =
      'Expected the MCP configuration to be JSON with an `mcpServers` object, got text that is no JSON.';
    throw new KelivoError({
      code: 'invalid-settings',
      message,
      cause: cause instanceof SyntaxError ? undefined : cause,
    });
  }
}
