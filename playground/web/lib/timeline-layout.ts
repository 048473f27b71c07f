import type { Exchange, ToolState, Trace } from '../../shared/trace.js';
import { formatDuration } from './format.js';

/** The layout of a turn's timeline. Positions and widths are percentages of its total width. */
export interface TimelineLayout {
  readonly ticks: readonly { readonly at: number; readonly left: number }[];
  readonly lanes: readonly Lane[];
  readonly firstToken?: { readonly at: number; readonly left: number; readonly round: number };
  /** Duration of the total width in milliseconds. */
  readonly span: number;
}

/** One round with one row per request and per tool call. */
export interface Lane {
  readonly round: number;
  readonly finishReason?: string;
  readonly requests: readonly RequestBar[];
  readonly tools: readonly ToolBar[];
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

export interface ToolBar extends Bar {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: ToolState | 'waiting';
  readonly progress?: { readonly share?: number; readonly message?: string };
}

/** @param now Milliseconds since the turn began, used as the end of running bars. */
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
    const respondedAt = exchange.events[0]?.at ?? exchange.end?.at ?? exchange.startAt + bar.duration;
    return {
      ...bar,
      exchange: exchange.exchange,
      waiting: bar.duration > 0 ? Math.min(100, ((respondedAt - exchange.startAt) / bar.duration) * 100) : 0,
      state: toRequestState(exchange),
    };
  };

  const waitingTools = trace.approvals
    .filter(approval => approval.decidedAt === undefined && trace.end === undefined)
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
          .map(({ approval: { toolCallId, toolName, requestedAt } }) => ({
            ...toBar({ startAt: requestedAt }, duration =>
              toToolText(toolName, { duration, state: 'waiting' }),
            ),
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

/** Maximum width of a label's character, in percent of the total width. */
const CHARACTER_WIDTH = 1.9;

function placeLabel(text: string, { left, width }: { left: number; width: number }): LabelPlace {
  const needed = text.length * CHARACTER_WIDTH;
  if (100 - left - width >= needed) return 'after';
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

/** Returns three to six ticks from zero, spaced by 1, 2 or 5 times a power of ten. */
export function toTicks(span: number): number[] {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}
