import {
  type Exchange,
  findParentTool,
  toRequestedAt,
  type ToolState,
  type Trace,
  type TraceTool,
} from '../../shared/trace.js';
import { previewArguments, shorten } from '../ui/argument-preview.js';
import { formatDuration, formatNumberOf } from '../ui/format.js';

/** The layout of a turn's timeline. Positions and widths are percentages of its total width. */
export interface TimelineLayout {
  readonly ticks: readonly { readonly at: number; readonly left: number }[];
  readonly lanes: readonly Lane[];
  /** The time from the first request to the first token. */
  readonly firstToken?: {
    readonly at: number;
    readonly duration: number;
    readonly left: number;
    readonly width: number;
    readonly round: number;
  };
  /** The time before the first request, which is not the model's. */
  readonly preparation: readonly { readonly title: string; readonly left: number; readonly width: number }[];
  /** Duration of the total width in milliseconds. */
  readonly span: number;
}

/** One round with one row per request and per tool call, or per group of calls. */
export interface Lane {
  readonly round: number;
  readonly finishReason?: string;
  /** The tool whose call made the requests of this round, and the level of nesting from 1. @default none, a round of the turn */
  readonly parent?: { readonly toolName: string; readonly depth: number };
  readonly requests: readonly RequestBar[];
  readonly tools: readonly (ToolBar | ToolGroup)[];
}

/** Position of a label relative to its bar. */
export type LabelPlace = 'after' | 'before' | 'inside';

interface Bar {
  /** Text and position of the label. */
  readonly label: { readonly text: string; readonly place: LabelPlace };
  readonly left: number;
  readonly width: number;
  readonly startAt: number;
  readonly duration: number;
}

export interface RequestBar extends Bar {
  readonly exchange: number;
  /** Percentage of the bar before the response began. */
  readonly waiting: number;
  readonly state: 'running' | 'done' | 'failed' | 'stopped';
}

export type CallState = ToolState | 'waiting';

export interface ToolBar extends Bar {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: CallState;
  readonly progress?: { readonly share?: number; readonly message?: string };
  /** The arguments in one line. */
  readonly preview: string;
}

/** The calls of one tool in a round. The bar reaches from the start of the first to the end of the last. */
export interface ToolGroup extends Bar {
  readonly toolName: string;
  readonly state: CallState;
  readonly calls: readonly ToolBar[];
  /** The times in which calls ran, in percent of the bar and in the order in which they are drawn. */
  readonly segments: readonly { readonly left: number; readonly width: number; readonly state: CallState }[];
  /** The number of calls, and of those that are not done. */
  readonly summary: string;
  /** The arguments of the first call in one line. */
  readonly preview: string;
}

/** Number of calls of one tool in a round from which they are shown as a group. */
const MIN_GROUP = 3;

/** A call of the trace. Calls that wait for approval have not started yet. */
type Call = Pick<TraceTool, 'toolCallId' | 'toolName' | 'startAt' | 'endAt' | 'progress'> & {
  readonly state: CallState;
  readonly input?: unknown;
};

