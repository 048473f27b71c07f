import { InvalidArgumentError } from '@ai-sdk/provider';
import type { CoreCall } from '../core/call.js';
import { observeModel } from '../core/observed-model.js';
import type { Part } from '../core/part.js';
import {
  type CoreModel,
  createPartSource,
  type PartSink,
  type UnreadLimit,
  withHistory,
  withOpen,
} from '../core/source.js';
import { NO_CALL_TELEMETRY } from '../core/telemetry.js';
import { isPlainObject, type JSONObject } from '../core/shared/json.js';
import {
  createLocalTools,
  createUncheckedTools,
  type LocalTool,
  type LocalTools,
  type LocalToolsOptions,
  type ToolInput,
} from '../tools/local-tools.js';
import { toSources } from '../tools/given-tools.js';
import { createDeclareTools, type DeclareTools, SharedSource, SharedTools } from '../tools/shared-tools.js';
import { type HostTool, type HostTools, isRunByHost, RUN_BY_HOST } from '../tools/host-tools.js';
import { isRunInSteps, onlyDeclared, RUN_IN_STEPS, toStepTools } from '../tools/step-tools.js';
import type { AgentSettings, AgentSettingsOptions, StepSettings } from './agent-settings.js';
import type { Journal } from './durable/journal.js';
import { limitOutput, toOutputLimits } from './calls/outputs.js';
import { isToolSource, type ToolOutput, type ToolSource } from '../tools/tool-source.js';
import { type ToolStub, toToolStub } from '../tools/tool-stubs.js';
import { createToolbox } from '../tools/toolbox.js';
import { createHistoryKeys } from '../core/versions/history/signatures.js';
import { wrapSameVersion } from '../core/versions/language-model.js';
import { type ModelMiddleware, toMiddleware } from '../core/versions/middleware.js';
import type { AnyLanguageModel, SameVersion } from '../core/versions/specification.js';
import { takeApprovalResponses } from './approvals/asked-calls.js';
import { withHostCalls } from './calls/host-calls.js';
import { withPrices } from './context/prices.js';
import { type ToolLoopOptions, validateToolLoopOptions } from './options.js';
import { RepeatedTurns } from './turn/repeated-turns.js';
import type { HostSteps } from './turn/host-steps.js';
import {
  isDurableCall,
  type LoopPolicy,
  type OpenedTurn,
  openTurn,
  type TurnContext,
} from './turn/opened-turn.js';
import { Turn, type TurnSink } from './turn/turn.js';

/** The source of a loop without tools. Its model calls need no rounds unless they contain tools to run. */
const NO_TOOLS = SharedSource.of(createToolbox([]));

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
): SameVersion<Model> & ToolLoopModel {
  const { tools, ...valid } = validateToolLoopOptions(options);
  const source = toOneSource(tools);
  const shared = new SharedTools(source, valid, valid.timeouts);
  return Object.assign(wrapSameVersion(model, prepareToolLoop({ ...valid, tools: source })), {
    tools: createDeclareTools(shared, { hasLoop: true }),
  });
}

/** The loop as a middleware for `wrapLanguageModel` of `ai` 5, 6 and 7, for hosts that accept nothing else. Throws likewise. */
withToolLoop.middleware = (options: ToolLoopOptions): ModelMiddleware =>
  toMiddleware(prepareToolLoop(validateToolLoopOptions(options)));

/** The members of a model with a tool loop that other models do not have. */
export interface ToolLoopModel {
  /** Returns the tools of the loop, as `provider.tools()` does. */
  readonly tools: DeclareTools;
}

function toOneSource(given: object): SharedSource {
  const sources = toSources(given);
  const [first = NO_TOOLS] = sources;
  return SharedSource.of(sources.length > 1 ? createToolbox(sources) : first);
}

interface LoopContext extends Pick<
  TurnContext,
  'reportsLength' | 'resumesResponses' | 'closed' | 'searchSupport'
