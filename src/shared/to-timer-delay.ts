/** A time limit as a timer takes it: Node fires longer ones, `Infinity` too, after one millisecond. */
export function toTimerDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 1), 2 ** 31 - 1);
}
