import { mayHaveAdapters } from '../adapters/adapter-choice.js';
import type { CoreCall } from '../core/call.js';
import { observeModel } from '../core/observed-model.js';
import { type CoreModel, withOpen } from '../core/source.js';
import { createMcpTools } from '../tools/mcp/create-mcp-tools.js';
import { type ReconnectServers, reconnectServersOf } from '../tools/mcp/reconnect.js';
import { toSources } from '../tools/given-tools.js';
import { createDeclareTools, type DeclareTools, SharedSource, SharedTools } from '../tools/shared-tools.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import { type AbortSource, createClosing } from '../core/shared/abort.js';
import { Memory } from '../core/shared/memory.js';
import type { AgentSettingsOptions, CreateAgentSettings } from '../tool-loop/agent-settings.js';
import { KelivoError } from '../core/shared/errors.js';
import type { ServerSupport } from '../tool-loop/features/feature.js';
import { createToolbox } from '../tools/toolbox.js';
import type { HostVersion } from '../core/versions/specification.js';
import { type Adaptation, resolveAdaptation } from './model-overrides.js';
import type { KelivoResponsesSettings } from './settings.js';
import { loadOnce } from '../core/shared/once.js';

/** Loads the tool loop when a model or the loop of a host first needs it. */
const loadToolLoop = () => import('../tool-loop/tool-loop.js');

/** Wraps the bare models of a provider. */
export interface Composition {
  /** The tools that the loop runs, or undefined without a loop. */
  readonly tools: SharedSource | undefined;
  /** The same tools as hosts receive them, also without a loop. Undefined without tools. */
  readonly shared: SharedTools | undefined;
  /** Returns the tools for hosts. */
  readonly declareTools: DeclareTools;
  readonly agentSettings: CreateAgentSettings;
  /** Opens MCP servers of the settings again. */
  readonly reconnect: ReconnectServers;
  /**
   * Wraps a model in the adapters of its family and those in the tool loop.
   *
   * @param check Rejects a call for which no request can be sent, before it starts tool servers.
   */
  compose(model: CoreModel, check?: (call: CoreCall) => Promise<void>): CoreModel;
  /** Ends turns with tools, stops MCP servers and closes connections. */
  close(): Promise<void>;
}

export type CompositionSettings = Pick<
  KelivoResponsesSettings,
  | 'adapters'
  | 'toolPrompting'
  | 'undeclared'
  | 'startsInReasoning'
  | 'streamArgumentsFrom'
  | 'responseTemplate'
  | 'models'
  | 'tools'
  | 'mcpServers'
  | 'mcp'
  | 'toolLoop'
  | 'timeouts'
  | 'telemetry'
>;

/**
 * Creates the composition of a provider. The first call of a model starts the servers, and loads the tool loop and the
 * adapters. A program that only creates models does not wait for them.
 *
 * @param version The model interface version that adapters of the application implement.
 * @param searchesTools Returns true for models with the tool search of the API.
 */
