import type { CoreCall } from '../core/call.js';
import { observeModel } from '../core/observed-model.js';
import { type CoreModel, createPartSource, type PartSink, withOpen } from '../core/source.js';
import { NO_CALL_TELEMETRY } from '../core/telemetry.js';
import { createToolbox } from '../tools/toolbox.js';
import type { ToolSource } from '../tools/tool-source.js';
import { wrapSameVersion } from '../versions/language-model.js';
import { type ModelMiddleware, toMiddleware } from '../versions/middleware.js';
import type { AnyLanguageModel, SameVersion } from '../versions/specification.js';
import { takeApprovalResponses } from './approvals/asked-calls.js';
import { withHostCalls } from './calls/host-calls.js';
import { type ToolLoopOptions, toPolicy, validateToolLoopOptions } from './options.js';
import type { Round } from './durable/recorded-rounds.js';
import { toExecutorSource } from './run-in-provider.js';
import { runTurn } from './turn/run-turn.js';
import { isDurableCall, openTurn, type Turn, type TurnContext } from './turn/turn.js';

/** The source of a loop without tools. Its model calls need no rounds unless they contain tools to run. */
const NO_TOOLS = createToolbox([]);

/**
 * Wraps any model so that it runs tools itself: it executes the calls of `tools`, sends the results back to the model,
 * and repeats this until the model responds without calls. The host sees one continuous stream or one result. The result
 * has the version of the model: use it with the same major of `ai`.
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
export function withToolLoop<Model extends AnyLanguageModel>(
  model: Model,
  options: ToolLoopOptions,
): SameVersion<Model> {
  const withLoop = prepareToolLoop(validateToolLoopOptions(options));
  return wrapSameVersion(model, withLoop);
}

/**
 * Returns the tool loop as a middleware for `wrapLanguageModel` of `ai` 5, 6 and 7.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export const toolLoopMiddleware = (options: ToolLoopOptions): ModelMiddleware =>
  toMiddleware(prepareToolLoop(validateToolLoopOptions(options)));

type LoopContext = Pick<TurnContext, 'reportsLength' | 'resumesResponses' | 'closed'>;

/** Creates the tool loop of a provider, which its closing ends. The provider has validated the options. */
export const createToolLoop = (
  model: CoreModel,
  options: ToolLoopOptions,
  context: LoopContext = {},
): CoreModel => prepareToolLoop(options, context)(model);

/** Returns a function that wraps models. They share the names of the tools. */
function prepareToolLoop(
  { tools, telemetry, ...options }: ToolLoopOptions,
  context: LoopContext = {},
): (model: CoreModel) => CoreModel {
  const sources = 'listTools' in tools ? [tools] : tools;
  const [firstSource = NO_TOOLS] = sources;
  const ownTools = sources.length > 1 ? createToolbox(sources) : firstSource;
  const policy = toPolicy(options);

  return inner => {
    const model = telemetry === undefined ? inner : observeModel(inner, telemetry);
    return withOpen(model, async received => {
      const call = observed(received);
      const source = toolsOf(call);
      // A call whose tools are all run by the host needs no rounds. Only a turn uses the answers to requests of a loop.
      if (source === NO_TOOLS && !isDurableCall(call, policy)) {
        const { prompt } = takeApprovalResponses(call.prompt);
        return withHostCalls(model, call, context).open(prompt === call.prompt ? call : { ...call, prompt });
      }
      const { turn, round } = await begin(call, { ...context, model, policy, source });
      const parts = createPartSource(sink => run(turn, round, sink), {
        onCancel: turn.outside.lifetime.abort,
      });
      return { ...parts, request: round?.request, response: round?.response };
    });
  };

  /** Begins the observation of a call, unless the provider of the model has begun it. */
  function observed(call: CoreCall): CoreCall {
    if (telemetry === undefined || call.telemetry !== NO_CALL_TELEMETRY) return call;
    return { ...call, telemetry: telemetry.startCall({}) };
  }

  /** Joins the tools of the call with the loop's tools. The host has declared those of the call, so they keep their names. */
  function toolsOf(call: CoreCall): ToolSource {
    if (call.own.executors === undefined) return ownTools;
    const executors = toExecutorSource(call.own.executors);
    return ownTools === NO_TOOLS ? executors : createToolbox([executors, ownTools]);
  }
}

async function begin(call: CoreCall, context: TurnContext) {
  const turn = await openTurn(call, context);
  const { plan, outside } = turn;
  try {
    // A host repeats a request that fails, but not the calls before it: the stream opens before they run.
    const round = plan.pendingCalls.length > 0 ? undefined : await outside.openRound(plan.request, 1);
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
