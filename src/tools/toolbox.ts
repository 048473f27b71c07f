import { createUniqueIds } from '../shared/unique-ids.js';
import type { ToolDefinition, ToolSource } from './tool-source.js';

/**
 * Combines several sources into one. If an earlier source already offers a name, the tool is offered as `name_2`,
 * `name_3` and so on, so that no tool hides another.
 */
export function createToolbox(sources: readonly ToolSource[]): ToolSource {
  /**
   * Maps an offered name to its source and to the tool's name there. A name keeps its owner even while the owner is
   * unavailable, because a turn or an approval that refers to one tool must not reach another.
   */
  const routes = new Map<string, { source: ToolSource; toolName: string }>();
  const names = new Map<ToolSource, Map<string, string>>(sources.map(source => [source, new Map()]));
  const uniqueNames = createUniqueIds();

  function offer(source: ToolSource, toolName: string): string {
    const known = names.get(source)?.get(toolName);
    if (known !== undefined) return known;
    const name = uniqueNames.take(toolName);
    routes.set(name, { source, toolName });
    names.get(source)?.set(toolName, name);
    return name;
  }

  return {
    name: sources.map(source => source.name).join(', '),

    async listTools(options) {
      const listings = await Promise.all(sources.map(source => source.listTools(options)));
      const tools = sources.flatMap((source, index) =>
        (listings[index]?.tools ?? []).map((tool): ToolDefinition => {
          const name = offer(source, tool.name);
          return name === tool.name ? tool : { ...tool, name };
        }),
      );
      return { tools, warnings: listings.flatMap(listing => listing.warnings) };
    },

    async callTool(call, options) {
      const route = routes.get(call.toolName);
      if (route === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      return route.source.callTool({ ...call, toolName: route.toolName }, options);
    },

    async close() {
      const results = await Promise.allSettled(sources.map(source => source.close()));
      const failures = results.filter(result => result.status === 'rejected').map(result => result.reason);
      if (failures.length > 0) throw new AggregateError(failures, 'Some tool sources could not be closed.');
    },
  };
}
