import type { LanguageModelV2 } from '@ai-sdk/provider';
import { adaptModel } from './adapters/adapt-model.js';
import {
  createModelAdapterRegistry,
  type ModelAdapterRegistry,
} from './adapters/create-model-adapter-registry.js';
import { modelAdapters } from './adapters/model-adapters.js';
import type { KelivoResponsesSettings } from './settings.js';
import { withToolLoop } from './tool-loop/with-tool-loop.js';
import { createLazyToolSource } from './tools/lazy-tool-source.js';
import { createLocalTools } from './tools/local-tools.js';
import type { McpServers } from './tools/mcp/mcp-config.js';
import type { McpToolsOptions } from './tools/mcp/mcp-options.js';
import { validateMcpServers } from './tools/mcp/validate-mcp-servers.js';
import { isToolSource, type ToolSource } from './tools/tool-source.js';
import { createToolbox } from './tools/toolbox.js';
import { type PendingWarningsSource, withPendingWarnings } from './tools/with-pending-warnings.js';

/** What a provider puts around each bare model. */
export interface Composition {
  /** The tools that the loop runs; undefined where there is no loop. */
  readonly tools: PendingWarningsSource | undefined;
  /** The model in the adapters of its family, and those in the tool loop. */
  compose(model: LanguageModelV2): LanguageModelV2;
  /** Ends MCP servers and connections. */
  close(): Promise<void>;
}

export type CompositionSettings = Pick<
  KelivoResponsesSettings,
  'adapters' | 'tools' | 'mcpServers' | 'mcp' | 'toolLoop' | 'timeouts'
>;

/** Nothing is started before a composed model is called. */
export function createComposition(settings: CompositionSettings): Composition {
  const { toolLoop = {}, timeouts = {} } = settings;
  const source = createToolSource(settings);
  const tools = toolLoop === false ? undefined : source;
  const adapters = toAdapters(settings.adapters);
  return {
    tools,
    compose(model) {
      // Inside the loop: what the model wrote as text is a call by the time the loop looks.
      const adapted = adaptModel(model, { adapters });
      if (toolLoop === false) return adapted;
      // Without tools, too: a call may bring its own.
      return withToolLoop(adapted, {
        ...toolLoop,
        tools: tools ?? [],
        timeouts: { tool: timeouts.tool, total: timeouts.total },
      });
    },
    close: async () => source?.close(),
  };
}

function toAdapters(adapters: CompositionSettings['adapters'] = modelAdapters): ModelAdapterRegistry {
  if (adapters === false) return createModelAdapterRegistry();
  return 'findFor' in adapters ? adapters : createModelAdapterRegistry(adapters);
}

/** MCP tools first: where a local tool has the same name, the server's keeps it. */
function createToolSource({
  tools,
  mcpServers,
  mcp = {},
}: CompositionSettings): PendingWarningsSource | undefined {
  const sources: ToolSource[] = [];
  if (mcpServers !== undefined)
    sources.push(isToolSource(mcpServers) ? mcpServers : toLazyMcpTools(mcpServers, mcp));
  if (tools !== undefined) sources.push(createLocalTools(tools));
  const source = sources.length > 1 ? createToolbox(sources) : sources[0];
  return source && withPendingWarnings(source);
}

/** The MCP SDK is large: a program that never calls a model does not load it. */
function toLazyMcpTools(
  mcpServers: McpServers,
  { expandVariables, ...options }: McpToolsOptions,
): ToolSource {
  const servers = validateMcpServers(mcpServers, { expandVariables });
  return createLazyToolSource('MCP servers', async () => {
    const { createMcpTools } = await import('./tools/mcp/create-mcp-tools.js');
    return createMcpTools(servers, options);
  });
}
