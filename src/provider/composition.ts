import type { LanguageModelV2 } from '@ai-sdk/provider';
import { createLazyLanguageModel, type LazyModelOptions } from './lazy-model.js';
import { resolveAdaptation } from './model-overrides.js';
import type { KelivoResponsesSettings } from './settings.js';
import { runDetached } from '../shared/async-context.js';
import { createClosing } from '../tools/closing.js';
import { createLocalTools } from '../tools/local-tools.js';
import type { McpServers } from '../tools/mcp/config.js';
import type { McpToolsOptions } from '../tools/mcp/options.js';
import { validateMcpServers } from '../tools/mcp/config.js';
import {
  createLazyToolSource,
  isToolSource,
  type PendingWarningsSource,
  type ToolSource,
  withPendingWarnings,
} from '../tools/tool-source.js';
import { createToolbox } from '../tools/toolbox.js';

/** Wraps the bare models of a provider. */
export interface Composition {
  /** The tools that the loop runs, or undefined without a loop. */
  readonly tools: PendingWarningsSource | undefined;
  /** Wraps a model in the adapters of its family and those in the tool loop. */
  compose(model: LanguageModelV2): LanguageModelV2;
  /** Ends turns with tools, stops MCP servers and closes connections. */
  close(): Promise<void>;
}

export type CompositionSettings = Pick<
  KelivoResponsesSettings,
  | 'adapters'
  | 'toolPrompting'
  | 'undeclared'
  | 'startsInReasoning'
  | 'models'
  | 'tools'
  | 'mcpServers'
  | 'mcp'
  | 'toolLoop'
  | 'timeouts'
  | 'telemetry'
>;

/**
 * Creates the composition of a provider. The first call of a model starts the servers and loads the adapters and the tool
 * loop. A program that only creates models does not wait for them.
 */
export function createComposition(
  {
    adapters,
    toolPrompting,
    undeclared,
    startsInReasoning,
    models,
    toolLoop,
    timeouts,
    ...settings
  }: CompositionSettings,
  { onCall }: Pick<LazyModelOptions, 'onCall'> = {},
): Composition {
  const { telemetry } = settings;
  const source = createToolSource(settings);
  const tools = toolLoop === false ? undefined : source;
  const closing = createClosing('the provider');
  const closed = (): AbortSignal => closing.signal;
  return {
    tools,
    compose: model =>
      createLazyLanguageModel(
        model,
        async () => {
          const adaptation = resolveAdaptation(model.modelId, {
            adapters,
            toolPrompting,
            undeclared,
            startsInReasoning,
            models,
          });
          const { composeModel } = await import('./compose-model.js');
          return composeModel(model, { adaptation, tools, toolLoop, timeouts, telemetry, closed });
        },
        { closed, onCall },
      ),
    async close() {
      closing.close();
      await source?.close();
    },
  };
}

/** MCP tools come first. If a local tool has the same name, the local tool keeps it. */
function createToolSource({
  tools,
  mcpServers,
  mcp = {},
  telemetry,
}: Pick<CompositionSettings, 'tools' | 'mcpServers' | 'mcp' | 'telemetry'>):
  PendingWarningsSource | undefined {
  const sources: ToolSource[] = [];
  if (mcpServers !== undefined)
    sources.push(
      isToolSource(mcpServers)
        ? mcpServers
        : toLazyMcpTools(mcpServers, mcp.pool === undefined ? { telemetry, ...mcp } : mcp),
    );
  if (tools !== undefined) sources.push(createLocalTools(tools));
  const source = sources.length > 1 ? createToolbox(sources) : sources[0];
  return source && withPendingWarnings(source);
}

/** Loads the MCP SDK, which is large, with the first call of a model. */
function toLazyMcpTools(
  mcpServers: McpServers,
  { expandVariables, ...options }: McpToolsOptions,
): ToolSource {
  const servers = validateMcpServers(mcpServers, { expandVariables });
  // Servers outlive the call that starts them, and must not run in its context.
  return createLazyToolSource('MCP servers', () =>
    runDetached(async () => {
      const { createMcpTools } = await import('../tools/mcp/create-mcp-tools.js');
      return createMcpTools(servers, options);
    }),
  );
}
