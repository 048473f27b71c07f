import { untilAborted } from '../shared/abort.js';
import { createClosing } from './closing.js';
import { createToolNames, type SourceTool } from './tool-names.js';
import type { ListToolsOptions, ToolInvocation, ToolListing, ToolSource } from './tool-source.js';

/**
 * Combines several sources into one. A tool of the application keeps its name; a server's tool with the same name as
 * another tool is offered as `<server>_<tool>`, so that no tool hides another.
 */
export function createToolbox(sources: readonly ToolSource[]): ToolSource {
  const name = sources.map(source => source.name).join(', ');
  const combined = combineSources(sources);
  const closing = createClosing(name);

  return {
    name,
    async listTools(options) {
      const { signal } = closing;
      const { closed = [], ...listing } = await untilAborted(combined.listTools(options), signal);
      return { ...listing, closed: [signal, ...closed] };
    },
    async callTool(call, options) {
      const found = combined.find(call);
      if (found === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      return found.source.callTool(found.call, options);
    },
    async close() {
      closing.close();
      const results = await Promise.allSettled(sources.map(source => source.close()));
      const failures = results.filter(result => result.status === 'rejected').map(result => result.reason);
      if (failures.length > 0) throw new AggregateError(failures, 'Some tool sources could not be closed.');
    },
  };
}

/** The tools of several sources under unique names. */
export interface CombinedSources {
  listTools(options?: ListToolsOptions): Promise<ToolListing>;
  /** Returns the source of a call, and the call as this source expects it. */
  find(call: ToolInvocation): { source: ToolSource; call: ToolInvocation } | undefined;
}

export function combineSources(sources: readonly ToolSource[]): CombinedSources {
  const names = createToolNames();
  return {
    async listTools(options = {}) {
      const listings = await Promise.all(sources.map(source => source.listTools(options)));
      const listed = sources.flatMap((source, index) =>
        (listings[index]?.tools ?? []).map((tool): SourceTool => ({ source, tool })),
      );
      return {
        ...names.assign(listed, {
          known: options.known,
          aliases: listings.flatMap(({ aliases = [] }) => [...aliases]),
        }),
        warnings: listings.flatMap(({ warnings }) => warnings),
        closed: listings.flatMap(({ closed = [] }) => closed),
      };
    },
    find(call) {
      const found = names.find(call);
      if (found === undefined) return undefined;
      const { source, tool } = found;
      const { name, server, originalName } = tool;
      return { source, call: { ...call, toolName: name, server, originalName } };
    },
  };
}