> {
  /** Loads the steps of hosts that take one for each round. @default each turn is one step */
  readonly loadHostSteps?: (() => Promise<HostSteps>) | undefined;
}

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
  const ownTools = toOneSource(tools);
  const policy = toPolicy(options);
  const { prices, historySecret } = options;
  const history = historySecret === undefined ? undefined : createHistoryKeys(historySecret);

  return given => {
    const inner = withHistory(given, history);
    const priced = prices === undefined ? inner : withPrices(inner, prices);
    const model = telemetry === undefined ? priced : observeModel(priced, telemetry);
    const repeatedTurns = new RepeatedTurns();
    return withOpen(model, async received => {
      const call = observed(received);
      const source = toolsOf(call);
      // A call whose tools are all run by the host needs no rounds. Only a turn uses the answers to requests of a loop.
      if (source === NO_TOOLS && !isDurableCall(call, policy)) {
        const { prompt } = takeApprovalResponses(call.prompt);
        return withHostCalls(model, call, context).open(prompt === call.prompt ? call : { ...call, prompt });
      }
      const open = (opened: CoreCall, more: Partial<TurnContext> = {}): Promise<OpenedTurn> =>
        openTurn(opened, { ...context, model, policy, source, repeatedTurns, ...more });
      const { unread } = options.timeouts ?? {};
      if (context.loadHostSteps !== undefined && isTakenInSteps(call, policy)) {
        const steps = await context.loadHostSteps();
        return steps.open(call, {
          model,
          isDurable: isDurableCall(call, policy),
          openTurn: (opened, hostSteps, isDeclared) =>
            open(opened, { hostSteps, source: toolsOf(call, onlyDeclared(ownTools, isDeclared)) }),
          toSink: toTurnSink,
          toUnreadLimit: turn => toUnreadLimit(unread, turn),
        });
      }
      const turn = new Turn(await open(call));
      const first = await turn.open();
      const parts = createPartSource(sink => turn.run(toTurnSink(sink, call)), {
        onCancel: reason => turn.abort(reason),
        unread: toUnreadLimit(unread, turn),
      });
      return { ...parts, request: first?.request, response: first?.response };
    });
  };

  /** Begins the observation of a call, unless the provider of the model has begun it. */
  function observed(call: CoreCall): CoreCall {
    if (telemetry === undefined || call.telemetry !== NO_CALL_TELEMETRY) return call;
    return { ...call, telemetry: telemetry.startCall({}) };
  }

  /** Joins the tools of the call with the loop's tools. The host has declared those of the call, so they keep their names. */
  function toolsOf(call: CoreCall, own: ToolSource = ownTools): ToolSource {
    if (isRunByHost(call)) return NO_TOOLS;
    if (call.own.executors === undefined) return own;
    const executors = toExecutorSource(call.own.executors);
    return ownTools === NO_TOOLS ? executors : createToolbox([executors, own]);
  }
}

/** True for a host that takes a step for each round, and sees the calls. */
const isTakenInSteps = (call: CoreCall, policy: LoopPolicy): boolean =>
  isRunInSteps(call) && policy.showsCalls && call.host.acceptsLaterResults;

/** The default of `timeouts.unread`, in milliseconds. */
const UNREAD = 60_000;

/** Ends a turn that nobody reads, as an abort does. */
function toUnreadLimit(limit: number | false = UNREAD, turn: Turn): UnreadLimit | undefined {
  if (limit === false) return undefined;
  const message = `Nobody has read the turn for ${limit} ms (timeouts.unread).`;
  const onReached = (): void => turn.abort(new DOMException(message, 'AbortError'));
  return { milliseconds: limit, onReached };
}

/** Time between the signs of life of a turn, in milliseconds. */
const SIGN_INTERVAL = 100;

/**
 * Repeats the metadata of the last response while the turn waits. Hosts ignore it, but it restarts the limit of the time
 * between two parts that some have.
 */
