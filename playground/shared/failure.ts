/**
 * Returns the message of an error, followed by that of its cause. `fetch` reports all network errors as "fetch failed", and
 * only their cause contains the address and the code.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error))
    return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  const message = error.message || codeOf(error) || error.name;
  if (error.cause === undefined) return message;
  // A message in whole sentences says all that a user needs.
  if (/[.!?]$/.test(message)) return message;
  const cause = describeFailure(error.cause);
  return message.includes(cause) ? message : `${message}: ${cause}`;
}

/** Returns the code of a system error. One of several addresses, as an `AggregateError`, has no message. */
function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
