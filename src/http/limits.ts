/**
 * Limits of a response. An untrusted or broken endpoint can send data without end, and an error is better than running
 * out of memory. No genuine response comes near these limits.
 */
export const RESPONSE_LIMITS = {
  /**
   * Characters of one SSE event, one line or one JSON body. The largest known are generated images: about 30 MB of
   * base64 each at the highest resolution.
   */
  eventLength: 64 * 1024 * 1024,
  /** Characters of all text and tool arguments that arrive in deltas. Models write less than one percent of it. */
  streamedLength: 64 * 1024 * 1024,
  /** Characters of all other events. Items with several images arrive twice, and again in the terminal event. */
  otherLength: 256 * 1024 * 1024,
  /** Number of output items. Long agentic responses with hosted tools have a few hundred. */
  items: 10_000,
  /** Depth of nested arrays and objects. `JSON.stringify` and most code that walks a value recurse. */
  nesting: 512,
};

/** The overhead of a chunk in characters: chunks of one byte need much more memory than their text. */
export const CHUNK_OVERHEAD = 32;

/** Thrown for a response that exceeds a limit. `readResponse` converts it to an `APICallError`. */
export class ResponseLimitError extends Error {
  constructor(limit: keyof typeof RESPONSE_LIMITS, unit: string) {
    super(`at most ${RESPONSE_LIMITS[limit].toLocaleString('en-US')} ${unit}`);
  }
}
