import type { ToolDefinition, ToolSource } from './tool-source.js';

/** A source that can be listed where there is nobody to warn. */
export interface PendingWarningsSource extends ToolSource {
  /** The tools alone; the warnings of this listing are given with the next `listTools()`. */
  listToolsOnly(): Promise<readonly ToolDefinition[]>;
}

// One per source: what is told once is told once for all who share the source, and so is what waits.
const wrapped = new WeakMap<ToolSource, PendingWarningsSource>();

/** Keeps the warnings of listings that cannot show them. A source gives most of its warnings only once. */
export function withPendingWarnings(source: ToolSource): PendingWarningsSource {
  const result = wrapped.get(source) ?? wrap(source);
  wrapped.set(source, result);
  return result;
}

function wrap(source: ToolSource): PendingWarningsSource {
  const pending = new Set<string>();
  return {
    name: source.name,
    async listTools(options) {
      const listing = await source.listTools(options);
      const warnings = [...new Set([...pending, ...listing.warnings])];
      pending.clear();
      return { ...listing, warnings };
    },
    async listToolsOnly() {
      const { tools, warnings } = await source.listTools();
      for (const warning of warnings) pending.add(warning);
      return tools;
    },
    callTool: (call, options) => source.callTool(call, options),
    close: () => source.close(),
  };
}
