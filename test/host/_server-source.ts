import type { ToolSource } from '../../src/tools/tool-source.js';

/** A source with tools of a server, whose outputs have the form of MCP results. */
export const sourceOfServer = (
  server: string,
  tools: Readonly<Record<string, (input: unknown) => Promise<string>>>,
): ToolSource => ({
  name: `MCP server "${server}"`,
  async listTools() {
    const listed = Object.keys(tools).map(name => ({
      name,
      server,
      description: `${name} of a server.`,
      inputSchema: { type: 'object' as const, properties: { a: { type: 'number' as const } } },
    }));
    return { tools: listed, warnings: [] };
  },
  async callTool({ toolName, originalName = toolName, input }) {
    const text = await tools[originalName]?.(input);
    return {
      type: 'content',
      value: [{ type: 'text', text: text ?? 'none' }],
      mcp: { structuredContent: { text: text ?? null } },
    };
  },
  close: async () => {},
});
