import type { ToolDefinition, ToolSource } from './tool-source.js';

/**
 * Joins several sources to one. A name that an earlier source has taken is offered as `name_2`, `name_3` …, so that
 * no tool hides another.
 */
export function createToolbox(sources: readonly ToolSource[]): ToolSource {
  /** Which source a name leads to, and what the tool is called there. Made anew by each listing. */
  let routes = new Map<string, { source: ToolSource; toolName: string }>();

  return {
    name: sources.map(source => source.name).join(', '),

    async listTools(options) {
      const listings = await Promise.all(sources.map(source => source.listTools(options)));
      const tools: ToolDefinition[] = [];
      const next: typeof routes = new Map();
      for (const [index, source] of sources.entries()) {
        for (const tool of listings[index]?.tools ?? []) {
          const name = toFreeName(tool.name, next);
          next.set(name, { source, toolName: tool.name });
          tools.push(name === tool.name ? tool : { ...tool, name });
        }
      }
      // A turn that began with the former listing may still call its tools.
      routes = new Map([...routes, ...next]);
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

function toFreeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}
