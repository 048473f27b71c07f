/**
 * How much of an answer is taken in. An endpoint is not always one's own, and a broken one can send without end: then
 * an error that says so is better than a process without memory. No honest answer comes near these limits.
 */
export const RESPONSE_LIMITS = {
  /**
   * Of one SSE event, one line or one JSON body, in characters. The largest that are known are generated images, in
   * base64 about 30 MB each at the highest resolution.
   */
  eventLength: 64 * 1024 * 1024,
  /** Of all texts and tool arguments that come in pieces, in characters: models write less than a hundredth. */
  streamedLength: 64 * 1024 * 1024,
  /** Of all other events, in characters: items with several images come twice, and again in the terminal event. */
  otherLength: 256 * 1024 * 1024,
  /** Of output items. Long agentic answers of hosted tools have a few hundred. */
  items: 10_000,
  /** Of arrays and objects in each other. `JSON.stringify` and most that walk through a value recurse. */
  nesting: 512,
};

/** What a piece of text costs beside its characters: one that comes byte by byte fills the memory with overhead. */
export const CHUNK_OVERHEAD = 32;

/** Thrown where an answer exceeds a limit; `readAnswer` makes the host's error of it. */
export class ResponseLimitError extends Error {
  constructor(limit: keyof typeof RESPONSE_LIMITS, unit: string) {
    super(`at most ${RESPONSE_LIMITS[limit].toLocaleString('en-US')} ${unit}`);
  }
}
