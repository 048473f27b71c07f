import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Middleware,
} from '@ai-sdk/provider';
import { createPartStream, type PartSink } from '../parts/part-stream.js';
import { createPartCollector } from '../parts/collector.js';
import type { ToolSource } from '../tools/tool-source.js';
import { createToolbox } from '../tools/toolbox.js';
import { callMemoryOf } from './call-memory.js';
import { executorsOf } from './run-in-provider.js';
import { generatedRounds, type Round, streamedRounds } from './round.js';
import type { ToolLoopOptions } from './options.js';
import { runTurn } from './run-turn.js';
import { openTurn, type Turn, type TurnContext } from './turn.js';
import { validateToolLoopOptions } from './options.js';

/** Stands for a loop that has no tools of its own, and costs nothing until a call brings some. */
const NO_TOOLS = createToolbox([]);

/**
 * Wraps any model so that it runs tools itself: what the model asks of `tools` is executed, the results go back to the
 * model, and so on until it answers. The host sees one continuous stream, or one result.
 *
 * Calls of tools that are not in `tools` are the host's, as ever: the turn ends with `tool-calls` and they are left to
 * it. The host's history may be continued by any other model: tool calls of the loop are ordinary provider-executed
 * parts.
 *
 * @example
 * ```ts
 * const model = withToolLoop(mistral('mistral-large-latest'), { tools: createMcpTools(mcpServers) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a wrong option.
 */
export function withToolLoop(model: LanguageModelV2, options: ToolLoopOptions): LanguageModelV2 {
  const { tools, ...settings } = validateToolLoopOptions(options);
  const sources = Array.isArray(tools) ? (tools as readonly ToolSource[]) : [tools as ToolSource];
  const [firstSource = NO_TOOLS] = sources;
  const ownTools = sources.length > 1 ? createToolbox(sources) : firstSource;
  // The same tools in another list are the same tools.
  const memory = callMemoryOf(firstSource);

  return {
    specificationVersion: 'v2',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doStream(callOptions) {
      const source = toolsOf(callOptions);
      if (source === NO_TOOLS) return model.doStream(callOptions);
      const openRound = streamedRounds(model);
      const { turn, round } = await open(callOptions, { source, mode: 'stream', openRound });
      const stream = createPartStream(sink => run(turn, round, sink), { onCancel: turn.abort });
      return { stream, request: round.request, response: round.response };
    },

    async doGenerate(callOptions) {
      const source = toolsOf(callOptions);
      if (source === NO_TOOLS) return model.doGenerate(callOptions);
      const openRound = generatedRounds(model);
      const { turn, round } = await open(callOptions, { source, mode: 'generate', openRound });
      const folder = createPartCollector();
      await run(turn, round, { write: folder.add, ready: () => undefined });
      const { response, ...result } = folder.result();
      return { ...result, request: round.request, response: { ...round.response, ...response } };
    },
  };

  /** The loop's tools and those of the call, which keep their names: the host has declared them. */
  function toolsOf({ providerOptions }: LanguageModelV2CallOptions): ToolSource {
    const executors = executorsOf(providerOptions);
    if (executors === undefined) return ownTools;
    return ownTools === NO_TOOLS ? executors : createToolbox([executors, ownTools]);
  }

  async function open(
    callOptions: LanguageModelV2CallOptions,
    context: Pick<TurnContext, 'source' | 'mode' | 'openRound'>,
  ) {
    const turn = await openTurn(callOptions, { ...context, settings, memory });
    try {
      return { turn, round: await turn.openFirst() };
    } catch (error) {
      turn.close();
      throw error;
    }
  }

  async function run(turn: Turn, round: Round, sink: PartSink): Promise<void> {
    try {
      await runTurn(turn, round, sink);
    } finally {
      turn.close();
    }
  }
}

/**
 * The tool loop as a middleware for `wrapLanguageModel` of `ai@5`.
 *
 * Under `ai@6` use `withToolLoop` instead: its `wrapLanguageModel` mislabels a `LanguageModelV2`, loses finish reason
 * and usage, and runs no tool of the host.
 *
 * @throws KelivoError with code `invalid-settings` for a wrong option.
 */
export function toolLoopMiddleware(options: ToolLoopOptions): LanguageModelV2Middleware {
  const settings = validateToolLoopOptions(options);
  const looped = new WeakMap<LanguageModelV2, LanguageModelV2>();
  const withLoop = (model: LanguageModelV2): LanguageModelV2 => {
    const known = looped.get(model) ?? withToolLoop(model, settings);
    looped.set(model, known);
    return known;
  };
  return {
    middlewareVersion: 'v2',
    wrapStream: async ({ model, params }) => withLoop(model).doStream(params),
    wrapGenerate: async ({ model, params }) => withLoop(model).doGenerate(params),
  };
}
