/** The wait in milliseconds that a server asked for: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function toRetryAfter(headers: Record<string, string> | undefined, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers?.['retry-after-ms'] ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
