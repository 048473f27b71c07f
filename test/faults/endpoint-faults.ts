import type { ScriptedResponse } from '../../src/testing/index.js';

/**
 * The outcome of a fault.
 *
 * - `complete response`: the turn ends as it does without the fault.
 * - `retryable rejection` or `final rejection`: the call rejects with an error whose `isRetryable` indicates whether the host may retry it.
 * - `error part`: the stream contains the error, closes its blocks and finishes with `error`.
 */
export type Expected = 'complete response' | 'retryable rejection' | 'final rejection' | 'error part';

export interface EndpointFault {
  readonly fault: string;
  readonly response: ScriptedResponse;
  /** Outcome if it affects the first request of a turn, which only the host may retry. */
  readonly first: Expected;
  /** Outcome if it affects the request after a tool call, which only the loop may retry. */
  readonly followUp: Expected;
}

const output = [{ text: 'one two three four' }];

/** The loop retries what the host could retry. */
const transient = { first: 'retryable rejection', followUp: 'complete response' } as const;
const final = { first: 'final rejection', followUp: 'error part' } as const;
const late = { first: 'error part', followUp: 'error part' } as const;
const harmless = { first: 'complete response', followUp: 'complete response' } as const;

const status = (code: number, more: object = {}) => ({
  fault: `status ${code}`,
  response: { status: code, ...more },
});

/** The faults of an endpoint. After two events there is no content yet, after six there is some text. */
export const ENDPOINT_FAULTS: readonly EndpointFault[] = [
  {
    fault: 'connection closed before the status',
    response: { fault: 'cut', after: 0, output },
    ...transient,
  },
  {
    fault: 'connection closed before the output',
    response: { fault: 'cut', after: 2, output },
    ...transient,
  },
  { fault: 'connection closed within the text', response: { fault: 'cut', after: 6, output }, ...late },
  { fault: 'connection closed before the terminal event', response: { fault: 'cut', output }, ...late },
  { fault: 'body ends before the output', response: { fault: 'early-end', after: 2, output }, ...transient },
  { fault: 'body ends within the text', response: { fault: 'early-end', after: 6, output }, ...late },
  { fault: 'body ends before the terminal event', response: { fault: 'early-end', output }, ...late },
  { fault: 'no status', response: { fault: 'headers-never' }, ...transient },
  { fault: 'silence before the output', response: { fault: 'stall', after: 2, output }, ...transient },
  { fault: 'silence within the text', response: { fault: 'stall', after: 6, output }, ...late },
  { fault: 'slow events', response: { fault: 'slow', delay: 10, output }, ...harmless },
  { fault: 'a line that is not JSON', response: { fault: 'malformed', after: 6, output }, ...harmless },
  { fault: 'a response without usage', response: { usage: null, output }, ...harmless },
  {
    fault: '`error` event, nested',
    response: { fault: 'error-event', shape: 'nested', output },
    ...transient,
  },
  { fault: '`error` event, flat', response: { fault: 'error-event', shape: 'flat', output }, ...transient },
  { fault: '`error` event, bare', response: { fault: 'error-event', shape: 'bare', output }, ...transient },
  {
    fault: '`error` event, then `response.failed`',
    response: { fault: 'error-event', thenFailed: true, output },
    ...transient,
  },
  {
    fault: '`error` event without a code',
    response: { fault: 'error-event', code: null, output },
    ...transient,
  },
  {
    fault: '`error` event: rate limit',
    response: { fault: 'error-event', code: 'rate_limit_exceeded', output },
    ...transient,
  },
  {
    fault: '`error` event: invalid prompt',
    response: { fault: 'error-event', code: 'invalid_prompt', output },
    ...final,
  },
  {
    fault: '`error` event: insufficient quota',
    response: { fault: 'error-event', code: 'insufficient_quota', output },
    ...final,
  },
  { fault: '`error` event within the text', response: { fault: 'error-event', after: 6, output }, ...late },
  { fault: '`response.failed`', response: { fault: 'failed', output }, ...transient },
  { fault: '`response.failed` within the text', response: { fault: 'failed', after: 6, output }, ...late },
  { fault: 'a web page', response: { fault: 'html' }, ...final },
  { fault: 'an empty body', response: { fault: 'empty' }, ...transient },
  { fault: 'chat completions', response: { fault: 'chat-completions' }, ...final },
  { ...status(400), ...final },
  { ...status(401), ...final },
  { ...status(403), ...final },
  { ...status(404), ...final },
  { ...status(408), ...transient },
  { ...status(409), ...transient },
  { ...status(422), ...final },
  { fault: 'status 429, Retry-After in seconds', response: { status: 429, retryAfter: 0 }, ...transient },
  {
    fault: 'status 429, Retry-After as a date',
    response: { status: 429, retryAfter: new Date(0).toUTCString() },
    ...transient,
  },
  {
    fault: 'status 429, retry-after-ms',
    response: { status: 429, headers: { 'retry-after-ms': '1' } },
    ...transient,
  },
  { ...status(500), ...transient },
  { ...status(502, { body: '<html>Bad gateway</html>' }), ...transient },
  { ...status(503), ...transient },
];