/** @param now Milliseconds since the turn began, used as the end of running bars. */
export function layoutTimeline(trace: Trace, { now }: { now: number }): TimelineLayout {
  const span = Math.max(trace.end?.at ?? now, trace.lastAt, 1);
  const toLeft = (at: number): number => (at / span) * 100;
  /** @param toTexts Returns labels, the longest first. The first that fits beside the bar is displayed. */
  const toBar = (
    { startAt, endAt = trace.end?.at ?? now }: { startAt: number; endAt?: number },
    toTexts: (duration: string) => readonly string[],
  ): Bar => {
    const duration = Math.max(endAt - startAt, 0);
    const place = { left: toLeft(startAt), width: toLeft(duration) };
    return { ...place, label: chooseLabel(toTexts(formatDuration(duration)), place), startAt, duration };
  };

  const toRequestBar = (exchange: Exchange): RequestBar => {
    const times = { startAt: exchange.startAt, endAt: exchange.end?.at };
    const bar = toBar(times, duration => [`model · ${duration}`]);
    const respondedAt = exchange.events[0]?.at ?? exchange.end?.at ?? exchange.startAt + bar.duration;
    return {
      ...bar,
      exchange: exchange.exchange,
      waiting: bar.duration > 0 ? Math.min(100, ((respondedAt - exchange.startAt) / bar.duration) * 100) : 0,
      state: toRequestState(exchange),
    };
  };

  const lastRound = trace.rounds.at(-1)?.round ?? 1;
  const toCalls = (round: number): Call[] => [
    ...trace.tools.filter(tool => tool.round === round),
    ...trace.approvals
      .filter(({ decidedAt }) => decidedAt === undefined && trace.end === undefined && round === lastRound)
      .map(({ requestedAt, ...call }) => ({ ...call, startAt: requestedAt, state: 'waiting' as const })),
  ];
  const toToolBar = (call: Call, { isGrouped }: { isGrouped: boolean }): ToolBar => {
    const { toolCallId, toolName, state, progress, input } = call;
    const preview = previewArguments(input);
    const start = isGrouped ? [] : [toolName];
    const states = state === 'done' ? [] : [state];
    const bar = toBar(call, duration => toLabels(start, { preview, end: [duration, ...states] }));
    return { ...bar, toolCallId, toolName, state, progress, preview };
  };
  const toGroup = (toolName: string, calls: readonly ToolBar[]): ToolGroup => {
    const startAt = Math.min(...calls.map(call => call.startAt));
    const endAt = Math.max(...calls.map(call => call.startAt + call.duration));
    const start = [`${toolName} × ${calls.length}`];
    const states = countStates(calls);
    const preview = calls[0]?.preview ?? '';
    const bar = toBar({ startAt, endAt }, duration =>
      toLabels(start, { preview, end: [duration, ...states] }),
    );
    return {
      ...bar,
      toolName,
      calls,
      state: stateOrder.find(state => calls.some(call => call.state === state)) ?? 'done',
      segments: toSegments(calls, { startAt, duration: endAt - startAt }),
      summary: [formatNumberOf(calls.length, 'call'), ...states].join(', '),
      preview,
    };
  };
  /** Returns a row for each call, or for all calls of a tool if there are many, in the order of their first call. */
  const toRows = (calls: readonly Call[]): (ToolBar | ToolGroup)[] => {
    const names = [...new Set(calls.map(({ toolName }) => toolName))];
    return names
      .flatMap((name): (ToolBar | ToolGroup)[] => {
        const same = calls.filter(({ toolName }) => toolName === name);
        const isGrouped = same.length >= MIN_GROUP;
        const bars = same.map(call => toToolBar(call, { isGrouped }));
        return isGrouped ? [toGroup(name, bars)] : bars;
      })
      .toSorted((a, b) => a.startAt - b.startAt);
  };

  const toParent = (round: number): Lane['parent'] => {
    const parent = findParentTool(trace, round);
    return parent && { toolName: parent.tool.toolName, depth: parent.depth };
  };

  const numbers = new Set([
    ...trace.rounds.map(({ round }) => round),
    ...trace.exchanges.map(({ round }) => round),
  ]);
  const lanes = [...numbers]
    .toSorted((a, b) => a - b)
    .map((round): Lane => ({
      round,
      finishReason: trace.rounds.find(known => known.round === round)?.finishReason,
      parent: toParent(round),
      requests: trace.exchanges.filter(exchange => exchange.round === round).map(toRequestBar),
      tools: toRows(toCalls(round)),
    }));

  return {
    span,
    preparation: toPreparation(trace, { now }).map(({ title, startAt, endAt }) => ({
      title: `${title} · ${formatDuration(endAt - startAt)}`,
      left: toLeft(startAt),
      width: toLeft(endAt - startAt),
    })),
    ticks: toTicks(span).map(at => ({ at, left: toLeft(at) })),
    lanes,
    ...(trace.firstTokenAt !== undefined && {
      firstToken: {
        at: trace.firstTokenAt,
        duration: trace.firstTokenAt - toRequestedAt(trace),
        left: toLeft(toRequestedAt(trace)),
        width: toLeft(trace.firstTokenAt - toRequestedAt(trace)),
        round: toRoundAt(trace, trace.firstTokenAt),
      },
    }),
  };
}

