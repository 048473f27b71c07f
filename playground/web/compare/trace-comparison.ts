import { type Trace, toFirstTokenTime } from '../../shared/trace.js';
import { formatCount, formatDuration } from '../ui/format.js';

export interface ComparisonRow {
  readonly title: string;
  readonly values: readonly [string, string];
  readonly isDifferent: boolean;
}

/** Compares two responses to the same question. Times always differ and are not marked. */
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
    row('Stream problems', ({ problems }) =>
      problems.length === 0
        ? 'none'
        : [
            ...new Set(
              problems.map(({ eventName = 'unknown event' }) => eventName.replace(/^response\./, '')),
            ),
          ].join(', '),
    ),
    row('Rounds', ({ rounds }) => formatCount(rounds.length)),
    row('Tools', ({ tools }) => tools.map(({ toolName }) => toolName).join(', ') || 'none'),
    row(
      'Tokens in / out',
      ({ usage }) => `${formatCount(usage?.inputTokens)} / ${formatCount(usage?.outputTokens)}`,
    ),
    row('First token', trace => formatTime(toFirstTokenTime(trace)), { isTime: true }),
    row('Total time', ({ end }) => formatTime(end?.at), { isTime: true }),
  ];
}

const formatTime = (at: number | undefined): string => (at === undefined ? '–' : formatDuration(at));
