import type { Trace } from '../../shared/trace.js';
import { formatCount, formatDuration } from './format.js';

export interface ComparisonRow {
  readonly title: string;
  readonly values: readonly [string, string];
  readonly isDifferent: boolean;
}

/** Two answers to one question, point by point. Times always differ, and are not marked as different. */
export function compareTraces(first: Trace, second: Trace): ComparisonRow[] {
  const row = (
    title: string,
    read: (trace: Trace) => string,
    { isTime = false }: { isTime?: boolean } = {},
  ): ComparisonRow => {
    const values = [read(first), read(second)] as const;
    return { title, values, isDifferent: !isTime && values[0] !== values[1] };
  };
  return [
    row('Ended', ({ end }) => end?.end ?? 'running'),
    row('Rounds', ({ rounds }) => formatCount(rounds.length)),
    row('Tools', ({ tools }) => tools.map(({ toolName }) => toolName).join(', ') || 'none'),
    row(
      'Tokens in / out',
      ({ usage }) => `${formatCount(usage?.inputTokens)} / ${formatCount(usage?.outputTokens)}`,
    ),
    row('First token', ({ firstTokenAt }) => formatTime(firstTokenAt), { isTime: true }),
    row('In all', ({ end }) => formatTime(end?.at), { isTime: true }),
  ];
}

const formatTime = (at: number | undefined): string => (at === undefined ? '–' : formatDuration(at));
