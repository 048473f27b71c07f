import { expect, it } from 'vitest';
import { createStdioTransport } from '../../../src/tools/mcp/no-stdio-transport.js';
import { toMcpError } from '../../../src/tools/mcp/to-mcp-error.js';

it('says that programs can be started under Node only', () => {
  expect(createStdioTransport).toThrow();
  try {
    createStdioTransport();
  } catch (error) {
    expect(toMcpError(error, { serverName: 'files', config: { command: 'npx' } }).message).toBe(
      'MCP server "files" could not be started: programs can be started under Node only. Use a server with a `url`.',
    );
  }
});
