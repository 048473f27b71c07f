import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Middleware,
} from '@ai-sdk/provider';
import { createPartCollector } from '../parts/collector.js';
import { observeModel } from '../parts/observed-model.js';
import { createPartStream, type PartSink } from '../parts/part-stream.js';
import { callTelemetryOf, withCallTelemetry } from '../shared/telemetry.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import { createToolbox } from '../tools/toolbox.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import { withHiddenCalls } from './hidden-calls.js';
import { withHostCalls } from './host-calls.js';
import { type ToolLoopOptions, validateToolLoopOptions } from './options.js';
import { generatedRounds, type Round, streamedRounds } from './round.js';
import { executorsOf } from './run-in-provider.js';
import { runTurn } from './run-turn.js';
import { isDurableCall, openTurn, type Turn, type TurnContext } from './turn.js';

/** The source of a loop without tools. Its model calls need no rounds unless they contain tools to run. */
const NO_TOOLS = createToolbox([]);

/**
 * Wraps any model so that it runs tools itself: it executes the calls of `tools`, sends the results back to the model,
 * and repeats this until the model responds without calls. The host sees one continuous stream or one result.
 *
 * Calls of tools that are not in `tools` belong to the host: the turn ends with `tool-calls`, and the host runs them.
 * Any other model can continue the host's history, because the loop's calls are ordinary provider-executed parts.
 *
 * @example
 * ```ts
 * const model = withToolLoop(mistral('mistral-large-latest'), { tools: createMcpTools(mcpServers) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export function withToolLoop(model: LanguageModelV2, options: ToolLoopOptions): LanguageModelV2 {
  return createToolLoop(model, options);
}

/** Creates the tool loop of a provider, which its closing ends. */
export function createToolLoop(
  inner: LanguageModelV2,
  options: ToolLoopOptions,
  {
    reportsLength,
    resumesResponses,
    closed,
  }: Pick<TurnContext, 'reportsLength' | 'resumesResponses' | 'closed'> = {},
): LanguageModelV2 {
  const { tools, ...settings } = validateToolLoopOptions(options);
  const sources = isToolSource(tools) ? [tools] : tools;
  const { telemetry } = settings;
  const model = observeModel(inner, telemetry);
  const [firstSource = NO_TOOLS] = sources;
  const ownTools = sources.length > 1 ? createToolbox(sources) : firstSource;

  return {
    specificationVersion: 'v2',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doStream(received) {
      const callOptions = observed(received);
      const source = toolsOf(callOptions);
      if (isPlainCall(source, callOptions)) return hostModelOf(callOptions).doStream(restored(callOptions));
      const openRound = streamedRounds(model);
      const { turn, round } = await open(callOptions, { source, mode: 'stream', openRound });
      const stream = createPartStream(sink => run(turn, round, sink), { onCancel: turn.lifetime.abort });
      return { stream, request: round?.request, response: round?.response };
    },

    async doGenerate(received) {
      const callOptions = observed(received);
      const source = toolsOf(callOptions);
      if (isPlainCall(source, callOptions)) return hostModelOf(callOptions).doGenerate(restored(callOptions));
      const openRound = generatedRounds(model);
      const { turn, round } = await open(callOptions, { source, mode: 'generate', openRound });
      const collector = createPartCollector();
      await run(turn, round, { write: collector.add, ready: () => undefined });
      const { response, warnings, ...result } = collector.result();
      const laterWarnings = turn.record.warnings.map(message => ({ type: 'other' as const, message }));
      return {
        ...result,
        warnings: [...warnings, ...laterWarnings],
        request: round?.request,
        response: { ...round?.response, ...response },
      };
    },
  };

  /** Begins the observation of a call, unless the provider of the model has begun it. */
  function observed(callOptions: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
    if (telemetry === undefined || callTelemetryOf(callOptions) !== undefined) return callOptions;
    return withCallTelemetry(callOptions, telemetry.startCall({}));
  }

  /** Joins the tools of the call with the loop's tools. The host has declared those of the call, so they keep their names. */
  function toolsOf({ providerOptions }: LanguageModelV2CallOptions): ToolSource {
    const executors = executorsOf(providerOptions);
    if (executors === undefined) return ownTools;
    return ownTools === NO_TOOLS ? executors : createToolbox([executors, ownTools]);
  }

  /** Returns true for a call that needs no rounds. */
  function isPlainCall(source: ToolSource, callOptions: LanguageModelV2CallOptions): boolean {
    return source === NO_TOOLS && !isDurableCall(callOptions, settings);
  }

  /** Returns the model for calls whose tools are all run by the host. */
  function hostModelOf(callOptions: LanguageModelV2CallOptions) {
    return withHostCalls(model, callOptions, { reportsLength });
  }

  /** Restores the calls of earlier turns that the host did not keep. */
  function restored(callOptions: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
    const prompt = withHiddenCalls(callOptions.prompt);
    if (prompt === callOptions.prompt) return callOptions;
    const keepOrphans = isContinuation(callOptions);
    return { ...callOptions, prompt: pairToolCalls(prompt, { keepOrphans }) };
  }

  async function open(
    callOptions: LanguageModelV2CallOptions,
    context: Pick<TurnContext, 'source' | 'mode' | 'openRound'>,
  ) {
    const turn = await openTurn(callOptions, {
      ...{ ...context, model, settings, reportsLength, resumesResponses, closed },
    });
    try {
      // A host repeats a request that fails, but not the calls before it: the stream opens before they run.
      const round = turn.pendingCalls.length > 0 ? undefined : await turn.openRound(turn.request, 1);
      return { turn, round };
    } catch (error) {
      await turn.close(error);
      throw error;
    }
  }

  async function run(turn: Turn, round: Round | undefined, sink: PartSink): Promise<void> {
    try {
      await runTurn(turn, round, sink);
    } catch (error) {
      await turn.close(error);
      throw error;
    }
    await turn.close();
  }
}

/**
 * Returns the tool loop as a middleware for `wrapLanguageModel` of `ai@5`.
 *
 * Under `ai@6` use `withToolLoop` instead: its `wrapLanguageModel` treats a `LanguageModelV2` as a newer version, loses
 * finish reason and usage, and runs no tool of the host.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export function toolLoopMiddleware(options: ToolLoopOptions): LanguageModelV2Middleware {
  const settings = validateToolLoopOptions(options);
  const wrappedModels = new WeakMap<LanguageModelV2, LanguageModelV2>();
  const wrap = (model: LanguageModelV2): LanguageModelV2 => {
    const wrapped = wrappedModels.get(model) ?? withToolLoop(model, settings);
    wrappedModels.set(model, wrapped);
    return wrapped;
  };
  return {
    middlewareVersion: 'v2',
    wrapStream: async ({ model, params }) => wrap(model).doStream(params),
    wrapGenerate: async ({ model, params }) => wrap(model).doGenerate(params),
  };
}