function toTurnSink(sink: PartSink, call: CoreCall): TurnSink {
  if (!call.isStream || !call.host.countsAllParts) return { ...sink, setIdle() {} };
  let metadata: Part = { type: 'response-metadata' };
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    ...sink,
    write(part) {
      if (part.type === 'response-metadata') metadata = part;
      sink.write(part);
    },
    setIdle(isIdle) {
      clearInterval(timer);
      timer = isIdle ? setInterval(() => sink.write(metadata), SIGN_INTERVAL) : undefined;
    },
  };
}

/** Applies the defaults. */
function toPolicy(options: Omit<ToolLoopOptions, 'tools' | 'telemetry'>): LoopPolicy {
  const { execution = 'auto', startEarly = 'read-only', onUnknownOutcome = 'refuse' } = options;
  const { timeouts, retry } = options;
  const { approve, approvals, hostApprovals, toolActivity, journal, onEvent } = options;
  return {
    calls: {
      execution,
      startEarly,
      timeouts: { ...timeouts },
      onUnknownOutcome,
    },
    approvals: { approve, approvals },
    hostApprovals,
    features: options,
    showsCalls: toolActivity !== 'none',
    showsPreliminary: toolActivity === 'all',
    timeout: timeouts?.total,
    retries: {
      maxRetries: (retry?.maxRetries ?? 2) || 0,
      streamRetries: (retry?.streamRetries ?? 2) || 0,
      initialDelay: retry?.initialDelay ?? 1000,
    },
    journal,
    onEvent,
  };
}

/** Options that make the provider run a call's tools. Spread them into `generateText` or `streamText`. */
export interface ProviderRunTools<Schemas> {
  /** Declarations, with which the host displays the calls and keeps them in its history. */
  tools: { [Name in keyof Schemas]: ToolStub<ToolInput<Schemas[Name]>> };
  /** The executable tools. They are passed by reference and do not cross process boundaries. */
  providerOptions: { kelivo: JSONObject };
}

/**
 * Lets the tool loop run a host's own tools for one call. All rounds become one step, in which these tools and MCP tools
 * run together. Accepts tools of `ai` 5, 6 and 7 with `execute`, for a model with a tool loop: one of the provider or of
 * `withToolLoop()`. If a tool of the provider has the same name, it gets another name in this call.
 *
 * Tools with `needsApproval` wait for `approve` of the tool loop. Without it their calls are refused.
 *
 * The host receives the same result as the model: the return value of `toModelOutput`, if the tool has one.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: provider('gpt-5'), prompt, ...runInProvider({ weather }) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function runInProvider<Schemas = Record<string, unknown>>(
  tools: LocalTools<Schemas>,
  options: LocalToolsOptions = {},
): ProviderRunTools<Schemas> {
  // The type of provider options allows only JSON, but hosts pass the object by reference.
  const source = SharedSource.of(createLocalTools(tools, options));
  const executors = source as unknown as JSONObject;
  const shared = new SharedTools(source, {});
  const stubs = Object.entries<LocalTool>(tools).map(([name, { needsApproval = false, ...own }]) => {
    const { description, title, metadata } = own;
    const tool = {
      name,
      inputSchema: {},
      ...(typeof description === 'string' && { description }),
      ...(title !== undefined && { title }),
      ...(metadata !== undefined && { ofApplication: metadata }),
    };
    // Without a loop nobody can be asked.
    return [name, toToolStub(tool, { run: shared.functionsOf(tool, needsApproval !== false) })];
  });
  return {
    tools: Object.fromEntries(stubs) as ProviderRunTools<Schemas>['tools'],
    providerOptions: { kelivo: { executors } },
  };
}

/** Sources by the object that a host passes in every step of a call. */
const sources = new WeakMap<object, ToolSource>();

