import { expect, it, onTestFinished } from 'vitest';
import { toToolOutput } from '../../../src/tools/mcp/features/tool-output.js';
import { createMcpTools } from '../../../src/tools/mcp/index.js';
import { serve } from '../../_server.js';

it('counts all parts of a result for the limit of its size', () => {
  const text = 'x'.repeat(20 * 1024 * 1024);
  const part = { type: 'text', text };
  expect(JSON.stringify(toToolOutput({ content: [part, part] })).length).toBeLessThan(34 * 1024 * 1024);
});

it('shows no secret of the configuration in the result of a failed call', async () => {
  const secret = 'sk-very-secret-0123456789';
  const { url } = await serve((response, { headers, body }) => {
    const { id, method, params } = body as { id?: number; method?: string; params?: Record<string, unknown> };
    if (method === undefined) return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
      'tools/call': {
        content: [{ type: 'text', text: `Upstream refused ${String(headers.authorization)}` }],
        isError: true,
      },
    };
    const result = results[method];
    const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const tools = createMcpTools({ s: { url: `${url}/mcp`, headers: { Authorization: `Bearer ${secret}` } } });
  onTestFinished(() => tools.close());
  await tools.listTools();
  const { signal } = new AbortController();
  const output = JSON.stringify(
    await tools.callTool({ toolCallId: 'c', toolName: 'a', input: {} }, { signal }),
  );
  expect(output).toContain('Upstream refused');
  expect(output).not.toContain(secret);
});
