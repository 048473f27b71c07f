import { afterEach, expect, it, vi } from 'vitest';
import { processesUnsupported } from '../../../src/tools/mcp/transport/failures.js';
import { createStdioTransport } from '../../../src/tools/mcp/transport/no-stdio-transport.js';
import { toMcpError } from '../../../src/tools/mcp/session/errors.js';

const STDIO_TRANSPORT = '../../../src/tools/mcp/transport/stdio-transport.js';

afterEach(() => void vi.doUnmock(STDIO_TRANSPORT));

it('reports that programs can only be started in Node, Bun or Deno', () => {
  expect(createStdioTransport).toThrow();
  try {
    createStdioTransport();
  } catch (error) {
    expect(toMcpError(error, { serverName: 'files', config: { command: 'npx' } }).message).toBe(
      'MCP server "files" could not be started: programs can only be started in Node, Bun or Deno. Use a server with a `url` instead.',
    );
  }
});

it('reports the same if the stdio transport cannot be loaded', async () => {
  vi.doMock(STDIO_TRANSPORT, () => {
    throw new Error('The module child_process is not available.');
  });
  const { openTransport } = await import('../../../src/tools/mcp/transport/transport.js');
  const calls = { onSend: () => {}, onDelivery: () => {} };
  await expect(
    openTransport({ command: 'npx' }, { kind: 'stdio', listens: false, calls }),
  ).rejects.toMatchObject({
    kind: 'start',
    systemCode: processesUnsupported,
  });
});
