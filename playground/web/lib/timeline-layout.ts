import type { Exchange, ToolState, Trace } from '../../shared/trace.js';
import { formatDuration } from './format.js';

/** The timeline of a turn, ready to be drawn: places and widths are percentages of the whole. */
export interface TimelineLayout {
  readonly ticks: readonly { readonly at: number; readonly left: number }[];
  readonly lanes: readonly Lane[];
  readonly firstToken?: { readonly at: number; readonly left: number; readonly round: number };
  /** Milliseconds that the whole width stands for. */
  readonly span: number;
}

/** One round: its requests, then its tools, each in a row of its own. */
export interface Lane {
  readonly round: number;
  readonly finishReason?: string;
  readonly requests: readonly RequestBar[];
  readonly tools: readonly ToolBar[];
}

/** Where the name of a bar has room. */
export type LabelPlace = 'behind' | 'before' | 'inside';

interface Bar {
  /** What the bar is called, and where. */
  readonly label: { readonly text: string; readonly place: LabelPlace };
  readonly left: number;
  readonly width: number;
  readonly startAt: number;
  readonly duration: number;
}

export interface RequestBar extends Bar {
  readonly exchange: number;
  /** The share of the bar, in percent, that was spent waiting for the answer to begin. */
  readonly waiting: number;
  readonly state: 'running' | 'done' | 'failed' | 'stopped';
}

export interface ToolBar extends Bar {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: ToolState | 'waiting';
  readonly progress?: { readonly share?: number; readonly message?: string };
}

/** @param now Milliseconds since the turn began; what has no end yet goes on until then. */
export function layoutTimeline(trace: Trace, { now }: { now: number }): TimelineLayout {
  const span = Math.max(trace.end?.at ?? now, trace.lastAt, 1);
  const toLeft = (at: number): number => (at / span) * 100;
  const toBar = (
    { startAt, endAt = trace.end?.at ?? now }: { startAt: number; endAt?: number },
    toText: (duration: string) => string,
  ): Bar => {
    const duration = Math.max(endAt - startAt, 0);
    const place = { left: toLeft(startAt), width: toLeft(duration) };
    const text = toText(formatDuration(duration));
    return { ...place, label: { text, place: placeLabel(text, place) }, startAt, duration };
  };

  const toRequestBar = (exchange: Exchange): RequestBar => {
    const times = { startAt: exchange.startAt, endAt: exchange.end?.at };
    const bar = toBar(times, duration => `model · ${duration}`);
    const answeredAt = exchange.events[0]?.at ?? exchange.end?.at ?? exchange.startAt + bar.duration;
    return {
      ...bar,
      exchange: exchange.exchange,
      waiting: bar.duration > 0 ? Math.min(100, ((answeredAt - exchange.startAt) / bar.duration) * 100) : 0,
      state: toRequestState(exchange),
    };
  };

  const waitingTools = trace.approvals
    .filter(approval => approval.settledAt === undefined && trace.end === undefined)
    .map(approval => ({ approval, round: trace.rounds.at(-1)?.round ?? 1 }));

  const numbers = new Set([
    ...trace.rounds.map(({ round }) => round),
    ...trace.exchanges.map(({ round }) => round),
  ]);
  const lanes = [...numbers]
    .toSorted((a, b) => a - b)
    .map((round): Lane => ({
      round,
      finishReason: trace.rounds.find(known => known.round === round)?.finishReason,
      requests: trace.exchanges.filter(exchange => exchange.round === round).map(toRequestBar),
      tools: [
        ...trace.tools
          .filter(tool => tool.round === round)
          .map(({ toolCallId, toolName, state, progress, startAt, endAt }) => ({
            ...toBar({ startAt, endAt }, duration => toToolText(toolName, { duration, state })),
            toolCallId,
            toolName,
            state,
            progress,
          })),
        ...waitingTools
          .filter(waiting => waiting.round === round)
          .map(({ approval: { toolCallId, toolName, wantedAt } }) => ({
            ...toBar({ startAt: wantedAt }, duration => toToolText(toolName, { duration, state: 'waiting' })),
            toolCallId,
            toolName,
            state: 'waiting' as const,
          })),
      ],
    }));

  return {
    span,
    ticks: toTicks(span).map(at => ({ at, left: toLeft(at) })),
    lanes,
    ...(trace.firstTokenAt !== undefined && {
      firstToken: {
        at: trace.firstTokenAt,
        left: toLeft(trace.firstTokenAt),
        round: toRoundAt(trace, trace.firstTokenAt),
      },
    }),
  };
}

/** The share of the width, in percent, that a character of a label needs at most. */
const CHARACTER_WIDTH = 1.9;

function placeLabel(text: string, { left, width }: { left: number; width: number }): LabelPlace {
  const needed = text.length * CHARACTER_WIDTH;
  if (100 - left - width >= needed) return 'behind';
  return left >= needed ? 'before' : 'inside';
}

const toToolText = (
  toolName: string,
  { duration, state }: { duration: string; state: ToolBar['state'] },
): string => [toolName, duration, ...(state === 'done' ? [] : [state])].join(' · ');

const toRoundAt = ({ exchanges }: Trace, at: number): number =>
  exchanges.findLast(({ startAt }) => startAt <= at)?.round ?? 1;

function toRequestState({ end, status }: Exchange): RequestBar['state'] {
  if (status !== undefined && status >= 400) return 'failed';
  if (end === undefined) return 'running';
  return { complete: 'done', aborted: 'stopped', broken: 'failed' }[end.end] as RequestBar['state'];
}

/** Three to six round numbers from zero on: 1, 2 or 5 times a power of ten apart. */
export function toTicks(span: number): number[] {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}
