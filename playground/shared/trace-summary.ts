import type { PriceTable, Thread } from './playground-state.js';
import { sumUsage, toCost, toTurnUsages } from './cost.js';
import { findParentTool, toFirstTokenTime, type Trace, type TraceRound } from './trace.js';
import type { Flag, TracedApp, TurnEnd, TurnUsage, Usage } from './trace-event.js';

/** One turn in the list of all turns. */
export interface TraceSummary {
  readonly conversationId: string;
  readonly messageId: string;
  readonly thread: Thread;
  /** The beginning of the message that the turn answers. The title of the conversation for turns of applications. */
  readonly title: string;
  /** ISO 8601. */
  readonly startedAt?: string;
  readonly flag?: Flag;
  /** The application, if the turn did not run in the playground. */
  readonly app?: TracedApp;
  readonly modelId?: string;
  readonly endpoint?: string;
  readonly end: TurnEnd | 'running';
  /** The reason why the turn failed or reached a limit. */
  readonly message?: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds between the first request and the first token. */
  readonly firstTokenAt?: number;
  /** Input and output tokens of all rounds, if the endpoint reported them. */
  readonly tokens?: number;
  /** The tokens that somebody pays for, by model. */
  readonly usages: readonly TurnUsage[];
  readonly tools: readonly CalledTool[];
  /** Runs of models that tools of the turn made, in the order of their first requests. */
  readonly nested: readonly NestedRun[];
  /** True if its requests, responses and events were deleted, by age or size. */
  readonly isRecordingDeleted?: boolean;
  /** True if the turn or one of its calls failed, or the provider could not read a stream. */
  readonly hasError: boolean;
}

/** The calls of one tool in a turn. */
export interface CalledTool {
  readonly toolName: string;
  readonly calls: number;
}

/** The requests to a model that one call of a tool made. */
export interface NestedRun {
  readonly toolName: string;
  /** The level of nesting, from 1. */
  readonly depth: number;
  readonly modelId?: string;
  /** The first of its requests, if one was recorded. */
  readonly exchange?: number;
  readonly rounds: number;
  readonly state: 'running' | 'finished' | 'failed';
  /** Milliseconds from the start of the turn. */
  readonly startAt: number;
  readonly duration: number;
  readonly tokens?: number;
  readonly usages: readonly TurnUsage[];
}

/** The facts of a turn that the list shows. */
export function summarizeTrace(
  trace: Trace,
): Omit<TraceSummary, 'conversationId' | 'messageId' | 'thread' | 'title'> {
  const { startedAt, flag, app, modelId, endpoint, end, lastAt, tools, problems, rounds } = trace;
  const firstTokenAt = toFirstTokenTime(trace);
  const calls = new Map<string, number>();
  for (const { toolName } of tools) calls.set(toolName, (calls.get(toolName) ?? 0) + 1);
  return {
    startedAt,
    flag,
    app,
    modelId,
    endpoint,
    end: end?.end ?? (app === undefined ? 'failed' : 'running'),
    message: end?.message,
    duration: end?.at ?? lastAt,
    ...(firstTokenAt !== undefined && { firstTokenAt }),
    usages: toTurnUsages(trace),
    ...toTokens(trace.usage ?? sumUsage(rounds.flatMap(round => round.usage ?? []))),
    nested: toNestedRuns(trace),
    tools: [...calls].map(([toolName, count]) => ({ toolName, calls: count })),
    isRecordingDeleted: trace.isRecordingDeleted,
    hasError:
      (end === undefined ? app === undefined : FAILED.has(end.end)) ||
      problems.length > 0 ||
      tools.some(({ state }) => state === 'failed'),
  };
}

function toTokens({ inputTokens, outputTokens }: Usage): { readonly tokens?: number } {
  if (inputTokens === undefined && outputTokens === undefined) return {};
  return { tokens: (inputTokens ?? 0) + (outputTokens ?? 0) };
}

