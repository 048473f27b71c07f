import type { ToolSource } from 'kelivo-responses/tool-loop';

/** Joins the sources of single servers, for an approval gate that sees all their tools. */
export function joinSources(sources: ReadonlyMap<string, ToolSource>): ToolSource {
  return {
    name: [...sources.values()].map(({ name }) => name).join(', '),
    async listTools(options) {
      const listings = await Promise.all([...sources.values()].map(source => source.listTools(options)));
      const all = listings.flatMap(({ tools }) => tools);
      const isShared = (name: string): boolean => all.filter(tool => tool.name === name).length > 1;
      return {
        tools: all.map(tool =>
          isShared(tool.name)
            ? { ...tool, name: `${tool.server}_${tool.name}`, originalName: tool.originalName ?? tool.name }
            : tool,
        ),
        warnings: listings.flatMap(({ warnings }) => warnings),
        aliases: new Map(listings.flatMap(({ aliases = new Map() }) => [...aliases])),
        closed: listings.flatMap(({ closed = [] }) => closed),
      };
    },
    async callTool({ toolName, originalName = toolName, ...call }, options) {
      const source = sources.get(call.server ?? '');
      if (source === undefined) return { type: 'error-text', value: `There is no tool "${toolName}".` };
      return source.callTool({ ...call, toolName: originalName, originalName }, options);
    },
    async close() {
      await Promise.all([...sources.values()].map(source => source.close()));
    },
  };
}
