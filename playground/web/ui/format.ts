import type { ServerView } from '../../shared/playground-state.js';

/** `0 ms`, `850 ms`, `1.25 s`, `1 min 5 s` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1,234`, or a dash for an unknown count. */
export const formatCount = (count: number | undefined): string =>
  count === undefined ? '–' : count.toLocaleString('en-US');

/** `1 round`, `2 rounds` */
export const formatNumberOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `just now`, `5 min ago`, `3 h ago`, or the date. */
export function formatAge(time: string, { now = Date.now() }: { now?: number } = {}): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Shortens long paths in a command line: `/usr/lib/a/dist/index.js` becomes `…/a/dist/index.js`. */
export const shortenPaths = (text: string): string =>
  text.replace(/(?<![\w:/])(?:\/[^\s/"']+){2,}((?:\/[^\s/"']+){3})/g, '…$1');

/** States of MCP servers. An idle server is not an error: its next use opens the connection. */
export const serverStateNames: Readonly<Record<ServerView['state'], string>> = {
  idle: 'connects with the next turn',
  connecting: 'connecting …',
  ready: 'connected',
  unauthorized: 'sign-in required',
  failed: 'failed',
  disabled: 'switched off',
};

/** `12:30:45.678` in UTC. */
export const toClock = (time: number): string => new Date(time).toISOString().slice(11, 23);