function toNestedRuns(trace: Trace): readonly NestedRun[] {
  const isPaid = toTurnUsages(trace).length > 0;
  const groups = new Map<string, TraceRound[]>();
  for (const round of trace.rounds) {
    const key = JSON.stringify([round.toolCallId, round.modelId]);
    if (round.toolCallId !== undefined) groups.set(key, [...(groups.get(key) ?? []), round]);
  }
  return [...groups.values()].flatMap(rounds => {
    const [first] = rounds;
    const parent = first && findParentTool(trace, first.round);
    if (first === undefined || parent === undefined) return [];
    const exchanges = trace.exchanges.filter(({ round }) => rounds.some(known => known.round === round));
    const isFailed = exchanges.some(({ status = 0, end }) => status >= 400 || end?.end === 'broken');
    const isRunning = rounds.some(({ endAt }) => endAt === undefined);
    const usage = sumUsage(rounds.flatMap(round => round.usage ?? []));
    const { modelId = trace.modelId, startAt } = first;
    return {
      toolName: parent.tool.toolName,
      depth: parent.depth,
      modelId,
      exchange: exchanges[0]?.exchange,
      rounds: rounds.length,
      state: isFailed ? 'failed' : isRunning ? 'running' : 'finished',
      startAt,
      duration: Math.max(...rounds.map(({ endAt = trace.lastAt }) => endAt)) - startAt,
      ...toTokens(usage),
      usages: isPaid ? [{ modelId, usage, isPartial: false }] : [],
    };
  });
}

const FAILED: ReadonlySet<TurnEnd> = new Set(['failed', 'aborted']);

/** The columns by which turns are sorted. */
export const TRACE_ORDERS = ['started', 'duration', 'first-token', 'tokens', 'cost'] as const;
export type TraceOrder = (typeof TRACE_ORDERS)[number];

/** Returns the value below which a share of the values lies, by the nearest rank. Undefined without values. */
export function toPercentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** The filters of the list. Empty texts and zeros match every turn. */
export interface TraceFilter {
  /** Part of the title, the model, the endpoint, a tool or the reason of the end, ignoring case. */
  readonly text: string;
  /** `error` are turns with any failure, the others are ends. */
  readonly outcome: 'all' | 'error' | TurnEnd;
  /** Milliseconds. */
  readonly minDuration: number;
  readonly minTokens: number;
  /** US dollars. A turn without a price matches no minimum. */
  readonly minCost: number;
  /** Milliseconds since the start of a turn, at most. */
  readonly maxAge: number;
  readonly toolName: string;
  readonly modelId: string;
  /** `PLAYGROUND` for turns that did not run in an application. */
  readonly app: string;
}

/** Stands for the playground among the names of applications. */
export const PLAYGROUND = '(playground)';

export const noFilter: TraceFilter = {
  text: '',
  outcome: 'all',
  minDuration: 0,
  minTokens: 0,
  minCost: 0,
  maxAge: 0,
  toolName: '',
  modelId: '',
  app: '',
};

/** The cost of a turn in US dollars, or undefined if it has none, or if its price or its tokens are unknown. */
export function toAmount({ usages }: Pick<TraceSummary, 'usages'>, prices: PriceTable): number | undefined {
  const cost = toCost(usages, prices);
  return usages.length === 0 || cost.unknown > 0 ? undefined : cost.amount;
}

const appOf = ({ app }: TraceSummary): string => app?.name ?? PLAYGROUND;

/** Returns the models of a turn and of the runs inside of it. */
export const modelsOf = ({ modelId, nested }: TraceSummary): readonly string[] =>
  [modelId, ...nested.map(run => run.modelId)].filter(model => model !== undefined);

export function filterTraces(
  traces: readonly TraceSummary[],
  filter: TraceFilter,
  prices: PriceTable = {},
): readonly TraceSummary[] {
  const { text, outcome, minDuration, minTokens, minCost, maxAge, toolName, modelId: wantedModel } = filter;
  const wanted = text.trim().toLowerCase();
  const oldest = Date.now() - maxAge;
  return traces.filter(trace => {
    const { title, app, endpoint = '', message = '', tools, tokens = 0 } = trace;
    const models = modelsOf(trace);
    const texts = [title, app?.name ?? '', ...models, endpoint, message, ...tools.map(tool => tool.toolName)];
    return (
      texts.some(one => one.toLowerCase().includes(wanted)) &&
      (outcome === 'all' || (outcome === 'error' ? trace.hasError : trace.end === outcome)) &&
      trace.duration >= minDuration &&
      tokens >= minTokens &&
      (minCost === 0 || (toAmount(trace, prices) ?? 0) >= minCost) &&
      (maxAge === 0 || Date.parse(trace.startedAt ?? '') >= oldest) &&
      (filter.app === '' || appOf(trace) === filter.app) &&
      (wantedModel === '' || models.includes(wantedModel)) &&
      (toolName === '' || tools.some(tool => tool.toolName === toolName))
    );
  });
}