export function createComposition(
  {
    adapters,
    toolPrompting,
    undeclared,
    startsInReasoning,
    streamArgumentsFrom,
    responseTemplate,
    models,
    toolLoop = {},
    timeouts = {},
    ...settings
  }: CompositionSettings,
  version: HostVersion,
  searchesTools: (modelId: string) => boolean = () => false,
): Composition {
  const { telemetry } = settings;
  const sources = createSources(settings);
  const source = combine(sources);
  const tools = toolLoop === false ? undefined : source;
  /** The adaptation of models without one of their own. */
  const common = {
    adapters,
    adaptersById: true,
    toolPrompting,
    undeclared,
    startsInReasoning,
    streamArgumentsFrom,
    responseTemplate,
  };
  const closing = createClosing('the provider');
  const closed = (): AbortSource => closing.signal;
  const loadHostSteps = loadOnce(
    async () => new (await import('../tool-loop/turn/host-steps.js')).HostSteps(),
  );
  const searchSupport = new Memory<string, ServerSupport>('tool search');
  const supportOf = (modelId: string): ServerSupport => {
    const support = searchSupport.get(modelId) ?? { isSupported: searchesTools(modelId) };
    searchSupport.set(modelId, support);
    return support;
  };
  const shared = source && new SharedTools(source, toolLoop === false ? {} : toolLoop, timeouts);
  return {
    tools,
    shared,
    declareTools: createDeclareTools(shared, { hasLoop: tools !== undefined }),
    // The result depends on the option, as the signatures declare.
    agentSettings: (async ({ runBy = 'host', ...run }: AgentSettingsOptions = {}) => {
      const { createAgentSettings, createStepSettings } = await loadToolLoop();
      if (runBy === 'host') return createAgentSettings(shared, toolLoop === false ? {} : toolLoop, run);
      if (toolLoop !== false) return createStepSettings(shared, run);
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          "`agentSettings({ runBy: 'provider' })` needs the tool loop. Remove `toolLoop: false` from the settings.",
      });
    }) as CreateAgentSettings,
    reconnect: reconnectServersOf(sources),
    compose(model, check) {
      const adaptation =
        models === undefined ? common : resolveAdaptation(model.modelId, { ...common, models });
      // Adapters run inside the loop, so that the loop sees calls that the model wrote as text.
      const adapted = adapt(model, { adaptation, version, closed });
      if (toolLoop === false) return telemetry === undefined ? adapted : observeModel(adapted, telemetry);
      const checkBeforeTools = tools === undefined ? undefined : check;
      const load = async (): Promise<CoreModel> => {
        const { createToolLoop } = await loadToolLoop();
        // The loop is needed even without tools: a call may supply its own.
        const { connect: _, idle: __, ...loopTimeouts } = timeouts;
        return createToolLoop(
          adapted,
          { telemetry, ...toolLoop, tools: tools ?? [], timeouts: loopTimeouts },
          {
            reportsLength: true,
            resumesResponses: true,
            loadHostSteps,
            closed,
            searchSupport: supportOf(model.modelId),
          },
        );
      };
      return whenLoaded(adapted, { closed, load, check: checkBeforeTools });
    },
    async close() {
      closing.close();
      await source?.close();
    },
  };
}

/** Wraps a model in its adapters. Models of OpenAI need none of them. */
function adapt(
  model: CoreModel,
  {
    adaptation: { adapters, adaptersById, ...settings },
    version,
    closed,
  }: { adaptation: Adaptation; version: HostVersion; closed: () => AbortSource },
): CoreModel {
  const { toolPrompting = false, responseTemplate } = settings;
  const mayAdapt = toolPrompting !== false || responseTemplate !== undefined;
  if (!mayAdapt && !mayHaveAdapters(adapters, model.modelId)) return model;
  const load = async (): Promise<CoreModel> => {
    const { adaptCoreModel } = await import('../adapters/adapt-model.js');
    return adaptCoreModel(model, { ...settings, adapters }, version, adaptersById);
  };
  return whenLoaded(model, { closed, load });
}

/**
 * Wraps a model in code that its first call loads. After a failed load, the next call loads again. A call during which the
 * provider is closed does not start.
 */
function whenLoaded(
  model: CoreModel,
  options: {
    closed: () => AbortSource;
    load: () => Promise<CoreModel>;
    check?: ((call: CoreCall) => Promise<void>) | undefined;
  },
): CoreModel {
  const loadModel = loadOnce(options.load);
  return withOpen(model, async call => {
    const signal = options.closed();
    await options.check?.(call);
    const loaded = await loadModel();
    signal.throwIfAborted();
    return loaded.open(call);
  });
}

function createMcpSource({
  mcpServers,
  mcp = {},
  telemetry,
}: Pick<CompositionSettings, 'mcpServers' | 'mcp' | 'telemetry'>): ToolSource | undefined {
  if (mcpServers === undefined || isToolSource(mcpServers)) return mcpServers;
  return createMcpTools(mcpServers, mcp.pool === undefined ? { telemetry, ...mcp } : mcp);
}

/** MCP tools come first. If a local tool has the same name, the local tool keeps it. */
function createSources({
  tools = [],
  ...settings
}: Pick<CompositionSettings, 'tools' | 'mcpServers' | 'mcp' | 'telemetry'>): readonly ToolSource[] {
  const mcp = createMcpSource(settings);
  return [...(mcp === undefined ? [] : [mcp]), ...toSources(tools)];
}

function combine(sources: readonly ToolSource[]): SharedSource | undefined {
  const source = sources.length > 1 ? createToolbox(sources) : sources[0];
  return source && SharedSource.of(source);
}