/** Shorter times are not drawn. */
const MIN_PREPARATION = 1;

/** Divides the time before the first request into connecting the servers and everything else. */
function toPreparation({ exchanges, listing, lastAt, end }: Trace, { now }: { now: number }) {
  const endAt = exchanges[0]?.startAt ?? end?.at ?? Math.max(now, lastAt);
  const parts =
    listing === undefined
      ? [{ title: 'prepare', startAt: 0, endAt }]
      : [
          { title: 'prepare', startAt: 0, endAt: listing.startAt },
          { title: 'connect MCP', startAt: listing.startAt, endAt: listing.endAt ?? endAt },
          { title: 'prepare', startAt: listing.endAt ?? endAt, endAt },
        ];
  return parts.filter(part => part.endAt - part.startAt >= MIN_PREPARATION);
}

/** Maximum width of a label's character, in percent of the total width. */
const CHARACTER_WIDTH = 1.9;

/** Returns the first of several texts that fits beside the bar, or the last one inside of it. */
export function chooseLabel(
  texts: readonly string[],
  { left, width }: { left: number; width: number },
): Bar['label'] {
  for (const text of texts) {
    const needed = text.length * CHARACTER_WIDTH;
    if (100 - left - width >= needed) return { text, place: 'after' };
    if (left >= needed) return { text, place: 'before' };
  }
  return { text: texts.at(-1) ?? '', place: 'inside' };
}

/** Lengths of the arguments in a label, the last of which is none. */
const PREVIEW_LENGTHS = [40, 20, 0];

const toLabels = (
  start: readonly string[],
  { preview, end }: { preview: string; end: readonly string[] },
): string[] =>
  PREVIEW_LENGTHS.map(maxLength => {
    const shown = maxLength === 0 ? '' : shorten(preview, maxLength);
    return [...start, ...(shown === '' ? [] : [shown]), ...end].join(' · ');
  });

/** The states of a group, the first of which is shown if calls have different ones. */
const stateOrder: readonly CallState[] = ['waiting', 'running', 'failed', 'stopped', 'done'];

/** Counts the calls of a group that are not done: `2 failed`. */
const countStates = (calls: readonly ToolBar[]): string[] =>
  stateOrder
    .slice(0, -1)
    .map(state => [calls.filter(call => call.state === state).length, state] as const)
    .flatMap(([count, state]) => (count === 0 ? [] : [`${count} ${state}`]));

/** Joins the times of calls that overlap and have the same state. */
function toSegments(
  calls: readonly ToolBar[],
  { startAt, duration }: { startAt: number; duration: number },
): ToolGroup['segments'] {
  const share = (time: number): number => (duration > 0 ? (time / duration) * 100 : 100);
  return stateOrder.toReversed().flatMap(state => {
    const joined: { from: number; to: number }[] = [];
    const same = calls.filter(call => call.state === state).toSorted((a, b) => a.startAt - b.startAt);
    for (const call of same) {
      const last = joined.at(-1);
      const to = call.startAt + call.duration;
      if (last !== undefined && call.startAt <= last.to) last.to = Math.max(last.to, to);
      else joined.push({ from: call.startAt, to });
    }
    return joined.map(({ from, to }) => ({ left: share(from - startAt), width: share(to - from), state }));
  });
}

const toRoundAt = ({ exchanges }: Trace, at: number): number =>
  exchanges.findLast(({ startAt }) => startAt <= at)?.round ?? 1;

function toRequestState({ end, status }: Exchange): RequestBar['state'] {
  if (status !== undefined && status >= 400) return 'failed';
  if (end === undefined) return 'running';
  return { complete: 'done', aborted: 'stopped', broken: 'failed' }[end.end] as RequestBar['state'];
}

/** Returns three to six ticks from zero, spaced by 1, 2 or 5 times a power of ten. */
export function toTicks(span: number): number[] {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}