/**
 * Returns the tools in the value of `providerOptions.kelivo.executors`: tools of the AI SDK with `execute`, or a tool
 * source.
 *
 * @throws InvalidArgumentError for anything else.
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
function toExecutorSource(executors: unknown): ToolSource {
  if (isToolSource(executors)) return executors;
  if (!isPlainObject(executors)) {
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.executors',
      message:
        'Expected `providerOptions.kelivo.executors` to be an object of tools by name, as returned by runInProvider(), ' +
        `got ${Array.isArray(executors) ? 'an array' : typeof executors}.`,
    });
  }
  const source = sources.get(executors) ?? createUncheckedTools(executors);
  sources.set(executors, source);
  return source;
}

/** Creates the settings of the host's loop from those of the tool loop. */
export async function createAgentSettings(
  shared: SharedTools | undefined,
  toolLoop: Pick<
    ToolLoopOptions,
    | 'maxRounds'
    | 'maxToolCalls'
    | 'maxToolOutputChars'
    | 'approve'
    | 'approvals'
    | 'journal'
    | 'onUnknownOutcome'
  >,
  run: Run,
): Promise<AgentSettings> {
  const { maxRounds = 20, maxToolCalls = false, maxToolOutputChars } = toolLoop;
  const lastStep = (maxRounds === false ? Infinity : maxRounds) - 1;
  const callLimit = maxToolCalls === false ? Infinity : maxToolCalls;
  const maxChars = toOutputLimits(maxToolOutputChars);
  const toLimited = (output: ToolOutput, toolName: string): ToolOutput =>
    limitOutput(output, { maxChars: maxChars(toolName) });
  const tools = (await shared?.forAgent(toLimited, run.turnId)) ?? {};
  const marked = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, toMarked(tool)]));
  return {
    providerOptions: toRunOptions(RUN_BY_HOST, run),
    tools: toRecorded(marked, toolLoop, run),
    stopWhen: options => options.steps.length > lastStep,
    prepareStep({ stepNumber, steps }) {
      const calls = steps.reduce((sum, step) => sum + (step.toolCalls ?? []).length, 0);
      return stepNumber >= lastStep || calls >= callLimit ? { toolChoice: 'none' } : {};
    },
  };
}

/** Identifies a run of the host. */
type Run = Pick<AgentSettingsOptions, 'turnId' | 'scope'>;

const toRunOptions = <Mark extends { readonly kelivo: object }>(mark: Mark, { turnId, scope }: Run) => ({
  kelivo: {
    ...(mark.kelivo as { runBy: string }),
    ...(turnId !== undefined && { turnId }),
    ...(scope !== undefined && { scope }),
  },
});

/** Returns tools whose calls the journal records. */
function toRecorded(
  tools: HostTools,
  options: Pick<ToolLoopOptions, 'journal' | 'onUnknownOutcome'>,
  { turnId, scope }: Run,
): HostTools {
  const { tools: record } = (options.journal ?? {}) as Partial<Pick<Journal, 'tools'>>;
  if (record === undefined) return tools;
  const isRepeated = options.onUnknownOutcome === 'run';
  return record(tools, {
    turnId,
    ...(scope !== undefined && { scope }),
    onUnknownOutcome: isRepeated ? 'run' : 'refuse',
  });
}

const toMarked = (tool: HostTool): HostTool => ({
  ...tool,
  providerOptions: {
    ...tool.providerOptions,
    kelivo: { ...tool.providerOptions?.kelivo, ...RUN_BY_HOST.kelivo },
  },
});

/** Creates the settings of a host that takes a step for each round. */
export async function createStepSettings(shared: SharedTools | undefined, run: Run): Promise<StepSettings> {
  const tools = (await shared?.source.listToolsOnly()) ?? [];
  return {
    providerOptions: toRunOptions(RUN_IN_STEPS, run),
    tools: toStepTools(tools),
    stopWhen({ steps }) {
      const { finishReason, content = [] } = steps.at(-1) ?? {};
      const hasFailed = finishReason !== 'tool-calls' && finishReason !== 'stop';
      return hasFailed || content.some(entry => entry.type === 'tool-approval-request');
    },
    prepareStep: options => ({
      providerOptions: { kelivo: { ...RUN_IN_STEPS.kelivo, hostStep: options.stepNumber } },
    }),
  };
}
